package sqlite

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Files reads the store's file and its write-ahead log. The file stays open until the store is closed, because closing
// it would release the locks that this process's connections hold on it.
func (e *Engine) Files(_ context.Context, each func(name string, content io.Reader) error) ([]string, error) {
	e.rawOnce.Do(func() { e.raw, e.rawErr = os.Open(filepath.Join(e.dir, File)) })
	if e.rawErr != nil {
		return nil, e.rawErr
	}
	if err := each(File, io.NewSectionReader(e.raw, 0, 1<<62)); err != nil {
		return nil, err
	}
	log, err := os.ReadFile(filepath.Join(e.dir, File+"-wal"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, each(File+"-wal", bytes.NewReader(log))
}
