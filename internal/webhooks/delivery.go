package webhooks

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// State says whether a delivery is pending, delivered or failed.
type State string

// The states (interface §3.2).
const (
	Pending   State = "pending"
	Delivered State = "delivered"
	Failed    State = "failed"
)

// States lists them.
var States = []State{Pending, Delivered, Failed}

// Delivery is one event on its way to one endpoint.
type Delivery struct {
	ID          id.Delivery
	Endpoint    id.Endpoint
	Position    int64 // its position in the endpoint's queue, a time in microseconds
	Event       id.Event
	EventStamp  int64
	Name        string // of the event
	Resource    string
	Ordered     bool
	ByHand      bool
	State       State
	Attempts    int64 // number of attempts so far
	DueAt       int64 // 0 when delivered or failed, and while an earlier delivery of its ordering key is pending
	AttemptedAt int64 // of the newest attempt, 0 before the first
	StatusCode  int64 // of the newest attempt's answer, 0 for none
	Error       string
}

// liveDeliveries leaves out deliveries to deleted endpoints.
const liveDeliveries = " FROM deliveries d JOIN queues q ON q.tenant_id = d.tenant_id AND q.endpoint_id = d.endpoint_id "

// readDeliveries reads the deliveries d that from, the end of the statement, selects.
func readDeliveries(tx *db.Tx, from string, args ...any) ([]Delivery, error) {
	return db.List(tx, deliveryTable.Scanner(), "SELECT "+deliveryTable.Columns("d")+from, args...)
}

// DeliveryByID reads a delivery. Errors: NotFound.
func DeliveryByID(tx *db.Tx, delivery id.Delivery) (*Delivery, error) {
	d, err := deliveryTable.First(readDeliveries(tx, liveDeliveries+"WHERE d.tenant_id = $1 AND d.id = $2", tx.Tenant, delivery))
	return &d, err
}

// Filter selects deliveries of an endpoint; zero values leave a condition out.
type Filter struct {
	Endpoint      id.Endpoint
	State         State
	Event         string
	Resource      string
	From, To      int64 // of position, both included
	Limit, Offset int
}

// forever is later than every time in the store.
const forever = 1 << 62

// shallow is how many deliveries a page skips one by one in an index. A page further down is found by the stored
// figures.
const shallow = 1_000

// Deliveries reads a page of an endpoint's deliveries, newest first, and how many match. Errors: NotFound for the
// endpoint.
func Deliveries(tx *db.Tx, f Filter) (list []Delivery, total int64, err error) {
	counts, err := Tally(tx, f.Endpoint)
	if err != nil || counts.Of(f.State) == 0 {
		return nil, 0, err
	}
	// by an index in the page's order
	indexed := f.Resource != "" || f.Event == "" && (f.State == "" || f.State == Failed)
	if f.Resource == "" && (!indexed || f.From > 0 || f.To > 0 || f.Offset > shallow) {
		stretches, err := f.stretches(tx)
		if err != nil {
			return nil, 0, err
		}
		for _, s := range stretches {
			total += s.n
		}
		if !indexed || f.Offset > shallow {
			list, err = f.pageOf(tx, stretches)
			return list, total, err
		}
	} else if total = counts.Of(f.State); f.Resource != "" {
		w := f.spanned(tx)
		if err := tx.Row("SELECT count(*) FROM deliveries d WHERE "+w.String(), w.Args(), &total); err != nil {
			return nil, 0, err
		}
	}
	// the total is known, so a search for the last few ends when they are found
	limit := min(int64(f.Limit), total-int64(f.Offset))
	if limit <= 0 {
		return nil, total, nil
	}
	// Positions first: the index has them, and the rows are then read by position.
	w := f.spanned(tx)
	positions, err := db.List(tx, func(r db.Rows) (position int64, err error) { return position, r.Scan(&position) },
		"SELECT d.position FROM deliveries d WHERE "+w.String()+" ORDER BY d.position DESC LIMIT "+w.Bind(limit)+"::BIGINT OFFSET "+
			w.Bind(f.Offset)+"::BIGINT", w.Args()...)
	if err != nil || len(positions) == 0 {
		return nil, total, err
	}
	args := append([]any{tx.Tenant, f.Endpoint}, db.Padded(positions)...)
	list, err = readDeliveries(tx, " FROM deliveries d WHERE d.tenant_id = $1 AND d.endpoint_id = $2 AND d.position IN "+
		db.In(len(args)-2, 3)+" ORDER BY d.position DESC", args...)
	return list, total, err
}

// spanned has all conditions of the filter.
func (f *Filter) spanned(tx *db.Tx) *db.Where {
	w := f.where(tx)
	if f.State == Failed { // a literal, so that the planner uses the partial index
		w.And("d.state = 'failed'")
	}
	if f.From > 0 {
		w.And("d.position >= ?", f.From)
	}
	if f.To > 0 {
		w.And("d.position <= ?", f.To)
	}
	return w
}

// Attempt is one try of a delivery.
type Attempt struct {
	Number     int64 // from 1
	At         int64 // when it was sent
	StatusCode int64 // 0 without an answer
	Duration   int64 // milliseconds
	Error      string
	Response   string // the beginning of the answer's body
}

// Answered reports whether the attempt delivered the event: the answer was 2xx and complete.
func (a *Attempt) Answered() bool { return a.Error == "" && a.StatusCode >= 200 && a.StatusCode < 300 }

// answered is Answered in SQL: 1 or 0 of the attempts t.
const answered = "CASE WHEN t.error IS NULL AND t.status_code >= 200 AND t.status_code < 300 THEN 1 ELSE 0 END"

// Tries reads the attempts of a delivery, first to last.
func (d *Delivery) Tries(tx *db.Tx) ([]Attempt, error) {
	return attemptTable.All(tx, "AND endpoint_id = $2 AND position = $3 ORDER BY number", d.Endpoint, d.Position)
}
