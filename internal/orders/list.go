package orders

import (
	"encoding/base64"
	"strconv"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Sort is what a list goes by; ties break by id, so that pages never overlap or skip.
type Sort string

// The sorts.
const (
	ByCreatedAt Sort = "createdAt"
	ByTotal     Sort = "total"
	ByNumber    Sort = "orderNumber"
)

var sortColumns = map[Sort]string{ByCreatedAt: "created_at", ByTotal: "total", ByNumber: "number"}

// Filter says which orders a list shows, and which part of them. A filter belongs to CountedFilter or to RowFilter: that decides how
// the list's total is found.
type Filter struct {
	CountedFilter
	RowFilter
	Sort      Sort
	Ascending bool
	Limit     int
	Offset    int
	After     *Cursor // instead of Offset
}

// CountedFilter is what the kept counts know of an order: a total of it comes from them (see prefetchTotal).
type CountedFilter struct {
	Statuses []Status
	Channel  id.Channel
	From, To int64 // bounds of createdAt in microseconds, both included; To 0: none
}

// RowFilter is what only an order's row knows: with any of it, a total is counted from the rows.
type RowFilter struct {
	Customer id.Customer
	Email    string
	Search   string
}

// Cursor is where a page ended: the sort's value and the id of its last order.
type Cursor struct {
	Value int64
	ID    id.Order
}

// String is the cursor as callers carry it.
func (c Cursor) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(c.Value, 10) + "." + string(c.ID)))
}

// ParseCursor reads what String wrote.
func ParseCursor(text string) (*Cursor, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	value, order, ok := strings.Cut(string(raw), ".")
	n, bad := strconv.ParseInt(value, 10, 64)
	parsed, isID := id.Parse[id.Order](order)
	return &Cursor{n, parsed}, err == nil && ok && bad == nil && isID
}

// CursorOf is where a page that ends with this order ends.
func (f Filter) CursorOf(o Order) Cursor {
	switch f.Sort {
	case ByTotal:
		return Cursor{int64(o.Total), o.ID}
	case ByNumber:
		return Cursor{o.Number, o.ID}
	}
	return Cursor{o.CreatedAt, o.ID}
}

// pieceLines is how many lines of a page are read at once; no order has more.
const pieceLines = 500

// List reads a page with lines, and how many orders match in all. Of a page with many lines it gives its orders to piece, one part
// after the other, and forgets the lines of each again, so that they are never all in memory; a small page is left to the caller, and
// piece is not called. It is told how large a part of the page's lines these are.
func List(tx *db.Tx, f Filter, piece func(list []Order, part float64) error) (list []Order, total int64, err error) {
	list, total, err = listHeads(tx, f)
	if err != nil || len(list) == 0 {
		return list, total, err
	}
	if n := inPiece(list); n == len(list) {
		tx.Last()
		return list, total, readLines(tx, list)
	}
	all := lines(list)
	for rest := list; len(rest) > 0; {
		n := inPiece(rest)
		part := float64(lines(rest[:n])) / float64(all)
		if err := readLines(tx, rest[:n]); err != nil {
			return nil, 0, err
		}
		if err := piece(rest[:n], part); err != nil {
			return nil, 0, err
		}
		last := rest[n-1]
		clear(rest[:n])
		rest[n-1] = Order{ID: last.ID, Totals: last.Totals, Number: last.Number, CreatedAt: last.CreatedAt} // for the cursor
		rest = rest[n:]
	}
	return list, total, nil
}

// inPiece is how many orders, one at least, have pieceLines lines together.
func inPiece(list []Order) int {
	lines := list[0].ItemCount
	for i := 1; i < len(list); i++ {
		if lines += list[i].ItemCount; lines > pieceLines {
			return i
		}
	}
	return len(list)
}

func lines(list []Order) (n int64) {
	for i := range list {
		n += list[i].ItemCount
	}
	return n
}

// listHeads reads a page without lines.
func listHeads(tx *db.Tx, f Filter) ([]Order, int64, error) {
	matching := prefetchMatching(tx, f)
	var list []Order
	q := newQuery(tx, f)
	scan := table.Scanner()
	page := tx.Prefetch(func(r db.Rows) error {
		o, err := scan(r)
		list = append(list, o)
		return err
	}, q.page(f), q.args...)
	n, err := matching()
	if err != nil {
		return nil, 0, err
	}
	if n == 0 || int64(f.Offset) >= n {
		return []Order{}, n, nil
	}
	if err := page.Wait(); err != nil {
		return nil, 0, err
	}
	return list, n, nil
}

