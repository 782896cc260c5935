package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestVerifyTables flips a byte in every part of a table's blocks, and cuts. No
// flip may end the process, and each is reported.
func TestVerifyTables(t *testing.T) {
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			dir := closed(t, k)
			if err := VerifyTables(t.Context(), dir, k.key); err != nil {
				t.Fatalf("VerifyTables = %v, want no error", err)
			}
			path := filepath.Join(dir, "000002.sst")
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			for at := 0; at < int(info.Size()); at += 997 {
				bad := append([]byte(nil), good...)
				bad[at] ^= 0xff
				if err := os.WriteFile(path, bad, 0o600); err != nil {
					t.Fatal(err)
				}
				err := CheckStore(dir, Expect{Key: k.key, Clean: true})
				if err == nil {
					err = VerifyTables(t.Context(), dir, k.key)
				}
				if err == nil {
					t.Errorf("byte %d of %d flipped: no error", at, len(bad))
					continue
				}
				wantDamage(t, err, "000002.sst", "")
			}
		})
	}
}

func TestVerifyCanceled(t *testing.T) {
	dir := closed(t, kinds["plain"])
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := VerifyTables(ctx, dir, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("VerifyTables = %v, want %v", err, context.Canceled)
	}
}
