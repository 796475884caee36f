package analytics

import (
	"cmp"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
)

// Channel is the figures of one channel in a span; the empty id is for orders without a channel.
type Channel struct {
	ID         id.Channel
	Name       string
	Platform   string
	Status     string
	Orders     int64 // without cancelled ones
	Cancelled  int64
	Returned   int64
	Revenue    money.Total // in the account's currency
	LastOrder  int64       // creation of the span's newest order, microseconds; 0 for none
	Published  int64       // publications now
	Waiting    int64
	Failed     int64
	LastSync   int64
	FailedJobs int64 // of the span
}

// Channels reads every channel of the account, the best seller first, and orders without a channel if there are any.
func Channels(tx *db.Tx, currency string, s Span) ([]Channel, error) {
	var figures []figure
	var list []Channel
	err := tx.Together(func(tx *db.Tx) (err error) {
		figures, err = readFigures(tx, "", s, spans.Days, 1, "channel, currency, status")
		return err
	}, func(tx *db.Tx) (err error) {
		list, err = channelRows(tx, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	list = counted(list, figures, currency)
	if err := newestOrders(tx, s, list); err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, bestFirst)
	return list, nil
}

// bestFirst sorts channels by revenue.
func bestFirst(a, b Channel) int {
	return cmp.Or(b.Revenue.Compare(a.Revenue), cmp.Compare(b.Orders, a.Orders), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}

// add adds a figure to the channel's.
func (c *Channel) add(f figure, currency string) {
	switch f.status {
	case cancelled:
		c.Cancelled += f.orders
		return
	case "RETURNED":
		c.Returned += f.orders
	}
	c.Orders += f.orders
	if f.currency == currency {
		c.Revenue = c.Revenue.Plus(f.total)
	}
}

// channelRows reads every channel without its orders.
func channelRows(tx *db.Tx, s Span) ([]Channel, error) {
	return db.List(tx, func(r db.Rows) (c Channel, err error) {
		return c, r.Scan(&c.ID, &c.Name, &c.Platform, &c.Status, db.Opt(&c.LastSync), &c.Published, &c.Waiting, &c.Failed, &c.FailedJobs)
	}, `WITH broken AS (
			SELECT channel_id, count(*) AS jobs FROM jobs WHERE tenant_id = $1 AND status = 'FAILED' AND completed_at >= $2
				AND completed_at <= $3 GROUP BY channel_id)
		SELECT c.id, c.name, c.platform, c.status, c.last_sync_at,
			`+publications("published")+", "+publications("pending")+", "+publications("failed")+`, coalesce(b.jobs, 0)
		FROM channels c LEFT JOIN broken b ON b.channel_id = c.id
		WHERE c.tenant_id = $1`, tx.Tenant, s.From, s.To)
}

// publications is the stored count of a channel's publications with a status.
func publications(status string) string {
	return "coalesce((SELECT t.n FROM tallies t WHERE t.tenant_id = $1 AND t.name = 'publications' AND t.key = c.id::TEXT || ' " +
		status + "'), 0)"
}

// newestOrders finds the newest order of the span in each channel: the newest of each status. The ORDER BY names all
// columns of the index, because PostgreSQL does not treat "no channel" as one value and would sort.
func newestOrders(tx *db.Tx, s Span, list []Channel) error {
	var all []*db.PendingRead
	for i := range list {
		c := &list[i]
		if c.Orders+c.Cancelled == 0 {
			continue
		}
		args, of := []any{tx.Tenant, s.From, s.To}, "IS NULL"
		if c.ID != "" {
			args, of = append(args, c.ID), "= $4::UUID"
		}
		all = append(all, tx.Prefetch(func(r db.Rows) error { return r.Scan(&c.LastOrder) },
			`WITH v(status) AS (VALUES `+everyRow+`) SELECT coalesce(max(newest), 0)::BIGINT FROM (SELECT (SELECT o.created_at FROM orders o
				WHERE o.tenant_id = $1 AND o.channel_id `+of+`
				AND o.status = v.status AND o.created_at >= $2 AND o.created_at <= $3 
				ORDER BY o.channel_id DESC, o.status DESC, o.created_at DESC LIMIT 1) AS newest
			FROM v) AS by_status`, args...))
	}
	return db.WaitAll(all)
}
