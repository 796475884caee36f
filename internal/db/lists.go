package db

import (
	"iter"
	"strconv"
	"strings"
	"sync"

	"entrepot/internal/db/engine"
)

// Values writes placeholders for a VALUES list of rows × cols, starting at $first: "($2,$3),($4,$5)". casts, if given,
// are put on the first row, so that PostgreSQL knows each column's type ("::UUID" or "").
func Values(rows, cols, first int, casts ...string) string {
	var b strings.Builder
	b.Grow(rows * cols * 6)
	for r := range rows {
		if r > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('(')
		for c := range cols {
			if c > 0 {
				b.WriteByte(',')
			}
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(first + r*cols + c))
			if r == 0 && c < len(casts) {
				b.WriteString(casts[c])
			}
		}
		b.WriteByte(')')
	}
	return b.String()
}

// Repeat repeats one row of a VALUES list n times: each $ without a number becomes the next placeholder from $first
// on, so that "($1,$,$)" makes "($1,$2,$3),($1,$4,$5)".
func Repeat(n, first int, row string) string {
	var b strings.Builder
	for r := range n {
		if r > 0 {
			b.WriteByte(',')
		}
		for i := range len(row) {
			b.WriteByte(row[i])
			if row[i] == '$' && (i+1 == len(row) || row[i+1] < '0' || row[i+1] > '9') {
				b.WriteString(strconv.Itoa(first))
				first++
			}
		}
	}
	return b.String()
}

// In writes "($2,$3,$4)" for n arguments starting at $first.
func In(n, first int) string { return Values(1, n, first) }

// MoreThan reports whether a query finds more than n rows. from is what follows FROM; its $1 is the tenant, then come
// the arguments.
func MoreThan(tx *Tx, n int, from string, args ...any) (bool, error) {
	args = append([]any{tx.Tenant}, args...)
	var found int
	err := tx.Row("SELECT count(*) FROM (SELECT 1 FROM "+from+" LIMIT $"+strconv.Itoa(len(args)+1)+"::BIGINT) AS first", append(args, n+1),
		&found)
	return found > n, err
}

// Chunks cuts a list into pieces and calls each for every piece, until it fails.
func Chunks[T any](list []T, each func(piece []T) error) error {
	for piece := range Pieces(list) {
		if err := each(piece); err != nil {
			return err
		}
	}
	return nil
}

// Pieces cuts a list into pieces of a few fixed sizes.
func Pieces[T any](list []T) iter.Seq[[]T] { return engine.Pieces(list) }

// Padded returns the list as arguments for In, with its last element repeated up to the next fixed size. A key that
// stands twice in IN finds its row once.
func Padded[T any](list []T) []any { return engine.Padded(Args(list)) }

// Args returns the list as arguments.
func Args[T any](list []T) []any {
	args := make([]any, len(list))
	for i, v := range list {
		args[i] = v
	}
	return args
}

// Text caches SQL by the length of a list, so that each length is built once.
type Text struct{ made [257]string }

// For returns the text for n rows (n ≤ 256) and builds it when it is first needed. Two callers at the same time build
// the same text.
func (t *Text) For(n int, build func(n int) string) string {
	textMu.RLock()
	s := t.made[n]
	textMu.RUnlock()
	if s == "" {
		s = build(n)
		textMu.Lock()
		t.made[n] = s
		textMu.Unlock()
	}
	return s
}

var textMu sync.RWMutex // guards the texts of all Texts
