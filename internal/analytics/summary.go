package analytics

import (
	"cmp"
	"slices"

	"entrepot/internal/base/money"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
)

// Summary is the figures of a span, and of the span of the same length before it.
type Summary struct {
	Span
	Takings        []Takings // by currency, the account's first
	Before         Takings   // of the span before, in the account's currency
	ItemsSold      int64     // quantity over all lines of orders that are not cancelled
	ByStatus       []StatusCount
	NewCustomers   int64
	Customers      int64 // active ones, now
	ActiveProducts int64 // now
	LowStock       int64 // stock levels below their threshold, now
	ToShip         int64 // orders that wait for shipment, now
}

// StatusCount is how many of a span's orders have a status now.
type StatusCount struct {
	Status string
	Orders int64
	Total  money.Total // in the account's currency only
}

// Summarize reads the summary of a span.
func Summarize(tx *db.Tx, currency string, s Span) (Summary, error) {
	out := Summary{Span: s, ByStatus: []StatusCount{}}
	err := tx.Together(func(tx *db.Tx) error {
		list, err := readFigures(tx, "", s, spans.Days, 1, "currency, status")
		out.Takings = takings(list, currency)
		out.countByStatus(list, currency)
		return err
	}, func(tx *db.Tx) error {
		list, err := readFigures(tx, "", s.before(), spans.Days, 1, "currency, status")
		out.Before = takings(list, currency)[0]
		return err
	}, func(tx *db.Tx) error {
		waiting, err := readFiguresOf(tx, "('PARTIALLY_SHIPPED','PROCESSING')", "", Span{To: spans.Last}, spans.Days, 1, "status")
		for _, f := range waiting {
			out.ToShip += f.orders
		}
		return err
	}, func(tx *db.Tx) error { return newCustomers(tx, &out.NewCustomers, s) }, out.readTallies)
	return out, err
}

// newCustomers counts the customers of a span.
func newCustomers(tx *db.Tx, into *int64, s Span) error {
	return count(tx, into,
		"SELECT count(*) FROM customers WHERE tenant_id = $1 AND created_at >= $2 AND created_at <= $3 AND status = 'active'", s.From, s.To)
}

// readTallies reads the present counts, which writes keep up to date.
func (out *Summary) readTallies(tx *db.Tx) error {
	counts, err := db.PrefetchTallies(tx, "customers", "products", "low").Wait()
	out.Customers, out.ActiveProducts = counts["customers"]["active"], counts["products"]["ACTIVE"]
	for _, n := range counts["low"] {
		out.LowStock += n
	}
	return err
}

// countByStatus groups figures by status.
func (out *Summary) countByStatus(list []figure, currency string) {
	for _, f := range list {
		at := slices.IndexFunc(out.ByStatus, func(c StatusCount) bool { return c.Status == f.status })
		if at < 0 {
			at = len(out.ByStatus)
			out.ByStatus = append(out.ByStatus, StatusCount{Status: f.status})
		}
		out.ByStatus[at].Orders += f.orders
		if f.currency == currency {
			out.ByStatus[at].Total = out.ByStatus[at].Total.Plus(f.total)
		}
		if f.status != cancelled {
			out.ItemsSold += f.items
		}
	}
	slices.SortFunc(out.ByStatus, func(a, b StatusCount) int { return cmp.Compare(a.Status, b.Status) })
}
