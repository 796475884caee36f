package postgres

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/engine"
)

// Hold locks tables and checks that they are empty.
func (s *session) Hold(tables []string) error {
	for _, table := range tables {
		if _, err := s.Exec("LOCK TABLE "+quoteIdent(table)+" IN ACCESS EXCLUSIVE MODE", nil); err != nil {
			return err
		}
		var some bool
		if err := s.conn.QueryRow(s.ctx, "SELECT EXISTS (SELECT 1 FROM "+quoteIdent(table)+")").Scan(&some); err != nil {
			return err
		}
		if some {
			return fmt.Errorf("%w: there are rows in %s", engine.ErrNotEmpty, table)
		}
	}
	return nil
}

// whileLoading are the settings of a transaction that loads: an index is sorted in memory where the server's own
// setting would not allow it, and the planner's statistics are sampled as keepStatistics does.
const whileLoading = `SELECT set_config('maintenance_work_mem', '256MB', true)
	WHERE pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes('256MB')
	UNION ALL SELECT set_config('default_statistics_target', '10', true)`

// dropAndRestore are statements that drop what makes each row of a table expensive, and those that restore it: keys
// and indexes, which are sorted at once when all rows are there, and row-level security, with which COPY is refused.
const dropAndRestore = `SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', k.relname, c.conname),
		format('ALTER TABLE %I ADD CONSTRAINT %I %s', k.relname, c.conname, pg_get_constraintdef(c.oid))
	FROM pg_constraint c JOIN pg_class k ON k.oid = c.conrelid WHERE k.oid = to_regclass($1) AND c.contype IN ('p', 'u')
	UNION ALL SELECT format('DROP INDEX %I', k.relname), pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class k ON k.oid = i.indexrelid
	WHERE i.indrelid = to_regclass($1) AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid)
	UNION ALL SELECT format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', relname), format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', relname)
	FROM pg_class WHERE oid = to_regclass($1) AND relforcerowsecurity`

// Load copies rows into a table and makes its keys and indexes afterwards. Since this transaction empties the table,
// its rows are marked as old when they are written (FREEZE), and no later reader has to mark them. Writing row by
// row, into tables with all their indexes, takes at least thirty times as long.
func (s *session) Load(table string, columns, types []string, each func(row func(engine.Rows) error) error) (rows int64, err error) {
	encoder, err := newCopyEncoder(types)
	if err != nil {
		return 0, err
	}
	found, err := s.conn.Query(s.ctx, dropAndRestore, table)
	if err != nil {
		return 0, err
	}
	type aside struct{ Off, Back string }
	list, err := pgx.CollectRows(found, pgx.RowToStructByPos[aside])
	if err != nil {
		return 0, err
	}
	before, after := []string{"TRUNCATE " + quoteIdent(table)}, []string{whileLoading}
	for _, a := range list {
		before, after = append(before, a.Off), append(after, a.Back)
	}
	if err := s.script(before); err != nil {
		return 0, err
	}
	from, to := io.Pipe()
	encoder.to = to
	ended := make(chan error, 1)
	go func() {
		err := encoder.run(each)
		to.CloseWithError(err)
		ended <- err
	}()
	names := make([]string, len(columns))
	for i, name := range columns {
		names[i] = quoteIdent(name)
	}
	tag, err := s.conn.PgConn().CopyFrom(s.ctx, from,
		"COPY "+quoteIdent(table)+" ("+strings.Join(names, ", ")+") FROM STDIN (FORMAT binary, FREEZE)")
	from.CloseWithError(errLoadingEnded)
	if failed := <-ended; failed != nil && !errors.Is(failed, errLoadingEnded) { // the error that made the server fail
		err = failed
	}
	if err == nil && tag.RowsAffected() != encoder.rows {
		err = fmt.Errorf("%d rows were read and %d are there", encoder.rows, tag.RowsAffected())
	}
	if err != nil {
		return 0, err
	}
	return encoder.rows, s.script(append(after, "ANALYZE "+quoteIdent(table)))
}

var errLoadingEnded = errors.New("the server takes no more rows")

