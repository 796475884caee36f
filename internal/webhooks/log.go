package webhooks

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Logged is one event of the log.
type Logged struct {
	ID        id.Event
	Stamp     int64 // its position in the log
	Name      string
	Resource  string // id of the order, product, customer or SKU that it is about
	CreatedAt int64  // microseconds since 1970 UTC; the envelope's timestamp
	Payload   string // the envelope, as delivered
	Actor     string // who made the change: "key:<id>", "user:<id>", "channel:<id>" or "system"; "" if it was not recorded
	ActorName string // what the key, the user or the channel was called then
	Origin    string // the request, and its trace if that is sampled; see RequestID
}

// RequestID is the id of the request that made the change, "" without one.
func (e *Logged) RequestID() string {
	request, _, _ := strings.Cut(e.Origin, " ")
	return request
}

// Data is the member of the envelope that the kind of the event determines, as JSON text.
func (e *Logged) Data() string {
	_, data, _ := strings.Cut(e.Payload, `"data":`) // the last member, behind an id, a name and a time
	return strings.TrimSuffix(data, "}")
}

// loggedTable reads events.
var loggedTable = db.NewTable("events",
	db.Col("id", func(e *Logged) any { return &e.ID }),
	db.Col("stamp", func(e *Logged) any { return &e.Stamp }),
	db.Col("event", func(e *Logged) any { return &e.Name }),
	db.Col("resource_id", func(e *Logged) any { return &e.Resource }),
	db.Col("created_at", func(e *Logged) any { return &e.CreatedAt }),
	db.Col("payload", func(e *Logged) any { return &e.Payload }),
	db.Col("actor", func(e *Logged) any { return &e.Actor }),
	db.Col("actor_name", func(e *Logged) any { return &e.ActorName }),
	db.Col("request_id", func(e *Logged) any { return &e.Origin }),
).Of("event")

// EventByID reads an event of the log, or a test event. Errors: NotFound.
func EventByID(tx *db.Tx, event id.Event) (Logged, error) {
	return loggedTable.One(tx, db.NoLock, "id = $2::UUID", event)
}

// EventAt reads the event with a stamp. Errors: NotFound if it was deleted after its retention.
func EventAt(tx *db.Tx, stamp int64) (Logged, error) {
	return loggedTable.One(tx, db.NoLock, "stamp = $2", stamp)
}

// LogFilter selects events; zero values leave a condition out.
type LogFilter struct {
	After    id.Event // the page starts after it
	Event    string
	Resource string
	From, To int64 // of the timestamp, microseconds, both included
	Newest   bool  // newest first instead of the order of commits
	Limit    int
	Look     int // how many events a page may examine if no index answers the filter; 0: lookEvents
}

// LogPage is a page of the log. Next is the event after which the next page starts, More whether there may be one.
type LogPage struct {
	Events []Logged
	Next   id.Event
	More   bool
}

// Bounds of a page, in addition to its limit: its bytes, and how many events it examines if no index answers the
// filter.
const (
	logBytes   = 8 << 20
	lookEvents = 20_000
)

// bulk are the events that one request emits by the thousand. Only the index of the log's order has them, because
// their entries in any other index would be scattered over it.
var bulk = []string{ProductUpdated, StockUpdated, ProductCreated, ProductDeleted}

// indexed is the condition of both partial indexes of the log. It is no list of values, because that would be built
// again for each event that is written.
var indexed = "event <> '" + strings.Join(bulk, "' AND event <> '") + "'"

// searched reports whether no index answers the filter: it selects bulk events, also those about one record. A record
// with an event of another kind is no product, and an id that is no UUID is a SKU.
func (f *LogFilter) searched(tx *db.Tx) (bool, error) {
	if f.Event != "" || f.Resource == "" {
		return slices.Contains(bulk, f.Event), nil
	}
	if _, isID := id.Parse[string](f.Resource); !isID {
		return true, nil
	}
	found, err := exists(tx, "SELECT 1 FROM events WHERE tenant_id = $1 AND resource_id = $2 AND "+indexed+" LIMIT 1", tx.Tenant, f.Resource)
	return !found, err
}

