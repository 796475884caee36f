package postgres

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"entrepot/internal/db/engine"
	"entrepot/internal/db/groups"
)

// arrays are the statements of forms that take an array for each column of the rows, and so have one text, and one plan, for any number of
// them.
type arrays struct {
	known    sync.Map // arrayKey → *arrayForm, nil for a form without one
	describe func(sql string) (types []uint32, err error)
}

type arrayKey struct {
	form  *engine.Form
	mixed bool
}

// arrayForm is the statement of a form; counted fails unless it touches as many rows as its last argument says.
type arrayForm struct {
	sql, counted string
	types        []uint32 // of the columns
}

// mostRows is how many rows a statement has at the most.
const mostRows = 1024

// columnTypes are the types that rows may have.
var columnTypes = map[uint32]string{pgtype.Int8OID: "BIGINT", pgtype.TextOID: "TEXT", pgtype.UUIDOID: "UUID", pgtype.BoolOID: "BOOLEAN"}

// of is the statement of a form, for rows that begin with heads of their own if mixed; nil if there is none.
func (a *arrays) of(form *engine.Form, mixed bool) *arrayForm {
	if a == nil {
		return nil
	}
	key := arrayKey{form, mixed}
	if known, ok := a.known.Load(key); ok {
		return known.(*arrayForm)
	}
	text, head := form.Text(1), form.Head
	if mixed {
		text, head = form.MixedText(1), 0
	}
	types, err := a.describe(text)
	if err != nil {
		return nil
	}
	made := newArrayForm(text, head, types)
	a.known.Store(key, made)
	return made
}

// newArrayForm rewrites the statement for one row.
func newArrayForm(text string, head int, types []uint32) *arrayForm {
	before, row, after, ok := cutRow(text)
	if !ok || len(types) <= head {
		return nil
	}
	var arrays, names []string
	for i, of := range types {
		name, ok := columnTypes[of]
		if !ok {
			return nil
		}
		if n := strconv.Itoa(i + 1); i >= head {
			arrays, names = append(arrays, "$"+n+"::"+name+"[]"), append(names, "c"+n)
		}
	}
	for _, n := range placeholder.FindAllString(before+after, -1) {
		if i, _ := strconv.Atoi(n[1:]); i > head {
			return nil
		}
	}
	row = placeholder.ReplaceAllStringFunc(row, func(n string) string {
		i, _ := strconv.Atoi(n[1:])
		if i > head {
			return "u.c" + n[1:]
		}
		return n + "::" + columnTypes[types[i-1]]
	})
	f := &arrayForm{types: types[head:]}
	f.sql = before + "SELECT " + row + " FROM unnest(" + strings.Join(arrays, ",") + ") AS u(" + strings.Join(names, ",") + ")" + after
	f.counted = touching(f.sql, "$"+strconv.Itoa(len(types)+1)+"::BIGINT", false)
	return f
}

var placeholder = regexp.MustCompile(`\$[0-9]+`)

// cutRow cuts a statement at the only row of its list of values.
func cutRow(text string) (before, row, after string, ok bool) {
	before, rest, ok := strings.Cut(text, "VALUES (")
	if !ok {
		return
	}
	depth := 1
	for i := range len(rest) {
		switch rest[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return before, rest[:i], rest[i+1:], true
		}
	}
	return "", "", "", false
}

// steps are the statements that write rows, none if these have a value of another type than the columns.
func (f *arrayForm) steps(head []any, rows [][]any, counted bool) (steps []*engine.Step) {
	for piece := range slices.Chunk(rows, mostRows) {
		s := &engine.Step{SQL: f.sql, Args: slices.Clip(head), Want: -1}
		for i, of := range f.types {
			array := arrayOf(of, piece, i)
			if array == nil {
				return nil
			}
			s.Args = append(s.Args, array)
		}
		if counted {
			s.SQL, s.Args, s.Miss = f.counted, append(s.Args, int64(len(piece))), engine.ErrRetry
		}
		steps = append(steps, s)
	}
	return steps
}

// arrayOf is a column of rows; nil if a value has another type.
func arrayOf(of uint32, rows [][]any, column int) any {
	switch of {
	case pgtype.Int8OID:
		return array(rows, column, func(n int64) (pgtype.Int8, bool) { return pgtype.Int8{Int64: n, Valid: true}, true })
	case pgtype.BoolOID:
		return array(rows, column, func(b bool) (pgtype.Bool, bool) { return pgtype.Bool{Bool: b, Valid: true}, true })
	case pgtype.UUIDOID:
		return array(rows, column, uuid)
	}
	return array(rows, column, func(text string) (pgtype.Text, bool) { return pgtype.Text{String: text, Valid: true}, true })
}

// array has the zero element where the value is NULL.
func array[V, E any](rows [][]any, column int, element func(V) (E, bool)) any {
	list := make(pgtype.FlatArray[E], len(rows))
	for i, row := range rows {
		switch value := groups.PlainValue(row[column]).(type) {
		case nil:
		case V:
			made, ok := element(value)
			if !ok {
				return nil
			}
			list[i] = made
		default:
			return nil
		}
	}
	return list
}

func uuid(text string) (u pgtype.UUID, ok bool) {
	err := u.Scan(text)
	return u, err == nil
}

// describeStatement asks the server for the types of a statement's arguments, if a connection is free: the caller may hold one.
func (e *Engine) describeStatement(sql string) ([]uint32, error) {
	if !e.pool.free() {
		return nil, errAllUsed
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	conn, release, err := e.pool.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	described, err := conn.Conn().PgConn().Prepare(ctx, "", sql, nil)
	if err != nil {
		return nil, err
	}
	return described.ParamOIDs, nil
}
