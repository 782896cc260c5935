package db

import (
	"io/fs"
	"path/filepath"
)

// diskUse returns how many bytes the files of a folder hold, by kind.
func diskUse(dir string) (map[string]int64, error) {
	use := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		kind := "other"
		switch {
		case filepath.Ext(path) == ".sst":
			kind = "tables"
		case filepath.Ext(path) == ".mem" || filepath.Ext(path) == ".vlog":
			kind = "logs"
		case d.Name() == "heads":
			kind = "heads"
		}
		use[kind] += allocated(info)
		return nil
	})
	return use, err
}
