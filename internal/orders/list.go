package orders

import (
	"encoding/base64"
	"reflect"
	"strconv"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/lists"
)

// Sort is the order of a list; equal values are ordered by id, so that pages never overlap or skip.
type Sort string

// The sorts.
const (
	ByCreatedAt Sort = "createdAt"
	ByTotal     Sort = "total"
	ByNumber    Sort = "orderNumber"
	ByUpdatedAt Sort = "updatedAt"
)

// Sorts lists them.
var Sorts = []Sort{ByCreatedAt, ByTotal, ByNumber, ByUpdatedAt}

// Filter selects the orders of a list, and the page. A new filter goes into CountedFilter or into RowFilter, which
// decides how the list's total is found.
type Filter struct {
	CountedFilter
	RowFilter
	Sort      Sort
	Ascending bool
	Limit     int
	Offset    int
	After     *Cursor // instead of Offset

	Uncounted bool // the caller needs no total: it is counted only where finding the page depends on it
}

// CountedFilter has the conditions of the maintained figures: a total comes from the figures (see prefetchTotal).
type CountedFilter struct {
	Statuses []Status
	Channel  id.Channel
	From, To int64 // bounds of createdAt in microseconds, both included; To 0: none
}

// RowFilter has the conditions on an order's row alone: with any of them, a total is counted from the rows.
type RowFilter struct {
	Customer id.Customer
	Email    string
	Stuck    bool // with an open issue that keeps the order from following its platform
	Search   string
	Country  string        // of the shipping address, two capitals
	MinTotal *money.Amount // bounds of the total, both included; nil: none
	MaxTotal *money.Amount

	Reference              string   // the external reference, exactly
	ExternalID             string   // the external reference or, without one, the platform's id, exactly
	Tags                   []string // any of them, in any case
	Assigned               Assigned
	UpdatedFrom, UpdatedTo int64 // bounds of updatedAt in microseconds, both included; 0: none
}

// isEmpty reports whether no condition is set.
func (f RowFilter) isEmpty() bool { return reflect.ValueOf(f).IsZero() }

// byTotals reports whether the totals are bounded.
func (f RowFilter) byTotals() bool { return f.MinTotal != nil || f.MaxTotal != nil }

// updatedBetween reports whether updatedAt is bounded.
func (f RowFilter) updatedBetween() bool { return f.UpdatedFrom != 0 || f.UpdatedTo != 0 }

// Cursor is where a page ended: sort value and id of its last order, and how the list was sorted.
type Cursor struct {
	Value     int64
	ID        id.Order
	Sort      Sort
	Ascending bool
}

// String returns the cursor as it is given to callers.
func (c Cursor) String() string {
	direction := "desc"
	if c.Ascending {
		direction = "asc"
	}
	text := string(c.Sort) + "." + direction + "." + strconv.FormatInt(c.Value, 10) + "." + string(c.ID)
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// ParseCursor reads a cursor that String wrote.
func ParseCursor(text string) (*Cursor, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	parts := strings.Split(string(raw), ".")
	if err != nil || len(parts) != 4 {
		return nil, false
	}
	c := Cursor{Sort: Sort(parts[0]), Ascending: parts[1] == "asc"}
	var isID bool
	c.Value, err = strconv.ParseInt(parts[2], 10, 64)
	c.ID, isID = id.Parse[id.Order](parts[3])
	_, known := sorts[c.Sort]
	return &c, err == nil && isID && known && c.String() == text
}

// CursorOf returns the cursor for a page whose last order is this one.
func (f Filter) CursorOf(o *Order) Cursor {
	c := Cursor{Value: o.CreatedAt, ID: o.ID, Sort: f.Sort, Ascending: f.Ascending}
	switch f.Sort {
	case ByTotal:
		c.Value = int64(o.Total)
	case ByNumber:
		c.Value = o.Number
	case ByUpdatedAt:
		c.Value = o.UpdatedAt
	}
	return c
}

// pieceLines is how many lines of a page are read at once; no order has more.
const pieceLines = 500

// List reads a page with lines, and how many orders match in all. A page with many lines is passed to piece in parts,
// and the lines of each part are dropped afterwards, so that they are never all in memory; for a small page piece is
// not called, and the orders are in the returned list.
func List(tx *db.Tx, f Filter, piece func(list []Order) error) (list []Order, total int64, err error) {
	list, total, err = ListHeads(tx, f)
	if err != nil || len(list) == 0 {
		return list, total, err
	}
	if n := inPiece(list); n == len(list) {
		tx.Last()
		return list, total, readLines(tx, list)
	}
	for rest := list; len(rest) > 0; {
		n := inPiece(rest)
		if err := readLines(tx, rest[:n]); err != nil {
			return nil, 0, err
		}
		if err := piece(rest[:n]); err != nil {
			return nil, 0, err
		}
		last := rest[n-1]
		clear(rest[:n])
		rest[n-1] = Order{ID: last.ID, Totals: last.Totals, Number: last.Number, CreatedAt: last.CreatedAt,
			UpdatedAt: last.UpdatedAt} // for CursorOf
		rest = rest[n:]
	}
	return list, total, nil
}

// inPiece returns how many of the first orders, at least one, have at most pieceLines lines together.
func inPiece(list []Order) int {
	lines := list[0].ItemCount
	for i := 1; i < len(list); i++ {
		if lines += list[i].ItemCount; lines > pieceLines {
			return i
		}
	}
	return len(list)
}

// ListHeads reads a page as List does, without lines, and how many orders match in all.
func ListHeads(tx *db.Tx, f Filter) ([]Order, int64, error) {
	q, err := f.query(tx)
	if err != nil {
		return nil, 0, err
	}
	return lists.Read(tx, q, f.reader())
}

// Heads reads a page as ListHeads does, for callers that need no total: it is counted only where finding the page depends on it.
func Heads(tx *db.Tx, f Filter) ([]Order, error) {
	f.Uncounted = true
	list, _, err := ListHeads(tx, f)
	return list, err
}
