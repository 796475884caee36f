package secretbox

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"entrepot/internal/base/disk"
)

// FileName is the master key's file in the data folder (interface §10).
const FileName = "master.key"

// ErrEmptyFile means that the key file exists and is empty: the start that should have written it was interrupted.
var ErrEmptyFile = errors.New("the file is empty")

// ReadFile reads the folder's master key. Errors: os.ErrNotExist when there is no file, ErrEmptyFile when it is empty,
// and messages for people when other users can read it or when it has no key.
func ReadFile(dir string) (Key, error) { return readFile(filepath.Join(dir, FileName)) }

func readFile(path string) (Key, error) {
	file, err := os.Open(path)
	if err != nil {
		return Key{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Key{}, err
	}
	text, err := io.ReadAll(io.LimitReader(file, 4096))
	switch {
	case err != nil:
		return Key{}, err
	case holdsNothing(text):
		return Key{}, fmt.Errorf("%s: %w", path, ErrEmptyFile)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return Key{}, fmt.Errorf("%s can be read by other users of this machine (mode %04o): chmod 600 %s", path, info.Mode().Perm(), path)
	}
	key, err := Parse(string(text))
	if err != nil {
		return key, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// holdsNothing is true for what a crash leaves of a file that was being written: no bytes, or zeros.
func holdsNothing(text []byte) bool { return strings.Trim(string(text), "\x00\r\n\t ") == "" }

// MakeFile generates a master key and stores its file in the folder; the file is complete and on the disk before it
// gets its name. An empty file is replaced, any other stays, and the result is its key. made reports whether the key
// is new.
func MakeFile(dir string) (key Key, made bool, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return key, false, err
	}
	path := filepath.Join(dir, FileName)
	key, err = ReadFile(dir)
	put := putWithoutOverwriting
	switch {
	case err == nil:
		return key, false, nil
	case errors.Is(err, ErrEmptyFile):
		put = replaceEmpty
	case !errors.Is(err, os.ErrNotExist):
		return key, false, err
	}
	raw := make([]byte, 32)
	rand.Read(raw)
	part, err := writeAside(dir, base64.StdEncoding.EncodeToString(raw)+"\n")
	if err != nil {
		return key, false, err
	}
	defer os.Remove(part)
	if err := put(part, path); errors.Is(err, os.ErrExist) { // another process was first
		key, err = ReadFile(dir)
		return key, false, err
	} else if err != nil {
		return key, false, err
	}
	return fromRaw(raw), true, syncFolder(dir)
}

// writeAside writes a file under a temporary name and returns that name when the disk holds it.
func writeAside(dir, text string) (path string, err error) {
	part, err := os.CreateTemp(dir, FileName+".part-*") // mode 600
	if err != nil {
		return "", err
	}
	_, err = part.WriteString(text)
	if err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err != nil {
		os.Remove(part.Name())
		return "", err
	}
	return part.Name(), nil
}

// putWithoutOverwriting gives a file its final name. Errors: os.ErrExist when the name is taken.
func putWithoutOverwriting(part, path string) error {
	err := os.Link(part, path)
	if err == nil || errors.Is(err, os.ErrExist) {
		return err
	}
	if _, there := os.Lstat(path); there == nil { // a file system without hard links
		return os.ErrExist
	}
	return os.Rename(part, path)
}

// replaceEmpty replaces an empty file. Errors: os.ErrExist when another process did so first. The lock of the empty
// file prevents two processes from replacing each other's key.
func replaceEmpty(part, path string) error {
	empty, err := os.Open(path)
	if err != nil {
		return err
	}
	defer empty.Close()
	if err := disk.Lock(empty); err != nil {
		return err
	}
	held, err := empty.Stat()
	if err != nil {
		return err
	}
	if now, err := os.Stat(path); err != nil {
		return err
	} else if !os.SameFile(held, now) {
		return os.ErrExist
	}
	if text, err := os.ReadFile(path); err != nil {
		return err
	} else if !holdsNothing(text) {
		return os.ErrExist
	}
	return os.Rename(part, path)
}

// syncFolder makes a new file name in a folder survive a power cut, if the system can.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
