package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// state is the file by which an import can be continued. It is replaced as a whole after each confirmed chunk, so that
// a crash at any moment leaves either the old or the new state.
type state struct {
	Version     int    `json:"version"`
	Kind        Kind   `json:"kind"`
	File        string `json:"file"`
	SHA256      string `json:"sha256"`  // of the file: another file must not be continued
	Options     string `json:"options"` // a hash of what decides how rows become items
	NextRow     int    `json:"nextRow"` // every row before it is settled
	NextItem    int    `json:"nextItem"`
	Prepared    bool   `json:"prepared"`    // categories and missing products are stored
	ReportBytes int64  `json:"reportBytes"` // length of the report that goes with this state
	Done        bool   `json:"done"`
	Rows        int    `json:"rows"` // of the whole file, once done
	BlankRows   int    `json:"blankRows"`
	Counts      Counts `json:"counts"`
}

const stateVersion = 1

// loadState reads a state that matches the file and the options. found is false if there is none.
func loadState(path string, want state) (have state, found bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return want, false, nil
	}
	if err != nil {
		return want, false, wrongCall("the state file cannot be read: %v", err)
	}
	have, err = readState(text, path, want)
	return have, true, err
}

// readState reads a state that fits the file and the options; name says where it was stored.
func readState(text []byte, name string, want state) (have state, err error) {
	if err := json.Unmarshal(text, &have); err != nil || have.Version != stateVersion {
		return want, wrongCall("%s is no state file of an import; give another --state", name)
	}
	switch {
	case have.Kind != want.Kind:
		return want, wrongCall("%s belongs to an import of %s", name, have.Kind)
	case have.SHA256 != want.SHA256:
		return want, wrongCall("%s belongs to another file, or %s has changed since (state %.12s…, file %.12s…); import anew with "+
			"another --state", name, want.File, have.SHA256, want.SHA256)
	case have.Options != want.Options:
		return want, wrongCall("%s was begun with other options (mapping, format, encoding …); use the same, or import anew with "+
			"another --state", name)
	}
	return have, nil
}

// ReadProgress is the content of a Keeper's progress: the counts, and how many rows of the file are settled. It is zero
// before the first Save.
func ReadProgress(progress []byte) (counts Counts, settled int, err error) {
	if len(progress) == 0 {
		return Counts{}, 0, nil
	}
	var s state
	err = json.Unmarshal(progress, &s)
	if s.Done {
		return s.Counts, s.Rows, err
	}
	return s.Counts, max(0, s.NextRow-1), err
}

// save replaces the state file.
func (s state) save(path string) (err error) {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing the state: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing the state: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
