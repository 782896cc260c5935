package guard

import (
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/dgraph-io/badger/v4/y"
)

// A log, .mem or .vlog, begins with the number of its data key and an IV, then
// records:
//
//	| key id u64 | IV (12) | meta, user meta | key length, value length, expiry: uvarints | key | value | crc32c |
//
// It is made empty, grown to its full length, which reads as zeros, and then
// given its head. It is emptied before it is removed. So a crash leaves no bytes,
// or at least a head.
const (
	walHead   = 20
	walRecord = 2 + 3*binary.MaxVarintLen64
)

// errHead is a log that is longer than nothing and shorter than its head.
var errHead = errors.New("is shorter than the head that it is made with")

// readWAL returns the number of a log's data key, and the version of the first
// record. A log without a record that can be read has version 0.
func readWAL(path string, ks keys) (keyID, version uint64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	var head [walHead + walRecord]byte
	n, err := f.ReadAt(head[:], 0)
	if err != nil && err != io.EOF {
		return 0, 0, err
	}
	if n < walHead {
		return 0, 0, errHead
	}
	keyID = binary.BigEndian.Uint64(head[:])
	keyLen, at := firstKey(head[walHead:])
	// Badger allows keys of 65,000 bytes, and adds 8 for the version.
	if keyLen <= 8 || keyLen > 1<<16 {
		return keyID, 0, nil
	}
	key := make([]byte, keyLen)
	if _, err := f.ReadAt(key, int64(walHead+at)); err != nil {
		return keyID, 0, nil // cut short: no record
	}
	if dk := ks[keyID]; dk != nil {
		// A record's IV ends with where it begins.
		iv := binary.BigEndian.AppendUint32(append([]byte(nil), head[8:walHead]...), walHead)
		if key, err = y.XORBlockAllocate(key, dk.Data, iv); err != nil {
			return keyID, 0, err
		}
	}
	return keyID, y.ParseTs(key), nil
}

// firstKey returns the length of a record's key and where it begins; 0 if this is
// no record.
func firstKey(b []byte) (length uint64, at int) {
	at = 2
	for i := range 3 {
		v, n := binary.Uvarint(b[at:])
		if n <= 0 {
			return 0, 0
		}
		if i == 0 {
			length = v
		}
		at += n
	}
	return length, at
}