// prefetchMatching counts what a filter lets through: from the kept counts where they know all that is asked for.
func prefetchMatching(tx *db.Tx, f Filter) func() (int64, error) {
	if f.RowFilter == (RowFilter{}) {
		return prefetchTotal(tx, f.CountedFilter)
	}
	q := newQuery(tx, f)
	return prefetchNumber(tx, "SELECT count(*) FROM orders o WHERE "+q.where(f, f.Statuses), q.args)
}

// query gathers conditions and their arguments.
type query struct{ args []any }

func newQuery(tx *db.Tx, _ Filter) *query { return &query{args: []any{tx.Tenant}} }

func (q *query) bind(v any) string {
	q.args = append(q.args, v)
	return "$" + strconv.Itoa(len(q.args))
}

// where writes the conditions, with the given states.
func (q *query) where(f Filter, states []Status) string {
	var b strings.Builder
	b.WriteString("o.tenant_id = $1")
	and := func(condition string) { b.WriteString(" AND " + condition) }
	switch len(states) {
	case 0:
	case 1:
		and("o.status = " + q.bind(string(states[0])))
	default:
		list := make([]string, len(states))
		for i, s := range states {
			list[i] = q.bind(string(s))
		}
		and("o.status IN (" + strings.Join(list, ",") + ")")
	}
	if f.Channel != "" {
		and("o.channel_id = " + q.bind(f.Channel) + "::UUID")
	}
	if f.Customer != "" {
		and("o.customer_id = " + q.bind(f.Customer) + "::UUID")
	}
	if f.Email != "" {
		and("o.email_key = " + q.bind(emailKey(f.Email)))
	}
	if f.From != 0 {
		and("o.created_at >= " + q.bind(f.From))
	}
	if f.To != 0 {
		and("o.created_at <= " + q.bind(f.To))
	}
	if f.Search != "" {
		and("o.search LIKE " + q.bind(LikePattern(f.Search)) + ` ESCAPE '\'`)
	}
	return b.String()
}

// LikePattern makes a pattern that finds a text anywhere, in any case, on a folded column.
func LikePattern(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ToLower(text)) + "%"
}

// page writes the query of one page. Ids come first, each state from its own index, and only the page's rows are read whole.
func (q *query) page(f Filter) string {
	column, direction, beyond := sortColumns[f.Sort], "DESC", "<"
	if f.Ascending {
		direction, beyond = "ASC", ">"
	}
	order := "ORDER BY k " + direction + ", id " + direction
	limit, offset := q.bind(f.Limit), ""
	reach := limit // how far each branch must go
	if f.After == nil && f.Offset > 0 {
		offset, reach = " OFFSET "+q.bind(f.Offset), q.bind(f.Limit+f.Offset)
	}
	branch := func(states []Status) string {
		where := q.where(f, states)
		if f.After != nil {
			where += " AND (o." + column + ", o.id) " + beyond + " (" + q.bind(f.After.Value) + "::BIGINT, " + q.bind(f.After.ID) + "::UUID)"
		}
		return "SELECT o." + column + " AS k, o.id AS id FROM orders o WHERE " + where + " ORDER BY o." + column + " " + direction + ", o.id " + direction + " LIMIT " + reach + "::BIGINT"
	}
	var ids string
	if len(f.Statuses) > 1 && f.Sort == ByCreatedAt && f.Customer == "" && f.Email == "" {
		parts := make([]string, len(f.Statuses))
		for i, s := range f.Statuses {
			parts[i] = "SELECT * FROM (" + branch([]Status{s}) + ") AS b" + strconv.Itoa(i)
		}
		ids = strings.Join(parts, " UNION ALL ")
	} else {
		ids = branch(f.Statuses)
	}
	return "SELECT " + table.Columns("o") + " FROM (SELECT k, id FROM (" + ids + ") AS branches " + order + " LIMIT " + limit + "::BIGINT" + offset + `) AS page
		JOIN orders o ON o.tenant_id = $1 AND o.id = page.id
		LEFT JOIN channels c ON c.tenant_id = $1 AND c.id = o.channel_id
		LEFT JOIN customers p ON p.tenant_id = $1 AND p.id = o.customer_id
		ORDER BY page.k ` + direction + ", page.id " + direction
}
