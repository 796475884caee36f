package orders

import (
	"slices"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// countryCounts are kept counts about a filter with a country: of the account, and of any time.
type countryCounts struct {
	all      int64 // orders of the account
	country  int64 // of these, those to the country
	states   int64 // orders to the country that the filter's statuses let through
	channel  int64 // orders of the filter's channel, or of any if it has none, that the statuses let through
	matching int64 // orders to the country, of the channel and the statuses
}

// countCountry reads the kept counts about a filter with a country.
func (f Filter) countCountry(tx *db.Tx) (c countryCounts, err error) {
	fits := func(status Status, channel id.Channel, n int64, states, of *int64) {
		if !slices.Contains(f.states(), status) {
			return
		}
		if states != nil {
			*states += n
		}
		if f.Channel == "" || f.Channel == channel {
			*of += n
		}
	}
	anywhere := eachTallied(tx, func(status Status, channel id.Channel, n int64) {
		c.all += n
		fits(status, channel, n, nil, &c.channel)
	})
	there := tx.Prefetch(func(row db.Rows) error {
		var key string
		var n int64
		err := row.Scan(&key, &n)
		_, of, _ := strings.Cut(key, " ")
		status, channel, _ := strings.Cut(of, " ")
		c.country += n
		fits(Status(status), id.Channel(channel), n, &c.states, &c.matching)
		return err
	}, "SELECT key, n FROM tallies WHERE tenant_id = $1 AND name = $2 AND key >= $3 AND key < $4", tx.Tenant, ToCountry, f.Country+" ",
		f.Country+"!") // the sign after the blank
	return c, db.WaitAll([]*db.PendingRead{anywhere, there})
}

// countries counts the orders that have a country, whichever.
func countries(tx *db.Tx) (n int64, err error) {
	return n, tx.Row("SELECT coalesce(sum(n), 0)::BIGINT FROM tallies WHERE tenant_id = $1 AND name = $2", []any{tx.Tenant, ToCountry}, &n)
}

// keptByCountry reports whether kept counts tell how many orders match: by country, statuses and channel.
func (f Filter) keptByCountry() bool {
	rows := f.RowFilter
	rows.Country = ""
	return f.Country != "" && rows == (RowFilter{}) && f.From == 0 && f.To == 0
}

// listTo reads a page of orders to a country, without lines.
func listTo(tx *db.Tx, f Filter) ([]Order, int64, error) {
	c, err := f.countCountry(tx)
	if err != nil || c.matching == 0 {
		return []Order{}, 0, err
	}
	if f.counts = &c; c.country == c.all { // what all have selects nothing
		f.Country = ""
	}
	return f.list(tx)
}

// led is how many orders an index has of which those that match a filter with a country are some, and which index has the fewest.
func (c *countryCounts) led(f Filter) (int64, access) {
	if f.Channel != "" && c.channel < c.states {
		return c.channel, byStatus
	}
	return c.states, byCountry
}
