package orders

import (
	"slices"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// countryCounts are maintained counts about a filter with a country: of the account, and of any time.
type countryCounts struct {
	all      int64 // orders of the account
	country  int64 // how many of these are shipped to the country
	states   int64 // orders to the country that the filter's statuses let through
	channel  int64 // orders of the filter's channel, or of any if it has none, that the statuses let through
	matching int64 // orders to the country, of the channel and the statuses
}

// countCountry reads the maintained counts about a filter with a country.
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
