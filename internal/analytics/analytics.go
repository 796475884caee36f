// Package analytics answers how an account is doing, from the tables of the other nouns; it writes nothing
// (interface §4.5.11).
//
//	summary.go    the figures of a span beside those of the span before it
//	sales.go      the same by hour, day, week or month, and what sold best; series.go cuts spans at days of a time zone
//	overview.go   what the first page of the dashboard shows
//	channels.go   by channel
//	stock.go      what lies where, and what runs low
//	webhooks.go   how deliveries went
//
// Revenue is the total of orders that are not cancelled, each in its own currency. Amounts of another currency than the
// account's are never added to it: they are listed beside it.
package analytics

import (
	"entrepot/internal/db"
	"entrepot/internal/money"
)

// Span is a stretch of time in microseconds, both ends included.
type Span struct{ From, To int64 }

// before is the span of the same length that ends where this one starts.
func (s Span) before() Span { return Span{From: s.From - (s.To - s.From) - 1, To: s.From - 1} }

// Takings are orders and what they brought in, in one currency.
type Takings struct {
	Currency string
	Orders   int64 // that are not cancelled
	Revenue  money.Total
}

// Average is the revenue of one order, rounded half away from zero to the currency's minor unit.
func (t Takings) Average() money.Amount {
	if t.Orders == 0 {
		return 0
	}
	return t.Revenue.Mean(t.Orders, money.Digits(t.Currency))
}

// A sum of amounts may be more than 63 bits hold. So the store sums both parts of each amount (big·10^8 + small), of which even billions
// of the greatest fit, and sum puts them together.
func sum(big, small int64) money.Total { return money.TotalOf(big, 8).Plus(money.TotalOf(small, 0)) }

// count reads one number.
func count(tx *db.Tx, into *int64, sql string, args ...any) error {
	return tx.Row(sql, append([]any{tx.Tenant}, args...), into)
}
