package webhooks

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// AcrossFilter selects deliveries of the account; zero values leave a condition out.
type AcrossFilter struct {
	Endpoint   id.Endpoint
	State      State
	Event      string
	Resource   string
	StatusCode int64 // of the newest attempt
	From, To   int64 // of position, both included
	After      *DeliveryCursor
	Limit      int
	Look       int // how many deliveries of each endpoint a page may examine if no index answers the filter; 0: lookDeliveries
}

// DeliveryCursor is where a page ended.
type DeliveryCursor struct {
	Position int64
	Endpoint id.Endpoint
}

// String is the cursor as it is given to callers, "" for none.
func (c *DeliveryCursor) String() string {
	if c == nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(c.Position, 10) + "." + string(c.Endpoint)))
}

// ParseDeliveryCursor reads what String wrote.
func ParseDeliveryCursor(text string) (*DeliveryCursor, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	position, endpoint, ok := strings.Cut(string(raw), ".")
	n, bad := strconv.ParseInt(position, 10, 64)
	parsed, isID := id.Parse[id.Endpoint](endpoint)
	return &DeliveryCursor{n, parsed}, err == nil && ok && bad == nil && isID
}

// DeliveryPage is a page of deliveries, newest first. Next is where the next page begins, nil at the end.
type DeliveryPage struct {
	Deliveries []Delivery
	Next       *DeliveryCursor
}

// If no index answers the filter, a page examines this many deliveries of each endpoint, and ends there with whatever
// it has found.
const (
	lookDeliveries = 4_000
	fewPending     = 2_000 // up to which the pending deliveries of an endpoint are found by the indexes of due and waiting ones
)

// Across reads a page of the deliveries of all endpoints, newest first.
func Across(tx *db.Tx, f AcrossFilter) (page DeliveryPage, err error) {
	counts, err := Tallies(tx)
	if err != nil {
		return page, err
	}
	var reads []*db.PendingRead
	var found []Delivery
	horizon := int64(0) // deliveries older than it were not examined for every endpoint
	for endpoint, c := range counts {
		if f.Endpoint != "" && f.Endpoint != endpoint || c.Of(f.State) == 0 {
			continue
		}
		rows, look := f.of(tx, endpoint, c)
		scan := deliveryTable.Scanner()
		reads = append(reads, tx.Prefetch(func(r db.Rows) error {
			d, err := scan(r)
			found = append(found, d)
			return err
		}, rows.text, rows.args...))
		if look.text != "" {
			reads = append(reads, tx.Prefetch(func(r db.Rows) error {
				var position int64
				err := r.Scan(&position)
				horizon = max(horizon, position)
				return err
			}, look.text, look.args...))
		}
	}
	if err := db.WaitAll(reads); err != nil {
		return page, err
	}
	slices.SortFunc(found, func(a, b Delivery) int {
		return cmp.Or(-cmp.Compare(a.Position, b.Position), -cmp.Compare(a.Endpoint, b.Endpoint))
	})
	seen := slices.IndexFunc(found, func(d Delivery) bool { return d.Position < horizon })
	if seen >= 0 {
		found = found[:seen]
	}
	if len(found) > f.Limit {
		found = found[:f.Limit]
		last := &found[f.Limit-1]
		page.Next = &DeliveryCursor{last.Position, last.Endpoint}
	} else if horizon > 0 {
		page.Next = &DeliveryCursor{horizon, id.BeforeAll}
	}
	page.Deliveries = found
	return page, nil
}

// statement is a query with its arguments.
type statement struct {
	text string
	args []any
}

