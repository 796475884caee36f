package jobs

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Order is one order of a job of type OrderBulk, and its outcome.
type Order struct {
	Job      id.Job
	Position int64
	ID       id.Order
	Number   int64
	Outcome  Outcome
	// why it was refused; before it is changed, what its change needs; once it was shipped, the shipment
	Message string
}

// Outcome is the outcome for an order or a product of a job; "" for an order that waits.
type Outcome string

// The outcomes.
const (
	Done      Outcome = "done"
	Unchanged Outcome = "unchanged" // of a product that was as the change wants it already
	Refused   Outcome = "refused"
)

var orderTable = db.NewTable("job_orders",
	db.Col("job_id", func(o *Order) any { return &o.Job }),
	db.Col("position", func(o *Order) any { return &o.Position }),
	db.Col("order_id", func(o *Order) any { return &o.ID }),
	db.Col("number", func(o *Order) any { return &o.Number }),
	db.Col("outcome", func(o *Order) any { return &o.Outcome }).Null(),
	db.Col("message", func(o *Order) any { return &o.Message }),
)

// InsertOrders queues the orders of a job, in their order.
func InsertOrders(tx db.Writer, job id.Job, list []Order) {
	for i := range list {
		list[i].Job, list[i].Position = job, int64(i)
	}
	orderTable.Insert(tx, list...)
}

// NextOrders reads the next orders of a job, up to limit.
func NextOrders(tx *db.Tx, job id.Job, limit int) ([]Order, error) {
	return db.List(tx, orderTable.Scanner(), "SELECT "+orderTable.Columns("")+" FROM job_orders WHERE tenant_id = $1 AND job_id = $2::UUID "+
		"AND outcome IS NULL ORDER BY position LIMIT $3::BIGINT", tx.Tenant, job, limit)
}

// Settle queues the outcome for an order. If it has one already, the transaction fails with ErrLost.
func (o Order) Settle(tx db.Writer) {
	tx.Queue("UPDATE job_orders SET outcome = $4, message = $5 WHERE tenant_id = $1 AND job_id = $2::UUID AND position = $3 "+
		"AND outcome IS NULL", tx.TenantID(), o.Job, o.Position, string(o.Outcome), o.Message).Rows(1, ErrLost)
}

// Report reads a page of the outcomes of a job, or only of those with one outcome, and how many there are.
func Report(tx *db.Tx, job id.Job, only Outcome, limit, offset int) ([]Order, int64, error) {
	w := db.AndGiven(db.NewWhere(tx, "").And("job_id = ?::UUID", job), "outcome = ?", string(only))
	return orderTable.Page(tx, w, "position", limit, offset)
}
