//go:build powercut

package db

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// A powerDisk is a disk that remembers in which order it was written and flushed. It
// is the file "disk" of a FUSE file system; under a loop device it carries any other
// one. What is written to "ack" beside it takes its place in the same order.
//
// The file system has no cache that writes back, and "ack" none at all: a write is in
// the log before the writer is told that it happened. So all that a file system had
// reason to believe durable at some place of the log stands before the last flush
// before that place.
type powerDisk struct {
	fs.Inode
	image *os.File // as it is now

	mu      sync.Mutex
	log     *os.File // the data of all records
	end     int64    // of log
	records []record // guarded by mu while the file system is mounted
}

// diskSize leaves what a ledger wants to be free, and is enough for XFS.
const diskSize = 640 << 20

type record struct {
	op  recordOp
	at  int64 // on the disk
	log int64 // where its data are
	n   int
}

type recordOp byte

const (
	opWrite recordOp = iota
	opFlush
	opAck
)

// newDisk makes a disk of zeros, with its files in dir.
func newDisk(t *testing.T, dir string) *powerDisk {
	t.Helper()
	d := &powerDisk{image: createFile(t, filepath.Join(dir, "image")), log: createFile(t, filepath.Join(dir, "log"))}
	if err := d.image.Truncate(diskSize); err != nil {
		t.Fatal(err)
	}
	return d
}

// mount mounts the disk until the test ends.
func (d *powerDisk) mount(t *testing.T, mnt string) {
	t.Helper()
	if err := os.Mkdir(mnt, 0o700); err != nil {
		t.Fatal(err)
	}
	server, err := fs.Mount(mnt, &powerRoot{disk: d}, &fs.Options{MountOptions: fuse.MountOptions{
		DirectMountStrict: true, MaxWrite: 1 << 20, FsName: "powercut", Name: "powercut",
	}})
	if err != nil {
		t.Skip("FUSE cannot be mounted: ", err)
	}
	t.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			t.Errorf("unmount %s: %v", mnt, err)
			syscall.Unmount(mnt, syscall.MNT_DETACH)
		}
	})
}

func createFile(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func (d *powerDisk) note(op recordOp, at int64, data []byte) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.log.WriteAt(data, d.end); err != nil {
		return syscall.EIO
	}
	d.records = append(d.records, record{op, at, d.end, len(data)})
	d.end += int64(len(data))
	return 0
}

func (d *powerDisk) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Size = syscall.S_IFREG|0o600, diskSize
	return 0
}

// Setattr takes times and modes, and changes nothing.
func (d *powerDisk) Setattr(ctx context.Context, f fs.FileHandle, _ *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return d.Getattr(ctx, f, out)
}

func (d *powerDisk) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, 0, 0
}

func (d *powerDisk) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	n, err := d.image.ReadAt(dest, off)
	if err != nil && err != io.EOF {
		return nil, syscall.EIO
	}
	return fuse.ReadResultData(dest[:n]), 0
}

func (d *powerDisk) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	if _, err := d.image.WriteAt(data, off); err != nil {
		return 0, syscall.EIO
	}
	return uint32(len(data)), d.note(opWrite, off, data)
}

func (d *powerDisk) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	return d.note(opFlush, 0, nil)
}

// Allocate refuses, so that zeros are written as such.
func (d *powerDisk) Allocate(context.Context, fs.FileHandle, uint64, uint64, uint32) syscall.Errno {
	return syscall.EOPNOTSUPP
}

// A powerAck is the file "ack".
type powerAck struct {
	fs.Inode
	disk *powerDisk
}

func (a *powerAck) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

func (a *powerAck) Write(_ context.Context, _ fs.FileHandle, data []byte, _ int64) (uint32, syscall.Errno) {
	return uint32(len(data)), a.disk.note(opAck, 0, data)
}

// A powerRoot is the folder of both.
type powerRoot struct {
	fs.Inode
	disk *powerDisk
}

func (r *powerRoot) OnAdd(ctx context.Context) {
	file := fs.StableAttr{Mode: syscall.S_IFREG}
	r.AddChild("disk", r.NewPersistentInode(ctx, r.disk, file), false)
	r.AddChild("ack", r.NewPersistentInode(ctx, &powerAck{disk: r.disk}, file), false)
}

// A cut is where the power fails: before record at, with what of the writes since the
// last flush on the disk.
type cut struct {
	at   int
	kept kept
	seed uint64
	near string // what is there
}

// kept says which writes that were not flushed reach the disk.
type kept int

const (
	keptNone    kept = iota
	keptPages        // each page of 4 KiB by chance
	keptSectors      // each sector of 512 bytes by chance
	keptAll
	keptKinds
)

func (k kept) String() string {
	return [...]string{"none", "half of the pages", "half of the sectors", "all"}[k]
}

