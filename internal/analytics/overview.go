package analytics

import (
	"slices"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Overview is the figures of a span by day and by channel, and of another span: the first page of the dashboard, read
// in one message, or two if days are not those of UTC.
type Overview struct {
	Now, Before  Sales
	Shares       []Channel // those with orders, the best seller first: id, name, platform, orders and revenue
	Channels     []Channel // all of the account, by name: id, name and platform
	NewCustomers int64
	Customers    int64 // active ones, now
	Low          int64 // stock levels below their threshold, now
}

// ReadOverview reads the figures of a span of whole days in a time zone, and those of the span before it. Unless only
// is "", sales are of that channel alone; customers and stock belong to none.
func ReadOverview(tx *db.Tx, currency string, only id.Channel, now, before Span, zone *time.Location) (out Overview, err error) {
	var figures []figure
	var list []Channel
	var kept Summary
	err = tx.Together(func(tx *db.Tx) (err error) {
		out.Now, figures, err = readSeries(tx, currency, only, now, Day, zone, "start, channel, currency, status")
		return err
	}, func(tx *db.Tx) (err error) {
		out.Before, _, err = readSeries(tx, currency, only, before, Day, zone, "start, currency, status")
		return err
	}, func(tx *db.Tx) (err error) {
		list, err = db.List(tx, func(r db.Rows) (c Channel, err error) { return c, r.Scan(&c.ID, &c.Name, &c.Platform) },
			"SELECT id, name, platform FROM channels WHERE tenant_id = $1 ORDER BY name, id", tx.Tenant)
		return err
	}, func(tx *db.Tx) error { return newCustomers(tx, &out.NewCustomers, now) }, kept.readTallies)
	out.Customers, out.Low = kept.Customers, kept.LowStock
	if err == nil {
		out.Channels, out.Shares = slices.Clone(list), sharesOf(list, figures, currency)
	}
	return out, err
}

// sharesOf adds figures to their channels and leaves out channels without orders.
func sharesOf(list []Channel, figures []figure, currency string) (shares []Channel) {
	for _, c := range counted(list, figures, currency) {
		if c.Orders > 0 {
			shares = append(shares, c)
		}
	}
	slices.SortFunc(shares, bestFirst)
	return shares
}

// counted adds figures to their channels, and those of orders without a channel to one without id. The list is not
// sorted.
func counted(list []Channel, figures []figure, currency string) []Channel {
	at := make(map[id.Channel]int, len(list))
	for i := range list {
		at[list[i].ID] = i
	}
	for _, f := range figures {
		i, known := at[id.Channel(f.channel)]
		if !known {
			if f.channel != "" {
				continue
			}
			i = len(list)
			at[""], list = i, append(list, Channel{})
		}
		list[i].add(f, currency)
	}
	return list
}