// script runs statements without arguments, one after the other.
func (s *session) script(statements []string) error {
	for _, sql := range statements {
		if _, err := s.conn.Exec(s.ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("%w in %s", err, engine.Head(sql))
		}
	}
	return nil
}

// copyEncoder writes rows in the binary format of COPY: a row is the number of its columns and its values, a value is
// its length and its bytes.
type copyEncoder struct {
	to     io.Writer
	data   []byte // not written yet
	places []any  // each appends its column to data when a row is scanned into it
	number int64  // the last one read
	rows   int64
}

// copyChunk is how much is written at once.
const copyChunk = 64 << 10

// copyHead is the header of a COPY in the binary format: a mark, flags, the length of an extension.
const copyHead = "PGCOPY\n\xff\r\n\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"

func newCopyEncoder(types []string) (*copyEncoder, error) {
	e := &copyEncoder{data: append(make([]byte, 0, 2*copyChunk), copyHead...)}
	for _, of := range types {
		value, known := copyValues[of]
		if !known {
			return nil, fmt.Errorf("a column of type %s cannot be loaded", of)
		}
		e.places = append(e.places, copyTarget{e, value})
	}
	return e, nil
}

// run writes all rows.
func (e *copyEncoder) run(each func(row func(engine.Rows) error) error) error {
	if err := each(e.row); err != nil {
		return err
	}
	e.data = append(e.data, 0xff, 0xff) // the end
	_, err := e.to.Write(e.data)
	return err
}

func (e *copyEncoder) row(r engine.Rows) error {
	e.data = binary.BigEndian.AppendUint16(e.data, uint16(len(e.places)))
	if err := r.Scan(e.places...); err != nil {
		return err
	}
	e.rows++
	if len(e.data) < copyChunk {
		return nil
	}
	_, err := e.to.Write(e.data)
	e.data = e.data[:0]
	return err
}

// copyTarget appends a column to the encoder's data.
type copyTarget struct {
	*copyEncoder
	value func(e *copyEncoder, row engine.Column, i int) error
}

// FromColumn appends the length of a value and the value.
func (p copyTarget) FromColumn(row engine.Column, i int) error {
	if row.Null(i) {
		p.data = append(p.data, 0xff, 0xff, 0xff, 0xff)
		return nil
	}
	at := len(p.data)
	p.data = append(p.data, 0, 0, 0, 0)
	err := p.value(p.copyEncoder, row, i)
	binary.BigEndian.PutUint32(p.data[at:], uint32(len(p.data)-at-4))
	return err
}

// copyValues append a value that is not NULL, by its column's type.
var copyValues = map[string]func(e *copyEncoder, row engine.Column, i int) error{
	"bigint": (*copyEncoder).appendNumber, "boolean": (*copyEncoder).appendBoolean, "uuid": (*copyEncoder).appendUUID,
	"text": (*copyEncoder).appendBytes, "bytea": (*copyEncoder).appendBytes,
}

func (e *copyEncoder) appendNumber(row engine.Column, i int) error {
	err := row.Column(i, &e.number)
	e.data = binary.BigEndian.AppendUint64(e.data, uint64(e.number))
	return err
}

func (e *copyEncoder) appendBoolean(row engine.Column, i int) error {
	err := row.Column(i, &e.number)
	e.data = append(e.data, byte(e.number))
	return err
}

// appendUUID appends the sixteen bytes of a UUID that is stored as text.
func (e *copyEncoder) appendUUID(row engine.Column, i int) error {
	at := len(e.data)
	e.data = row.AppendBytes(e.data, i)
	digits := e.data[at:at]
	for _, c := range e.data[at:] {
		if c != '-' {
			digits = append(digits, c)
		}
	}
	n, err := hex.Decode(digits, digits)
	if err == nil && n != 16 {
		err = fmt.Errorf("a UUID of %d bytes", n)
	}
	e.data = e.data[:at+n]
	return err
}

func (e *copyEncoder) appendBytes(row engine.Column, i int) error {
	e.data = row.AppendBytes(e.data, i)
	return nil
}