// of returns the query for the first matching deliveries of one endpoint. If only a part of them is searched and there
// are more, look is the query for the last one of that part.
func (f *AcrossFilter) of(tx *db.Tx, endpoint id.Endpoint, c Counts) (rows, look statement) {
	w := db.NewWhere(tx, "d").And("d.endpoint_id = ?::UUID", endpoint)
	few := f.State == Pending && c.Pending <= fewPending
	first, last := f.span(endpoint)
	switch {
	case few && f.Resource != "":
		w.And("d.resource_id = ?", f.Resource)
	case f.Resource != "": // positions first, which the index has: without statistics SQLite takes the key, and reads every delivery
		w.And("d.position IN (SELECT r.position FROM deliveries r WHERE r.tenant_id = $1 AND r.endpoint_id = $2::UUID AND r.resource_id = ?"+
			" AND r.position >= ? AND r.position < ?)", f.Resource, first, last)
	case !few:
		w.And("d.position >= ?", first).And("d.position < ?", last)
	}
	if f.State == Failed { // a literal, so that the planner uses the partial index
		w.And("d.state = 'failed'")
	}
	columns, from := deliveryTable.Columns("d"), "deliveries d"
	if few {
		in := " AND position + 0 >= " + w.Bind(first) + " AND position + 0 < " + w.Bind(last)
		from = `(SELECT position FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2::UUID AND due_at > 0` + in + `
			UNION ALL SELECT position FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2::UUID AND lane > ''
				AND due_at IS NULL` + in + `) x CROSS JOIN deliveries d`
		// The span must not be a condition on the key, or SQLite searches all of it for pending deliveries. Positions
		// are compared by CASE for the same reason, and not by a sum: under row-level security PostgreSQL uses no
		// index for the result of a function that is not leakproof.
		w.And("d.position = CASE WHEN x.position > 0 THEN x.position END")
	} else if f.State == Pending || f.State == Delivered || f.Event != "" || f.StatusCode != 0 {
		look = statement{"SELECT d.position FROM deliveries d WHERE " + w.String() + " ORDER BY d.position DESC LIMIT 1 OFFSET " +
			strconv.Itoa(cmp.Or(f.Look, lookDeliveries)-1), slices.Clone(w.Args())}
		from = "(SELECT " + columns + " FROM deliveries d WHERE " + w.String() + " ORDER BY d.position DESC LIMIT " +
			strconv.Itoa(cmp.Or(f.Look, lookDeliveries)) + ") d"
	}
	where := w.String()
	if look.text != "" {
		where = "TRUE"
	}
	also := func(condition string, value any) { where += " AND " + condition + w.Bind(value) }
	if f.State == Pending || f.State == Delivered {
		also("d.state = ", f.State)
	}
	if f.Event != "" {
		also("d.event = ", f.Event)
	}
	if f.StatusCode != 0 {
		also("d.status_code = ", f.StatusCode)
	}
	text := "SELECT " + columns + " FROM " + from + " WHERE " + where + " ORDER BY d.position DESC LIMIT " + w.Bind(f.Limit+1) + "::BIGINT"
	return statement{text, w.Args()}, look
}

// span is the range of positions of an endpoint's deliveries: from, included, to, excluded.
func (f *AcrossFilter) span(endpoint id.Endpoint) (from, to int64) {
	to = forever
	if f.To > 0 {
		to = f.To + 1
	}
	if f.After != nil {
		after := f.After.Position
		if endpoint < f.After.Endpoint {
			after++
		}
		to = min(to, after)
	}
	return f.From, to
}

// Neighbours are the deliveries of the same endpoint right after and right before this one, "" if there is none.
func (d *Delivery) Neighbours(tx *db.Tx) (newer, older id.Delivery, err error) {
	beside := func(into *id.Delivery, condition string) *db.PendingRead {
		return tx.Prefetch(func(r db.Rows) error { return r.Scan(into) },
			"SELECT id FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2::UUID AND position "+condition+" LIMIT 1", tx.Tenant,
			d.Endpoint, d.Position)
	}
	err = db.WaitAll([]*db.PendingRead{beside(&newer, "> $3 ORDER BY position"), beside(&older, "< $3 ORDER BY position DESC")})
	return newer, older, err
}

// FirstOf reads the deliveries of an event from its first dispatch, without replays.
func FirstOf(tx *db.Tx, stamp int64) ([]Delivery, error) {
	return readDeliveries(tx, " FROM queues q CROSS JOIN deliveries d "+
		"WHERE q.tenant_id = $1 AND d.tenant_id = $1 AND d.endpoint_id = q.endpoint_id AND d.position = $2 ORDER BY d.endpoint_id",
		tx.Tenant, stamp)
}
