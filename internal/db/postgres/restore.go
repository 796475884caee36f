package postgres

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/db/migrations"
)

// RestoreDatabase restores a copy made by CopyDatabase into the PostgreSQL database at an address, which must have no
// tables, in one transaction, and compares the rows of every table with the copy's.
func RestoreDatabase(ctx context.Context, from, address string) (made Copied, err error) {
	store, err := connectToCopy(ctx, address)
	if err != nil {
		return made, err
	}
	defer store.close()
	dump, err := readDump(ctx, from, store.major)
	if err != nil {
		return made, err
	}
	if err := dump.known(from); err != nil {
		return made, err
	}
	if dump.schema != store.schema {
		return made,
			fmt.Errorf("%s is a copy of the schema %s, and the database's address leads to the schema %s: restore it where both are the same",
				from, dump.schema, store.schema)
	}
	counts, err := countRows(ctx, store.conn)
	if err != nil {
		return made, err
	}
	if len(counts) > 0 {
		return made, fmt.Errorf("the database has tables already (%s): a copy is restored into an empty database only, make one with createdb",
			shortened(slices.Sorted(maps.Keys(counts))))
	}
	err = store.run(ctx, io.Discard, dump.tool, "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges",
		"--schema="+store.schema, "--dbname="+store.address, from)
	if err != nil {
		return made, err
	}
	if counts, err = countRows(ctx, store.conn); err == nil {
		err = sameRows("the restored store", dump.rows, counts)
	}
	return Copied{Tables: len(counts), Rows: total(counts), Program: dump.tool.name()}, err
}

// known is an error unless the copy is a store with a schema that this program knows.
func (d dump) known(path string) error {
	if d.rows["schema_versions"] == 0 {
		return fmt.Errorf("%s is no copy of a store of entrepot", path)
	}
	have, newest, from := len(migrations.Known()), 0, 0
	for _, line := range d.versions {
		columns := strings.Split(line, "\t") // version, name, checksum, compatible_from
		version, err := strconv.Atoi(columns[0])
		if err != nil {
			return fmt.Errorf("%s has a schema that cannot be read: %w", path, err)
		}
		if newest = max(newest, version); version > have {
			since, err := strconv.Atoi(columns[len(columns)-1])
			if err != nil {
				since = version // NULL
			}
			from = max(from, since)
		}
	}
	return migrations.Unknown(path, have, newest, from)
}

// ReadCopy reads the whole file of a copy made by CopyDatabase with pg_restore, without a database, and counts its
// rows. Errors: the file is damaged; it is no store with a schema that this program can use.
func ReadCopy(ctx context.Context, path string) (read Copied, err error) {
	dump, err := readDump(ctx, path, 0)
	if err == nil {
		err = dump.known(path)
	}
	return Copied{Tables: len(dump.rows), Rows: total(dump.rows), Program: dump.tool.name()}, err
}
