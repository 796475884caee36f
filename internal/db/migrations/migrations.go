// Package migrations holds the store's schema: one text for both engines, run in order by db.DB.Migrate. The first
// ten files are the schema of 0.1.0, one for each group of tables; later ones change it. A file is never edited once
// it is released: the store records its checksum.
package migrations

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"sync"
)

//go:embed *.sql
var files embed.FS

// Migration is one step of the schema: a file numbered from 1, never edited once released.
type Migration struct {
	Version  int
	Name     string // of its file
	Text     string
	Checksum string // SHA-256 of the text, in hex
}

// Known returns the migrations of this program, in their order.
func Known() []Migration { return known() }

var known = sync.OnceValue(func() (list []Migration) {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // embedded files can always be read
	}
	for i, file := range entries {
		text, err := files.ReadFile(file.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(text)
		list = append(list, Migration{Version: i + 1, Name: file.Name(), Text: string(text), Checksum: hex.EncodeToString(sum[:])})
	}
	return list
})

// Note is the statement that records in the store that the migration ran.
func (m Migration) Note() string {
	return fmt.Sprintf("\nINSERT INTO schema_versions (version, name, checksum) VALUES (%d, '%s', '%s');", m.Version, m.Name, m.Checksum)
}

// Unknown is an error unless this program knows the schema of that version; where names its store for the message.
func Unknown(where string, version int) error {
	if have := len(Known()); version > have {
		return fmt.Errorf("%s has the schema %d, this program knows %d: use a newer entrepot", where, version, have)
	}
	return nil
}