// A replay makes the images that cuts leave, from one cut to the next later one.
type replay struct {
	disk  *powerDisk
	base  *os.File // what was flushed before the last cut
	next  int      // the first record that is not in base
	acked bytes.Buffer
	asked int // the first record that is not looked at for acked
	buf   []byte
}

// image makes what a cut leaves of the disk, and notes in acked what it must hold.
func (r *replay) image(c cut, path string) error {
	flushed := r.next
	for i := r.asked; i < c.at; i++ {
		switch x := r.disk.records[i]; x.op {
		case opFlush:
			flushed = i
		case opAck:
			data, err := r.data(x)
			if err != nil {
				return err
			}
			r.acked.Write(data)
		}
	}
	r.asked = c.at
	all := func(int64) bool { return true }
	for ; r.next < flushed; r.next++ {
		if err := r.write(r.base, r.disk.records[r.next], 1<<20, all); err != nil {
			return err
		}
	}
	if out, err := exec.Command("cp", "--sparse=always", r.base.Name(), path).CombinedOutput(); err != nil {
		return fmt.Errorf("cp: %w: %s", err, out)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	rng := rand.New(rand.NewPCG(c.seed, 1))
	unit, keep := int64(1<<20), all
	switch c.kept {
	case keptNone:
		return nil
	case keptPages:
		unit, keep = 4096, func(int64) bool { return rng.IntN(2) == 0 }
	case keptSectors:
		unit, keep = 512, func(int64) bool { return rng.IntN(2) == 0 }
	}
	for i := r.next; i < c.at; i++ {
		if err := r.write(f, r.disk.records[i], unit, keep); err != nil {
			return err
		}
	}
	return nil
}

// write repeats a write, in units of which some are left out.
func (r *replay) write(f *os.File, x record, unit int64, keep func(at int64) bool) error {
	if x.op != opWrite {
		return nil
	}
	data, err := r.data(x)
	if err != nil {
		return err
	}
	for at := x.at; len(data) > 0; {
		n := min(int64(len(data)), unit-at%unit)
		if keep(at) {
			if _, err := f.WriteAt(data[:n], at); err != nil {
				return err
			}
		}
		data, at = data[n:], at+n
	}
	return nil
}

// data returns the data of a record, valid until the next call.
func (r *replay) data(x record) ([]byte, error) {
	if cap(r.buf) < x.n {
		r.buf = make([]byte, x.n)
	}
	_, err := r.disk.log.ReadAt(r.buf[:x.n], x.log)
	return r.buf[:x.n], err
}

// attach makes a loop device of a file until the test ends, or detach is called.
func attach(t *testing.T, path string) (device string, detach func()) {
	t.Helper()
	device, err := tool("losetup", "--find", "--show", path)
	if err != nil {
		t.Fatal(err)
	}
	return device, once(t, func() error { _, err := tool("losetup", "--detach", device); return err })
}

// mount mounts a device until the test ends, or unmount is called.
func mount(t *testing.T, kind, device, at string) (unmount func(), err error) {
	t.Helper()
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := tool("mount", "-t", kind, device, at); err != nil {
		return nil, err
	}
	return once(t, func() error { return unmountPath(at) }), nil
}

// unmountPath waits a little for a process that has just ended.
func unmountPath(at string) (err error) {
	for range 50 {
		if err = syscall.Unmount(at, 0); err != syscall.EBUSY {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	syscall.Unmount(at, syscall.MNT_DETACH)
	return fmt.Errorf("unmount %s: %w", at, err)
}

// once returns a function that does undo, which the end of the test does otherwise.
func once(t *testing.T, undo func() error) func() {
	var o sync.Once
	do := func() {
		o.Do(func() {
			if err := undo(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(do)
	return do
}

// tool runs a program and returns what it printed.
func tool(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// makeFS makes a file system on a device and writes all of it at once, nothing later.
func makeFS(kind, device string) error {
	args := map[string][]string{
		"ext4": {"-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"},
		"xfs":  {"-q", "-f", "-K"},
	}
	_, err := tool("mkfs."+kind, append(args[kind], device)...)
	return err
}

// needsDisks skips the test where it may not make and mount disks.
func needsDisks(t *testing.T) {
	t.Helper()
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no FUSE: ", err)
	}
	f.Close()
	dir := t.TempDir()
	path := filepath.Join(dir, "probe")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 16<<20); err != nil {
		t.Fatal(err)
	}
	device, err := tool("losetup", "--find", "--show", path)
	if err != nil {
		t.Skip("no loop device: ", err)
	}
	defer tool("losetup", "--detach", device)
	if err := makeFS("ext4", device); err != nil {
		t.Skip("no file system: ", err)
	}
	mnt := filepath.Join(dir, "mnt")
	if err := os.Mkdir(mnt, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := tool("mount", "-t", "ext4", device, mnt); err != nil {
		t.Skip("no mount: ", err)
	}
	if err := unmountPath(mnt); err != nil {
		t.Fatal(err)
	}
}
