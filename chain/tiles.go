package chain

import "fmt"

// The files of a ledger that any client of C2SP tlog-tiles can read:
//
//	checkpoint                         the note
//	tile/LEVEL/NUMBER[.p/WIDTH]        a tile: hashes of 32 bytes
//	tile/entries/NUMBER[.p/WIDTH]      the headers of a tile of level 0, each behind its length(2)
//
// A number is written in groups of three digits, all but the last with an x before them;
// .p/WIDTH stands behind that of a tile that is not whole.

// TilePath returns where a tile is.
func TilePath(level int, n uint64, width int) string {
	return fmt.Sprintf("tile/%d/%s", level, tileNumber(n, width))
}

// BundlePath returns where the entries are whose digests are tile n of level 0.
func BundlePath(n uint64, width int) string { return "tile/entries/" + tileNumber(n, width) }

func tileNumber(n uint64, width int) string {
	path := fmt.Sprintf("%03d", n%1000)
	for n /= 1000; n > 0; n /= 1000 {
		path = fmt.Sprintf("x%03d/%s", n%1000, path)
	}
	if width < TileWidth {
		path += fmt.Sprintf(".p/%d", width)
	}
	return path
}
