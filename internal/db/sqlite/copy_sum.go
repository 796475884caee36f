package sqlite

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// A copy ends with a line that has the SHA-256 of all bytes before it. SQLite reads only whole pages, so the copy is
// a SQLite file all the same. A copy without the line, made by an earlier version or by other means, has whole pages
// only, which distinguishes it from a copy whose line is damaged.
const sumLine = "\nentrepot copy, SHA-256 %s\n"

// sumSize is the length of the line.
var sumSize = int64(len(fmt.Sprintf(sumLine, hex.EncodeToString(make([]byte, sha256.Size)))))

// magic are the first bytes of a SQLite file.
const magic = "SQLite format 3\x00"

// pageSize is a unit of every SQLite file's length.
const pageSize = 512

// SumOf is the SHA-256 that a copy has, "" without one. It is an error if its bytes have another one.
func SumOf(path string) (sum string, err error) {
	_, sum, err = checkSum(path)
	return sum, err
}

// addSum appends the line to a file.
func addSum(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, sumLine, hex.EncodeToString(sum.Sum(nil)))
	return err
}

// checkSum returns the length of the SQLite file in a copy, and the SHA-256 that the copy has, "" without one. It is
// an error if the bytes have another one.
func checkSum(path string) (length int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, "", err
	}
	first := make([]byte, len(magic))
	if _, err := io.ReadFull(f, first); err != nil || string(first) != magic || info.Size()%pageSize == 0 {
		return info.Size(), "", nil // SQLite says what is wrong with a file that is none of its own
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, "", err
	}
	length = max(0, info.Size()-sumSize)
	hashed := sha256.New()
	if _, err := io.CopyN(hashed, f, length); err != nil {
		return 0, "", err
	}
	line, err := io.ReadAll(f)
	if err != nil {
		return 0, "", err
	}
	sum = hex.EncodeToString(hashed.Sum(nil))
	if !bytes.Equal(line, fmt.Appendf(nil, sumLine, sum)) {
		return 0, "", fmt.Errorf("%s is damaged, or was not copied whole", path)
	}
	return length, sum, nil
}
