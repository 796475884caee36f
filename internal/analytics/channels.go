package analytics

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/money"
)

// Channel is how one channel did in a span; the channel with an empty id stands for orders without one.
type Channel struct {
	ID         id.Channel
	Name       string
	Platform   string
	Status     string
	Orders     int64 // that are not cancelled
	Cancelled  int64
	Returned   int64
	Revenue    money.Total // in the account's currency
	LastOrder  int64       // when the newest order of the span came, microseconds; 0 for none
	Published  int64       // publications now
	Waiting    int64
	Failed     int64
	LastSync   int64
	FailedJobs int64 // of the span
}

// Channels reads every channel of the account, the best seller first.
func Channels(tx *db.Tx, currency string, s Span) ([]Channel, error) {
	return db.List(tx, func(r db.Rows) (c Channel, err error) {
		var big, small int64
		err = r.Scan(db.Opt(&c.ID), &c.Name, &c.Platform, &c.Status, db.Opt(&c.LastSync), &c.Orders, &c.Cancelled, &c.Returned, &big, &small, &c.LastOrder,
			&c.Published, &c.Waiting, &c.Failed, &c.FailedJobs)
		c.Revenue = sum(big, small)
		return c, err
	}, `WITH sold AS (
			SELECT channel_id, count(*) - sum(CASE WHEN status = 'CANCELLED' THEN 1 ELSE 0 END) AS orders,
				sum(CASE WHEN status = 'CANCELLED' THEN 1 ELSE 0 END) AS cancelled, sum(CASE WHEN status = 'RETURNED' THEN 1 ELSE 0 END) AS returned,
				`+summed("CASE WHEN status <> 'CANCELLED' AND currency = $4 THEN total ELSE 0 END")+`, max(created_at) AS newest
			FROM orders WHERE tenant_id = $1 AND created_at >= $2 AND created_at <= $3 GROUP BY channel_id),
		shown AS (
			SELECT channel_id, sum(CASE WHEN status = 'published' THEN 1 ELSE 0 END) AS published,
				sum(CASE WHEN status = 'pending' THEN 1 ELSE 0 END) AS waiting, sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END) AS failed
			FROM publications WHERE tenant_id = $1 GROUP BY channel_id),
		broken AS (
			SELECT channel_id, count(*) AS jobs FROM jobs WHERE tenant_id = $1 AND status = 'FAILED' AND completed_at >= $2 AND completed_at <= $3 GROUP BY channel_id),
		every_channel AS (
			SELECT id, name, platform, status, last_sync_at FROM channels WHERE tenant_id = $1
			UNION ALL SELECT NULL, '', '', '', NULL WHERE EXISTS (SELECT 1 FROM sold WHERE channel_id IS NULL))
		SELECT c.id, c.name, c.platform, c.status, c.last_sync_at, coalesce(s.orders, 0), coalesce(s.cancelled, 0), coalesce(s.returned, 0),
			coalesce(s.big, 0) AS big, coalesce(s.small, 0) AS small, coalesce(s.newest, 0), coalesce(p.published, 0), coalesce(p.waiting, 0), coalesce(p.failed, 0), coalesce(b.jobs, 0)
		FROM every_channel c
		LEFT JOIN sold s ON s.channel_id = c.id OR s.channel_id IS NULL AND c.id IS NULL
		LEFT JOIN shown p ON p.channel_id = c.id
		LEFT JOIN broken b ON b.channel_id = c.id
		ORDER BY coalesce(s.big, 0) + coalesce(s.small, 0) / 100000000 DESC, coalesce(s.small, 0) % 100000000 DESC, 6 DESC, c.name, c.id NULLS LAST`, tx.Tenant, s.From, s.To, currency)
}
