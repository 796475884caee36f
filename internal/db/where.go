package db

import (
	"strconv"
	"strings"
	"time"

	"entrepot/internal/base/id"
)

// Where collects the conditions of a query and their arguments; the first is always tenant_id.
type Where struct {
	alias string
	joins string
	text  strings.Builder
	args  []any
}

// NewWhere starts with the transaction's tenant. alias is the table's name in the query, "" for none.
func NewWhere(r Reader, alias string) *Where {
	w := &Where{alias: alias, args: []any{r.TenantID()}}
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

// AndGiven adds a condition on a value, unless that is the zero value, which means any.
func AndGiven[V comparable](w *Where, condition string, value V) *Where {
	var any V
	if value != any {
		w.And(condition, value)
	}
	return w
}

// idsAhead is by how much the time in a record's id may differ from its created_at: ids may be made before their
// transactions.
const idsAhead = time.Hour

// AndWithin adds the condition that a record with a time-ordered id was created between two moments, in microseconds
// since 1970, both included, 0 for none. It also bounds the id, which is about as old, so that an index with the ids
// at its end leads to such records. prefix is the table's name in the query with a dot, if it has one.
func AndWithin[T ~string](w *Where, prefix string, from, to int64) {
	if from != 0 {
		w.And(prefix+"created_at >= ?", from).And(prefix+"id >= ?::UUID", id.First[T](from-idsAhead.Microseconds()))
	}
	if to != 0 {
		w.And(prefix+"created_at <= ?", to).And(prefix+"id < ?::UUID", id.First[T](to+idsAhead.Microseconds()))
	}
}

// AndContains adds the condition that a column contains a text; % and _ in it are plain characters. The comparison is
// case-sensitive: fold both sides first.
func (w *Where) AndContains(column, text string) *Where {
	return w.And(column+` LIKE ? ESCAPE '\'`, Containing(text))
}

// AndLike adds the condition that one of some columns matches one of some patterns (LIKE in any case, with \ as
// escape); with no patterns it holds for no row.
func (w *Where) AndLike(columns []string, patterns []string) *Where {
	if len(patterns) == 0 {
		return w.And("FALSE")
	}
	var matches []string
	for _, pattern := range patterns {
		like := " LIKE lower(" + w.Bind(pattern) + `::TEXT) ESCAPE '\'`
		for _, column := range columns {
			matches = append(matches, "lower("+column+")"+like)
		}
	}
	return w.And("(" + strings.Join(matches, " OR ") + ")")
}

// Containing is the LIKE pattern, with \ as escape, for a text at any position.
func Containing(text string) string { return "%" + likeEscape.Replace(text) + "%" }

var likeEscape = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)

// AndIn adds the condition that a column is one of some values; with no values it holds for no row.
func AndIn[V any](w *Where, column string, values []V) *Where {
	if len(values) == 0 {
		return w.And("FALSE")
	}
	return w.And(column + " IN " + BindAll(w, values))
}

// BindAll adds values to the arguments and returns the list of their placeholders: "($2,$3)".
func BindAll[V any](w *Where, values []V) string {
	first := len(w.args) + 1
	for _, v := range values {
		w.args = append(w.args, v)
	}
	return In(len(values), first)
}

// Bind adds a value to the arguments and returns its placeholder, for the rest of the query.
func (w *Where) Bind(value any) string {
	w.args = append(w.args, value)
	return "$" + strconv.Itoa(len(w.args))
}

// Join adds a table that the conditions may name: "JOIN products p ON p.tenant_id = $1 AND …".
func (w *Where) Join(join string) *Where {
	w.joins += " " + join
	return w
}

// from is the SQL after the table's name in FROM.
func (w *Where) from() string {
	if w.alias == "" {
		return w.joins
	}
	return " " + w.alias + w.joins
}

// String is the conditions, without WHERE.
func (w *Where) String() string { return w.text.String() }

// Args are the arguments of the conditions and of Bind.
func (w *Where) Args() []any { return w.args }

// Unindexed wraps a condition so that the planner uses no index for it and expects half of the rows to match.
func Unindexed(condition string) string {
	return "CASE WHEN " + condition + " THEN TRUE ELSE FALSE END"
}

// OnPostgres marks a part of a statement that only PostgreSQL's planner needs; it is left out on SQLite.
func OnPostgres(text string) string { return "/*postgres*/" + text + "/*both*/" }
