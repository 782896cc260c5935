package db

import (
	"bytes"
	"encoding/binary"
)

// The first byte of a key names its keyspace; doc.go says what stands there.
const (
	spaceTail    = 't'
	spaceIndex   = 'e'
	spaceRun     = 'x'
	spaceBlock   = 'b'
	spaceColumn  = 'c'
	spaceTile    = 'h'
	spaceSession = 's'
	spaceRange   = 'r'
	spaceMeta    = 'm'
)

// spaceNames says what a keyspace has, for people.
var spaceNames = map[byte]string{
	spaceTail: "tail", spaceIndex: "tail index", spaceRun: "runs", spaceBlock: "block heads", spaceColumn: "columns", spaceTile: "digests and tree",
	spaceSession: "sessions", spaceRange: "salts", spaceMeta: "state",
}

var stateKey = []byte{spaceMeta, 's', 't', 'a', 't', 'e'}

// tailKey is part of an entry in the tail. Parts of one entry follow each other,
// entries are in the order of the ledger.
func tailKey(seq uint64, part uint32) []byte {
	k := binary.BigEndian.AppendUint64([]byte{spaceTail}, seq)
	return binary.BigEndian.AppendUint32(k, part)
}

func parseTailKey(k []byte) (seq uint64, part uint32, ok bool) {
	if len(k) != 13 || k[0] != spaceTail {
		return 0, 0, false
	}
	return binary.BigEndian.Uint64(k[1:]), binary.BigEndian.Uint32(k[9:]), true
}

// sessionKey begins the keys of a session. A session, which cannot hold a zero
// byte, ends with one, so "ab" follows all of "a".
func sessionKey(space byte, session string) []byte {
	k := make([]byte, 0, len(session)+10)
	return append(append(append(k, space), session...), 0)
}

// indexKey is a place in a session: of an entry in the tail, or of a run.
func indexKey(space byte, session string, index uint64) []byte {
	return binary.BigEndian.AppendUint64(sessionKey(space, session), index)
}

func parseIndexKey(k []byte) (session string, index uint64, ok bool) {
	i := bytes.IndexByte(k, 0)
	if i < 2 || len(k) != i+9 {
		return "", 0, false
	}
	return string(k[1:i]), binary.BigEndian.Uint64(k[i+1:]), true
}

func parseSessionKey(k []byte) (session string, ok bool) {
	if len(k) < 3 || k[len(k)-1] != 0 {
		return "", false
	}
	return string(k[1 : len(k)-1]), true
}

// blockKey is the head of a block: all heads stand together, where opening looks at them.
func blockKey(block uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{spaceBlock}, block)
}

// columnKey is a page of a column of a block, as it was made the last time: a block that is
// made again, after a removal, has the next generation. Column 0 is the block's directory, but
// for its page 0, the head, which says what generation counts.
func columnKey(block uint64, generation uint32, column, page uint16) []byte {
	if column == 0 && page == 0 {
		return blockKey(block)
	}
	k := binary.BigEndian.AppendUint64([]byte{spaceColumn}, block)
	k = binary.BigEndian.AppendUint32(k, generation)
	k = binary.BigEndian.AppendUint16(k, column)
	return binary.BigEndian.AppendUint16(k, page)
}

func parseColumnKey(k []byte) (block uint64, generation uint32, column, page uint16, ok bool) {
	if len(k) != 17 || k[0] != spaceColumn {
		return 0, 0, 0, 0, false
	}
	return binary.BigEndian.Uint64(k[1:]), binary.BigEndian.Uint32(k[9:]), binary.BigEndian.Uint16(k[13:]), binary.BigEndian.Uint16(k[15:]), true
}

func tileKey(level int, n uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{spaceTile, byte(level)}, n)
}

func rangeKey(first uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{spaceRange}, first)
}
