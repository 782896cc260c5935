package db

import (
	"encoding/binary"

	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
)

// A Head is the end of a session.
type Head struct {
	Session     string
	Count       uint64     // entries; the next one has this index
	Digest      chain.Hash // of the last entry
	First, Last chain.Time // least and greatest time of its entries
	seq         uint64     // of the last entry
}

const headSize = 8 + 32 + 9 + 9 + 8

func (h *Head) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, h.Count)
	dst = append(dst, h.Digest[:]...)
	dst = appendTime(appendTime(dst, h.First), h.Last)
	return binary.BigEndian.AppendUint64(dst, h.seq)
}

func appendTime(dst []byte, t chain.Time) []byte {
	return append(binary.BigEndian.AppendUint64(dst, uint64(t.Ticks)), t.Rest)
}

func parseTime(b []byte) chain.Time {
	return chain.Time{Ticks: int64(binary.BigEndian.Uint64(b)), Rest: b[8]}
}

func parseHead(session string, b []byte) Head {
	h := Head{Session: session, Count: binary.BigEndian.Uint64(b), Digest: chain.Hash(b[8:40])}
	h.First, h.Last = parseTime(b[40:]), parseTime(b[49:])
	h.seq = binary.BigEndian.Uint64(b[58:])
	return h
}

// A stored head has the head before it behind it, if there was one. While the
// first is of an entry that is not visible yet, the second counts. So the heads of
// an import may be written in many transactions and change with the state.
func appendHeads(dst []byte, h, before *Head) []byte {
	dst = h.append(dst)
	if before != nil {
		dst = before.append(dst)
	}
	return dst
}

// parseHeads returns the head that counts in a ledger of that size, nil if the
// session has no visible entry.
func parseHeads(session string, b []byte, size uint64) (*Head, error) {
	if len(b) != headSize && len(b) != 2*headSize {
		return nil, damaged("the head of session %q has %d bytes", session, len(b))
	}
	for ; len(b) > 0; b = b[headSize:] {
		if h := parseHead(session, b); h.seq < size {
			return &h, nil
		}
	}
	return nil, nil
}

// readHead returns the head of a session, nil if it has no entry.
func readHead(txn *badger.Txn, session string, size uint64) (*Head, error) {
	value, err := get(txn, sessionKey(spaceSession, session))
	if err == errNoKey {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseHeads(session, value, size)
}
