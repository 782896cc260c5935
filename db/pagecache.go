package db

import (
	"bytes"
	"sync"
)

// pageCacheSize is how many bytes of pages a ledger keeps.
const pageCacheSize = 64 << 20

// A pageCache keeps pages of blocks, checked, for those who read a few rows of many blocks:
// different sessions mostly need the same pages. It is for reading alone, since what it
// gives was not read from disk just now. A block never changes but to the next generation.
//
// It has two halves. What is used comes to the young one; when that is full, it becomes the
// old one, whose pages are forgotten but for those that were used since. Once pages were
// forgotten, of the new ones few are kept: a walk that needs more than there is room for
// would else find none of them the next time.
type pageCache struct {
	mu         sync.Mutex
	young, old map[pageID]cachedPage
	size       int // of young, in bytes
	turn       int // counts the new pages since pages were forgotten
}

type pageID struct {
	block        uint64
	generation   uint32
	column, page uint16
}

// A cachedPage is a page. In place of the pages of the directory, which are those of column
// 0, stand what they say, and whose the rows are.
type cachedPage struct {
	value []byte
	dir   *blockDir
	rows  *codeRows
	size  int
}

const (
	placeDir  = 0
	placeRows = 1
)

// pageOverhead is about what a map needs for a page.
const pageOverhead = 100

// admitted is of how many new pages one is kept, once pages were forgotten.
const admitted = 8

func (c *pageCache) find(id pageID) (p cachedPage, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, ok = c.young[id]; ok {
		return p, true
	}
	if p, ok = c.old[id]; ok {
		delete(c.old, id)
		c.put(id, p)
	}
	return p, ok
}

// add keeps a page, which nobody may change any more.
func (c *pageCache) add(id pageID, p cachedPage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.old != nil {
		if c.turn++; c.turn%admitted != 0 {
			return
		}
	}
	c.put(id, p)
}

func (c *pageCache) put(id pageID, p cachedPage) {
	if c.young == nil || c.size+p.size > pageCacheSize/2 {
		if c.young != nil {
			c.old = c.young
		}
		c.young, c.size = map[pageID]cachedPage{}, 0
	}
	c.young[id] = p
	c.size += p.size
}

// cachedBlock is block for somebody who reads a few rows of it. Several goroutines may use
// it.
func (s *Snapshot) cachedBlock(number uint64) (*Block, error) {
	if s.l == nil {
		return s.block(number)
	}
	c := &s.l.pages
	head, err := s.readBlockHead(number)
	if err != nil {
		return nil, err
	}
	read := func(col, page uint16) ([]byte, error) { // what it gives stays when the transaction ends
		id := pageID{number, head.generation, col, page}
		if p, ok := c.find(id); ok {
			return p.value, nil
		}
		value, err := s.pages.read(columnKey(number, head.generation, col, page), bytes.Clone)
		if err == nil {
			c.add(id, cachedPage{value: value, size: len(value) + pageOverhead})
		}
		return value, err
	}
	dir := pageID{block: number, generation: head.generation, page: placeDir}
	if p, ok := c.find(dir); ok {
		b := blockOfDir(number, p.dir, read)
		b.again = true
		return b, nil
	}
	b, err := openBlockOf(s.txn, number, head)
	if err != nil {
		return nil, err
	}
	b.page = read
	size := pageOverhead
	for i := range b.dir.cols {
		size += len(b.dir.cols[i].meta) + pageOverhead
	}
	c.add(dir, cachedPage{dir: b.dir, size: size})
	return b, nil
}
