package importer

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
)

// counter counts what was read so far.
type counter struct{ rows, blank int }

// eachRow reads the file once.
func eachRow(ctx context.Context, t *table, count *counter, do func(row) error) error {
	rows, closeFile, err := t.open(false)
	if err != nil {
		return err
	}
	return eachRowOf(ctx, rows, closeFile, count, do)
}

// eachRowMarked reads the file once; numbers of JSON, unlike its texts, show that a point begins their
// decimals: 1.125 comes as 1.1250.
func eachRowMarked(ctx context.Context, t *table, do func(row) error) error {
	rows, closeFile, err := t.open(true)
	if err != nil {
		return err
	}
	return eachRowOf(ctx, rows, closeFile, nil, do)
}

func eachRowOf(ctx context.Context, rows rowStream, closeFile func() error, count *counter, do func(row) error) (err error) {
	defer func() { err = errors.Join(err, closeFile()) }()
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r, err := rows.next()
		if count != nil {
			count.rows, count.blank = n, rows.blank()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(r); err != nil {
			return err
		}
	}
}

// unreadable says why a row cannot be used at all, "" when it can.
func unreadable(t *table, r row) string {
	return cmp.Or(r.broken, r.unclean, t.surplus(r))
}

func columnList(header []string) string {
	if len(header) == 0 {
		return "(none)"
	}
	return strings.Join(header, ", ")
}
