// Package analytics computes figures of an account from the tables of the other nouns; it writes nothing (interface §4.5.11).
//
//	summary.go    the figures of a span and of the span before it
//	sales.go      the same by hour, day, week or month, and the best sellers; series.go divides spans at days of a time zone
//	overview.go   the first page of the dashboard
//	channels.go   by channel
//	stock.go      stock by warehouse, and low levels
//	webhooks.go   outcomes of deliveries
//
// Revenue is the total of orders that are not cancelled, each in its own currency. Amounts in a currency other than
// the account's are never added to it: they are listed separately.
package analytics

import (
	"entrepot/internal/base/money"
	"entrepot/internal/db"
)

// Span is a range of time in microseconds, both ends included.
type Span struct{ From, To int64 }

// before is the span of the same length right before this one.
func (s Span) before() Span { return Span{From: s.From - (s.To - s.From) - 1, To: s.From - 1} }

// Takings are orders and their revenue, in one currency.
type Takings struct {
	Currency string
	Orders   int64 // without cancelled ones
	Revenue  money.Total
}

// Average is the revenue of one order, rounded half away from zero to the currency's minor unit.
func (t Takings) Average() money.Amount {
	if t.Orders == 0 {
		return 0
	}
	return t.Revenue.Mean(t.Orders, money.Digits(t.Currency))
}

// A sum of amounts may need more than 63 bits. So the store sums two parts of each amount (big·10^8 + small), which
// cannot overflow for billions of the greatest amounts, and sum joins them.
func sum(big, small int64) money.Total { return money.TotalOf(big, 8).Plus(money.TotalOf(small, 0)) }

// count reads one number.
func count(tx *db.Tx, into *int64, sql string, args ...any) error {
	return tx.Row(sql, append([]any{tx.Tenant}, args...), into)
}
