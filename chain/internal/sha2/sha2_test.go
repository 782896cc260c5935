package sha2

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"
)

// check compares the sums of a batch with those of the standard library.
func check(t *testing.T, messages [][]byte) {
	t.Helper()
	var b Batch
	for range 2 { // the second time in memory that was used
		b.Reset()
		for i, m := range messages {
			var got int
			if i%3 == 0 {
				got = b.Close(append(b.Open(), m...))
			} else {
				var text []byte
				text, got = b.Message(len(m))
				copy(text, m)
			}
			if got != i {
				t.Fatalf("message %d has place %d", i, got)
			}
		}
		b.Flush()
		for i, m := range messages {
			if want := sha256.Sum256(m); b.Sums[i] != want {
				t.Fatalf("message %d of %d, %d bytes: sum %x, want %x", i, len(messages), len(m), b.Sums[i], want)
			}
		}
	}
}

func TestEverySize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, maxBlocks*blockSize+3*blockSize)
	for i := range text {
		text[i] = byte(r.Uint32())
	}
	var all [][]byte
	for n := range len(text) {
		check(t, [][]byte{text[:n]})
		check(t, [][]byte{text[:n], text[len(text)-n:]})
		all = append(all, text[:n])
	}
	check(t, all)
}

func FuzzBatch(f *testing.F) {
	f.Add([]byte("two messages, one of them short"), uint16(3), uint16(9))
	f.Add(make([]byte, 300), uint16(55), uint16(56))
	f.Add(make([]byte, 300), uint16(64), uint16(128))
	f.Fuzz(func(t *testing.T, text []byte, a, b uint16) {
		i, j := min(int(a), len(text)), min(int(b), len(text))
		i, j = min(i, j), max(i, j)
		check(t, [][]byte{text[:i], text[i:j], text[j:], text[:j], text[i:]})
	})
}

func BenchmarkBatch(b *testing.B) {
	for _, size := range []int{41, 200, 420} {
		text := make([]byte, size)
		b.Run(fmt.Sprintf("pairs/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			var h Batch
			for i := range b.N {
				m, _ := h.Message(size)
				copy(m, text)
				if i%64 == 63 {
					h.Flush()
					h.Reset()
				}
			}
		})
		b.Run(fmt.Sprintf("one/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for range b.N {
				sha256.Sum256(text)
			}
		})
	}
}
