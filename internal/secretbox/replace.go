package secretbox

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
)

// nextName is the file of a master key that is about to replace the one in FileName.
const nextName = FileName + ".new"

// MakeNext gives the master key that is to replace the folder's, from its own file; it makes one when there is none. A file that is there
// is from a replacement that was broken off.
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

// UseNext puts the next master key into the place of the folder's, which stays beside it under the name that it returns: backups of before
// need it. At no moment is there no key.
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
