package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolledger/capture"
	"toolledger/query"
)

// An importFile is a file that is to be imported.
type importFile struct {
	name    string // as it was given, or found
	session string // for calls that name none
	walked  bool   // it was found in a folder
	begun   bool   // it is of an agent that another began
}

func (f importFile) shown() string { return query.Visible(f.name) }

// importFiles lists files, those in folders too, and tells before a ledger is made if one cannot
// be opened. Those of sub-agents come last, since the file of the agent that called has what links them; in a
// folder, files come before the folders beside them.
func importFiles(std stdio, names []string) (files []importFile, err error) {
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if files, err = walk(files, name, name); err != nil {
				return nil, err
			}
			continue
		}
		begun := false
		if name != "-" {
			if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() {
				in, err := open(std, name)
				if err != nil {
					return nil, err
				}
				begun = len(names) > 1 && capture.IsBegun(in.File)
				in.Close()
			}
		}
		files = append(files, importFile{name: name, session: bareName(filepath.Base(name)), begun: begun})
	}
	slices.SortStableFunc(files, func(a, b importFile) int {
		switch {
		case a.begun == b.begun:
			return 0
		case a.begun:
			return 1
		}
		return -1
	})
	return files, nil
}

// walk adds the regular files of a folder below root, and of those in it. Links are not followed.
func walk(files []importFile, root, folder string) ([]importFile, error) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("cannot read the folder %s: %w", folder, cause(err))
	}
	slices.SortStableFunc(list, func(a, b fs.DirEntry) int {
		switch {
		case a.IsDir() == b.IsDir():
			return strings.Compare(a.Name(), b.Name())
		case a.IsDir():
			return 1
		}
		return -1
	})
	for _, e := range list {
		name := filepath.Join(folder, e.Name())
		switch {
		case e.IsDir():
			if files, err = walk(files, root, name); err != nil {
				return nil, err
			}
		case e.Type().IsRegular():
			below, err := filepath.Rel(root, name)
			if err != nil {
				return nil, err
			}
			f := importFile{name: name, session: bareName(filepath.ToSlash(below)), walked: true}
			if in, err := os.Open(name); err == nil { // what cannot be opened is told of when its turn comes
				f.begun = capture.IsBegun(in)
				in.Close()
			}
			files = append(files, f)
		}
	}
	return files, nil
}

// bareName returns a name without its endings.
func bareName(name string) string {
	for _, ending := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, ending)
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// A seekable is an input that can be read again: a file, or what a pipe gave or a packed file
// holds, which is kept in a temporary file.
type seekable struct {
	*os.File
	temp bool
}

// size returns how many bytes there are, 0 if that is not known.
func (s *seekable) size() int64 {
	info, err := s.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

func (s *seekable) close() {
	if s.temp {
		closeTemp(s.File)
		return
	}
	s.Close()
}

// open opens a file to be read from where it stands.
func (f importFile) open(std stdio) (*seekable, error) {
	in, err := open(std, f.name)
	if err != nil {
		return nil, err
	}
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		temp, err := spool(in)
		in.Close()
		if err != nil {
			return nil, err
		}
		in = &input{temp.File, in.name}
		if packed, err := unpacked(in); packed != nil || err != nil {
			temp.close()
			return packed, err
		}
		return temp, nil
	}
	packed, err := unpacked(in)
	if packed != nil || err != nil {
		in.Close()
		return packed, err
	}
	return &seekable{in.File, false}, nil
}

// spool keeps what a reader gives in a temporary file.
func spool(r io.Reader) (*seekable, error) {
	temp, err := tempFile()
	if err != nil {
		return nil, err
	}
	s := &seekable{temp, true}
	if _, err := io.Copy(temp, r); err != nil {
		s.close()
		return nil, err
	}
	if _, err := temp.Seek(0, io.SeekStart); err != nil {
		s.close()
		return nil, tempError(err)
	}
	return s, nil
}

// unpacked returns what a packed file holds, nil if it is not packed.
func unpacked(in *input) (*seekable, error) {
	r, err := capture.Unpack(in.File)
	if r == nil || err != nil {
		return nil, err
	}
	s, err := spool(r)
	if err != nil {
		return nil, fmt.Errorf("cannot unpack %s: %w", in.name, err)
	}
	return s, nil
}
