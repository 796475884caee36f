package secretbox

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
)

// nextName is the file of a master key that will replace the one in FileName.
const nextName = FileName + ".new"

// MakeNext returns the master key that will replace the folder's, from its own file; if there is none, it generates
// one. An existing file is from a replacement that was interrupted.
func MakeNext(dir string) (Key, error) {
	path := filepath.Join(dir, nextName)
	key, err := readFile(path)
	if err == nil || !errors.Is(err, os.ErrNotExist) && !errors.Is(err, ErrEmptyFile) {
		return key, err
	}
	raw := make([]byte, 32)
	rand.Read(raw)
	part, err := writeAside(dir, base64.StdEncoding.EncodeToString(raw)+"\n")
	if err != nil {
		return key, err
	}
	if err := os.Rename(part, path); err != nil {
		os.Remove(part)
		return key, err
	}
	return fromRaw(raw), syncFolder(dir)
}

// UseNext makes the next master key the folder's. The former key's file stays under the returned name, because older
// backups need it. There is a key at every moment.
func UseNext(dir string, former Key) (kept string, err error) {
	path := filepath.Join(dir, FileName)
	kept = path + "." + former.ID()
	if err := os.Link(path, kept); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	if err := os.Rename(filepath.Join(dir, nextName), path); err != nil {
		return "", err
	}
	return kept, syncFolder(dir)
}
