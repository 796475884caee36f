package postgres

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// dump is the content of a copy's file.
type dump struct {
	tool     tool // the program that can read it
	schema   string
	rows     map[string]int64
	versions []string // the lines of schema_versions
}

// The first bytes of a file made by pg_dump, and of a SQLite file.
const (
	dumpMark   = "PGDMP"
	sqliteMark = "SQLite format 3\x00"
)

// readDump reads the whole file of a copy.
func readDump(ctx context.Context, path string, major int) (d dump, err error) {
	file, err := os.Open(path)
	if err != nil {
		return d, err
	}
	mark := make([]byte, 16)
	n, _ := io.ReadFull(file, mark)
	file.Close()
	switch {
	case strings.HasPrefix(string(mark[:n]), sqliteMark):
		return d, fmt.Errorf("%s is a copy of a SQLite store: restore it into a data folder, without --database", path)
	case !strings.HasPrefix(string(mark[:n]), dumpMark):
		return d, fmt.Errorf("%s is no copy of a PostgreSQL store", path)
	}
	tools, err := postgresTools(ctx, "pg_restore", major)
	if err != nil {
		return d, err
	}
	for _, t := range tools { // an older version may not know the file's format
		if d, err = t.read(ctx, path); err == nil {
			return d, nil
		}
	}
	return d, fmt.Errorf("reading %s: %w", path, err)
}

// read counts the rows in a copy's file, in the SQL that it would run.
func (t tool) read(ctx context.Context, path string) (dump, error) {
	d := dump{tool: t, rows: map[string]int64{}}
	in, out := io.Pipe()
	go func() { out.CloseWithError(t.run(ctx, os.Environ(), out, "--file=-", path)) }()
	lines := bufio.NewReaderSize(in, 256<<10)
	table, start := "", true
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return d, nil
		}
		whole := err == nil // otherwise the line is longer than the reader's buffer
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			in.CloseWithError(err)
			return d, err
		}
		if start {
			table = d.line(table, bytes.TrimRight(line, "\r\n"))
		}
		start = whole
	}
}

// line reads the beginning of a line of a copy's SQL and returns the table whose rows surround it, "" for none.
func (d *dump) line(table string, line []byte) string {
	switch {
	case table != "" && string(line) == `\.`:
		return ""
	case table != "":
		d.rows[table]++
		if table == "schema_versions" {
			d.versions = append(d.versions, string(line))
		}
		return table
	}
	if made := createdTable.FindSubmatch(line); made != nil {
		d.rows[unquoteIdent(string(made[2]))] += 0
		d.schema = unquoteIdent(string(made[1]))
	}
	if copied := copiedTable.FindSubmatch(line); copied != nil {
		return unquoteIdent(string(copied[2]))
	}
	return ""
}

const ident = `("(?:[^"]|"")+"|[^\s."(]+)`

var (
	createdTable = regexp.MustCompile(`^CREATE (?:UNLOGGED )?TABLE ` + ident + `\.` + ident + ` \($`)
	copiedTable  = regexp.MustCompile(`^COPY ` + ident + `\.` + ident + ` (?:\(.*)?FROM stdin;$`)
)

func unquoteIdent(name string) string {
	if strings.HasPrefix(name, `"`) {
		return strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
	}
	return name
}

func quoteIdent(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
