package db

import (
	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
)

// The salts of a range of entries come from a seed, or stand one by one where a seed
// would tell too much: in a ledger that was restored, whose source keeps its seed, or
// after a removal. The value is
//
//	0 seed(32)    or    1 salt(16) of each entry
type salts struct {
	first uint64
	seed  chain.Seed
	list  []chain.Salt // instead of the seed, if not nil
}

func (s *salts) of(seq uint64) chain.Salt {
	if s.list == nil {
		return s.seed.Salt(seq)
	}
	if i := seq - s.first; i < uint64(len(s.list)) {
		return s.list[i]
	}
	return chain.Salt{} // is found to be wrong by the digest
}

// slice returns the salts of n entries from seq on.
func (s *salts) slice(c *chain.Committer, seq uint64, n int) []chain.Salt {
	if s.list == nil {
		return c.Salts(make([]chain.Salt, 0, n), &s.seed, seq, n)
	}
	list := make([]chain.Salt, n)
	for i := range list {
		list[i] = s.of(seq + uint64(i))
	}
	return list
}

func (s *salts) encode() []byte {
	if s.list == nil {
		return append([]byte{0}, s.seed[:]...)
	}
	b := []byte{1}
	for i := range s.list {
		b = append(b, s.list[i][:]...)
	}
	return b
}

// readSalts returns the salts of the range that begins at first.
func readSalts(txn *badger.Txn, first uint64) (*salts, error) {
	value, err := must(txn, rangeKey(first))
	if err != nil {
		return nil, err
	}
	s := &salts{first: first}
	switch {
	case len(value) == 1+len(s.seed) && value[0] == 0:
		s.seed = chain.Seed(value[1:])
		return s, nil
	case len(value) > 0 && value[0] == 1 && (len(value)-1)%len(chain.Salt{}) == 0:
		s.list = make([]chain.Salt, 0, len(value)/len(chain.Salt{}))
		for b := value[1:]; len(b) > 0; b = b[len(chain.Salt{}):] {
			s.list = append(s.list, chain.Salt(b))
		}
		return s, nil
	}
	return nil, damaged("the salts of the range from %d have %d bytes", first, len(value))
}
