package webhooks

import (
	"fmt"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Replay delivers a span of an endpoint's past again (interface §4.5.9): every event that it is subscribed to, or with
// OnlyFailed the deliveries that failed.
type Replay struct {
	ID         string
	Endpoint   id.Endpoint
	Events     []string // names; empty: what the endpoint subscribes to
	OnlyFailed bool
	From, To   int64 // microseconds, both included
	after      int64 // stamp up to which it is done; with OnlyFailed a position
	until      int64 // the last stamp or position
}

// replayPage is the largest number of deliveries that one transaction of a replay creates.
const (
	replayPage     = 512
	replayPageText = "512"
)

// leadTime is more than stamps can ever be ahead of the clock.
const leadTime = 3600 * 1_000_000

// NewReplay starts a replay of the given span. It ends with what is committed now, so that it does not replay its own
// deliveries. For an ordered endpoint it leaves out events that are not dispatched yet: a replay must not overtake
// them. Errors: NotFound.
func NewReplay(tx *db.Tx, r Replay) (*Replay, error) {
	e, err := ByID(tx, r.Endpoint)
	if err != nil {
		return nil, err
	}
	r.ID = id.New[string]()
	r.after = r.From - 1
	var dispatched int64
	err = tx.Row("SELECT k.last, c.stamp FROM change_clocks k JOIN dispatch_cursors c ON c.tenant_id = k.tenant_id WHERE k.tenant_id = $1",
		[]any{tx.Tenant}, &r.until, &dispatched)
	if err != nil {
		return nil, err
	}
	if e.Ordered {
		r.until = min(r.until, max(dispatched, e.Since))
	}
	if r.OnlyFailed {
		r.until = min(r.until, r.To)
	} else if r.To < forever-leadTime {
		r.until = min(r.until, r.To+leadTime)
	}
	return &r, nil
}

// Size counts the deliveries that the replay has still to create.
func (r *Replay) Size(tx *db.Tx) (n int64, err error) {
	e, err := ByID(tx, r.Endpoint)
	if err != nil {
		return 0, err
	}
	where, args := r.condition(tx, e)
	return n, tx.Row("SELECT count(*) FROM "+where, args, &n)
}

// condition is the end of a statement that selects what the replay has still to do.
func (r *Replay) condition(tx *db.Tx, e *Endpoint) (string, []any) {
	if r.OnlyFailed {
		w := db.NewWhere(tx, "d").And("d.endpoint_id = ?", r.Endpoint).And("d.position > ?", r.after).And("d.position <= ?", r.until)
		if w.And("d.state = 'failed'"); len(r.Events) > 0 {
			db.AndIn(w, "d.event", r.Events)
		}
		return "deliveries d WHERE " + w.String(), w.Args()
	}
	w := db.NewWhere(tx, "").And("stamp > ?", r.after).And("stamp <= ?", r.until)
	w.And("created_at >= ?", r.From).And("created_at <= ?", r.To).And("endpoint_id IS NULL")
	names := r.Events
	if len(names) == 0 && !e.Wants(All) {
		names = e.Events
	}
	if len(names) > 0 {
		db.AndIn(w, "event", names)
	}
	return "events WHERE " + w.String(), w.Args()
}

// Run does the next part of a replay in the caller's transaction and returns how many deliveries it queued. If it is
// not done, the caller stores the remainder with Keep.
func (r *Replay) Run(tx *db.Tx) (queued int, done bool, err error) {
	tx.Share(oldEvents)
	e, err := ByID(tx, r.Endpoint)
	if apperr.Is(err, apperr.NotFound) {
		return 0, true, nil
	}
	if err != nil {
		return 0, false, err
	}
	where, args := r.condition(tx, e)
	if r.OnlyFailed {
		return r.retryFailed(tx, where, args)
	}
	var deliveries []Delivery
	scan := undeliveredTable.Scanner()
	err = tx.Each(func(row db.Rows) error {
		d, err := scan(row)
		d.ID, d.Endpoint, d.Ordered = id.New[id.Delivery](), e.ID, e.Ordered && d.Resource != ""
		deliveries = append(deliveries, d)
		return err
	}, "SELECT "+undeliveredTable.Columns("")+" FROM "+where+" ORDER BY stamp LIMIT "+replayPageText, args...)
	if err != nil || len(deliveries) == 0 {
		return 0, true, err
	}
	offset := tx.Stamps(len(deliveries)) // new stamps as positions: after everything that is committed
	for i := range deliveries {
		deliveries[i].Position = offset + int64(i)*db.StampStep
	}
	enqueue(tx, tx.Change, deliveries, insertStamped)
	r.after = deliveries[len(deliveries)-1].EventStamp
	return len(deliveries), len(deliveries) < replayPage, nil
}

func (r *Replay) retryFailed(tx *db.Tx, where string, args []any) (int, bool, error) {
	list, err := readDeliveries(tx, " FROM "+where+" ORDER BY d.position LIMIT "+replayPageText, args...)
	if err != nil || len(list) == 0 {
		return 0, true, err
	}
	again(tx, r.Endpoint, list)
	r.after = list[len(list)-1].Position
	return len(list), len(list) < replayPage, nil
}

// Keep stores the remainder of a replay; a worker continues it.
func (r *Replay) Keep(tx db.Writer) {
	replayTable.InsertOne(tx, *r)
	tx.Wake(Topic)
}

// mostLeft bounds what Left counts of each replay.
const mostLeft = 100_000

// Left counts the deliveries that replays and bulk retries of an endpoint have still to queue; more reports that
// there are more than it counted.
func Left(tx *db.Tx, endpoint id.Endpoint) (n int64, more bool, err error) {
	list, err := db.List(tx, replayTable.Scanner(),
		"SELECT "+replayTable.Columns("")+" FROM replays WHERE tenant_id = $1 AND endpoint_id = $2::UUID", tx.Tenant, endpoint)
	if err != nil || len(list) == 0 {
		return 0, false, err
	}
	e, err := ByID(tx, endpoint)
	for i := 0; i < len(list) && err == nil; i++ {
		var left int64
		where, args := list[i].condition(tx, e)
		err = tx.Row(fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM %s LIMIT %d) AS following", where, mostLeft), args, &left)
		n, more = n+left, more || left == mostLeft
	}
	return n, more, err
}

// OpenReplay identifies a replay that is not complete.
type OpenReplay struct {
	Tenant id.Tenant
	ID     string
}

// Resume does the next part of a stored replay; more reports whether there is more to do.
func Resume(tx *db.Tx, which string) (more bool, err error) {
	list, err := db.List(tx, replayTable.Scanner(),
		"SELECT "+replayTable.Columns("")+" FROM replays WHERE tenant_id = $1 AND id = $2::UUID FOR UPDATE",
		tx.Tenant, which)
	if err != nil || len(list) == 0 {
		return false, err
	}
	r := &list[0]
	_, done, err := r.Run(tx)
	if err != nil {
		return false, err
	}
	if !done {
		tx.Queue("UPDATE replays SET after = $3 WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, r.ID, r.after)
		tx.Wake(Topic)
		return true, nil
	}
	tx.Queue("DELETE FROM replays WHERE tenant_id = $1 AND id = $2", tx.Tenant, which)
	return false, nil
}
