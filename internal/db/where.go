package db

import (
	"strconv"
	"strings"
)

// Where gathers the conditions of a query with their arguments; tenant_id is always the first.
type Where struct {
	text strings.Builder
	args []any
}

// NewWhere begins with the transaction's tenant. Alias is the table's name in the query, "" for none.
func NewWhere(tx *Tx, alias string) *Where {
	w := &Where{args: []any{tx.Tenant}}
	if alias != "" {
		alias += "."
	}
	w.text.WriteString(alias + "tenant_id = $1")
	return w
}

// And adds a condition; each ? in it takes the next value: And("o.created_at >= ?", from).
func (w *Where) And(condition string, values ...any) *Where {
	w.text.WriteString(" AND ")
	for i, piece := range strings.Split(condition, "?") {
		if i > 0 {
			w.text.WriteString(w.Bind(values[i-1]))
		}
		w.text.WriteString(piece)
	}
	return w
}

// AndIn adds a condition that a column is one of some values; of none it holds for no row.
func AndIn[V any](w *Where, column string, values []V) *Where {
	if len(values) == 0 {
		return w.And("FALSE")
	}
	all := make([]any, len(values))
	for i := range values {
		all[i] = values[i]
	}
	return w.And(column+" IN ("+strings.TrimSuffix(strings.Repeat("?,", len(values)), ",")+")", all...)
}

// Bind takes a value and gives its placeholder, for the rest of the query.
func (w *Where) Bind(value any) string {
	w.args = append(w.args, value)
	return "$" + strconv.Itoa(len(w.args))
}

// String is the conditions, without WHERE.
func (w *Where) String() string { return w.text.String() }

// Args are the arguments of the conditions and of what was bound.
func (w *Where) Args() []any { return w.args }