// Log reads a page of the log. Stamps grow in commit order, so a reader who continues after the last event it
// received, in that order, misses none. Errors: Invalid if the event after which the page should start is not in the
// log.
func Log(tx *db.Tx, f LogFilter) (page LogPage, err error) {
	page.Next = f.After
	searched, err := f.searched(tx)
	if err != nil {
		return page, err
	}
	w, order, err := f.direct(tx, searched)
	switch {
	case err != nil:
	case searched:
		err = f.search(tx, w, order, &page)
	default:
		err = page.read(tx, f.Limit, w.String()+order+" LIMIT "+w.Bind(f.Limit+1)+"::BIGINT", w.Args())
	}
	return page, err
}

// direct selects events by an index in the order of the page, or for a searched filter the range of the log.
func (f *LogFilter) direct(tx *db.Tx, searched bool) (w *db.Where, order string, err error) {
	w, order = db.NewWhere(tx, "").And("endpoint_id IS NULL"), " ORDER BY stamp"
	if f.Newest {
		order += " DESC"
	}
	if err := f.span(tx, w); err != nil || searched {
		return w, order, err
	}
	if f.Resource != "" { // a record has fewer events than a kind of event
		w.And("resource_id = ?", f.Resource)
		db.AndGiven(w, "event || '' = ?", f.Event)
	} else {
		db.AndGiven(w, "event = ?", f.Event)
	}
	if f.Event != "" || f.Resource != "" {
		w.And(indexed)
	}
	return w, order, nil
}

// span sets the range of stamps. An event's stamp is never before its timestamp, and less than leadTime after it.
func (f *LogFilter) span(tx *db.Tx, w *db.Where) error {
	if f.After != "" {
		var stamp int64
		err := tx.Row("SELECT stamp FROM events WHERE tenant_id = $1 AND id = $2 AND endpoint_id IS NULL", []any{tx.Tenant, f.After}, &stamp)
		if errors.Is(err, db.ErrNoRow) {
			return apperr.At("after", "is not in the event log: it is unknown, or older than the log is kept")
		}
		if err != nil {
			return err
		}
		if f.Newest {
			w.And("stamp < ?", stamp)
		} else {
			w.And("stamp > ?", stamp)
		}
	}
	if f.From > 0 {
		w.And("stamp >= ?", f.From).And("created_at >= ?", f.From)
	}
	if f.To > 0 {
		w.And("stamp <= ?", min(f.To, forever-leadTime)+leadTime).And("created_at <= ?", f.To)
	}
	return nil
}

// read reads limit events that end, the end of the statement, selects, and one more to know whether there are others.
func (p *LogPage) read(tx *db.Tx, limit int, end string, args []any) error {
	bytes, scan := 0, loggedTable.Scanner()
	return tx.Each(func(r db.Rows) error {
		if p.More {
			return nil
		}
		e, err := scan(r)
		if err != nil {
			return err
		}
		if p.More = len(p.Events) == limit || bytes > logBytes; !p.More {
			p.Events, p.Next, bytes = append(p.Events, e), e.ID, bytes+len(e.Payload)
		}
		return nil
	}, loggedTable.Select("")+" WHERE "+end, args...)
}

// search examines the next events that w selects. Payloads are read only for those that match.
func (f *LogFilter) search(tx *db.Tx, w *db.Where, order string, page *LogPage) error {
	look := cmp.Or(f.Look, lookEvents)
	among := " FROM events WHERE " + w.String() + order
	var last id.Event
	err := tx.Row("SELECT id"+among+" LIMIT 1 OFFSET "+strconv.Itoa(look-1), w.Args(), &last)
	if err != nil && !errors.Is(err, db.ErrNoRow) {
		return err
	}
	text := "SELECT x.stamp FROM (SELECT stamp, event, resource_id" + among + " LIMIT " + strconv.Itoa(look) + ") x WHERE TRUE"
	if f.Event != "" {
		text += " AND x.event = " + w.Bind(f.Event)
	}
	if f.Resource != "" {
		text += " AND x.resource_id = " + w.Bind(f.Resource)
	}
	stamps, err := db.List(tx, func(r db.Rows) (stamp int64, err error) { return stamp, r.Scan(&stamp) },
		text+strings.Replace(order, "stamp", "x.stamp", 1)+" LIMIT "+w.Bind(f.Limit+1)+"::BIGINT", w.Args()...)
	if err != nil {
		return err
	}
	for piece := range db.Pieces(stamps) {
		of := db.AndIn(db.NewWhere(tx, ""), "stamp", piece)
		if err := page.read(tx, f.Limit, of.String()+order, of.Args()); err != nil {
			return err
		}
	}
	if !page.More && last != "" {
		page.More, page.Next = true, last
	}
	return nil
}
