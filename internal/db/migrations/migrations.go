// Package migrations holds the store's schema: one text for both engines, run in order by db.DB.Migrate. The first
// ten files are the schema of 0.1.0, one for each group of tables; later ones change it. A file is never edited once
// it is released: the store records its checksum.
//
// Two lines of a file declare what its migration asks of programs and administrators (decision 18):
//
//	-- compatible-from: 14    programs of the schema 14 and newer keep serving the store; without the line, those of
//	                          the release before
//	-- rewrites: orders       PostgreSQL writes these tables anew or keeps writers out of them while it reads them, and
//	                          so asks for a backup first
package migrations

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

//go:embed *.sql
var files embed.FS

// releases are the schemas that programs have served stores with, oldest first: the first one, and 0.1.0. Each release adds its own.
var releases = []int{First, 21}

// First is the first schema of a store in use: with less a store is still being made, and holds nothing.
const First = 10

// compatibleColumn is the migration that gives schema_versions its column compatible_from.
const compatibleColumn = "0012_backups.sql"

// Migration is one step of the schema: a file numbered from 1, never edited once released.
type Migration struct {
	Version  int
	Name     string // of its file
	Text     string
	Checksum string // SHA-256 of the text, in hex

	CompatibleFrom int    // the oldest schema whose programs keep serving a store with this migration
	Rewrites       string // the tables that PostgreSQL writes anew or locks for long, separated by ", "; "" for none
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
		list = append(list, New(i+1, file.Name(), string(text)))
	}
	return list
})

var (
	compatibleLine = regexp.MustCompile(`(?m)^-- compatible-from: (\d+)$`)
	rewritesLine   = regexp.MustCompile(`(?m)^-- rewrites: (.+)$`)
)

// New is the migration of a file's text with what the text declares.
func New(version int, name, text string) Migration {
	sum := sha256.Sum256([]byte(text))
	m := Migration{Version: version, Name: name, Text: text, Checksum: hex.EncodeToString(sum[:])}
	for _, release := range releases {
		if release < version {
			m.CompatibleFrom = release
		}
	}
	if line := compatibleLine.FindStringSubmatch(text); line != nil {
		m.CompatibleFrom, _ = strconv.Atoi(line[1]) // digits
	}
	if line := rewritesLine.FindStringSubmatch(text); line != nil {
		m.Rewrites = strings.TrimSpace(line[1])
	}
	return m
}

// Note is the statement that records in the store that the migration ran.
func (m Migration) Note() string {
	if m.Name < compatibleColumn { // names begin with the number
		return fmt.Sprintf("\nINSERT INTO schema_versions (version, name, checksum) VALUES (%d, '%s', '%s');", m.Version, m.Name, m.Checksum)
	}
	return fmt.Sprintf("\nINSERT INTO schema_versions (version, name, checksum, compatible_from) VALUES (%d, '%s', '%s', %d);",
		m.Version, m.Name, m.Checksum, m.CompatibleFrom)
}

// Unknown is an error unless a program with a number of migrations can use a schema: it has all of its migrations, or
// none of those that it lacks ends the compatibility with it. from is the greatest CompatibleFrom of the schema, 0 if
// it is not recorded; where names the store for the message.
func Unknown(where string, have, version, from int) error {
	if version <= have || from > 0 && from <= have {
		return nil
	}
	return fmt.Errorf("%s has the schema %d, this program knows %d: use a newer entrepot, or restore a backup of the earlier schema",
		where, version, have)
}
