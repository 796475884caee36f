package verify

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// deliveryKey identifies a maintained figure of an endpoint's deliveries.
type deliveryKey struct {
	width, bucket int64
	event         string
}

// deliveryFigures computes every maintained figure of deliveries again, endpoint by endpoint and day by day. The figures of
// a deleted endpoint are deleted together, after its deliveries.
func deliveryFigures(c *account) error {
	endpoints, err := db.List(c.Tx, func(r db.Rows) (e id.Endpoint, err error) { return e, r.Scan(&e) },
		"SELECT id FROM endpoints WHERE tenant_id = $1 AND deleted_at IS NULL", c.Tenant)
	if err != nil {
		return err
	}
	for _, e := range endpoints {
		days, err := daysOf(c, e)
		if err != nil {
			return err
		}
		for _, day := range days {
			if err := deliveriesOfDay(c, e, day); err != nil {
				return err
			}
		}
	}
	return nil
}

// daysOf returns the days on which an endpoint has deliveries or figures.
func daysOf(c *account, e id.Endpoint) (days []int64, err error) {
	for _, from := range []string{"position / $3::BIGINT * $3::BIGINT FROM deliveries",
		"bucket / $3::BIGINT * $3::BIGINT FROM delivery_figures"} {
		more, err := db.List(c.Tx, func(r db.Rows) (day int64, err error) { return day, r.Scan(&day) },
			"SELECT DISTINCT "+from+" WHERE tenant_id = $1 AND endpoint_id = $2::UUID", c.Tenant, e, spans.Widths[spans.Days])
		if err != nil {
			return nil, err
		}
		days = append(days, more...)
	}
	slices.Sort(days)
	return slices.Compact(days), nil
}

// deliverySums are the sums of deliveries, as stored and as kept: pending, delivered, failed, attempts, successful attempts, and their
// total duration.
type deliverySums map[deliveryKey]*[2][6]int64

func (s deliverySums) add(side int, k deliveryKey, n [6]int64) {
	sums := s[k]
	if sums == nil {
		sums = new([2][6]int64)
		s[k] = sums
	}
	for i := range n {
		sums[side][i] += n[i]
	}
}

// deliveriesOfDay compares one day of an endpoint.
func deliveriesOfDay(c *account, e id.Endpoint, day int64) error {
	found := deliverySums{}
	args := []any{c.Tenant, e, day, day + spans.Widths[spans.Days]}
	if err := found.addStored(c, args); err != nil {
		return err
	}
	if err := found.addSums(c, args); err != nil {
		return err
	}
	for k, sums := range found {
		c.look()
		if sums[stored] == sums[kept] {
			continue
		}
		c.derived(func(tx *db.Tx) error {
			by := sums[stored]
			for i := range by {
				by[i] -= sums[kept][i]
			}
			webhooks.CorrectFigure(tx, e, k.width, k.bucket, k.event, by)
			return nil
		}, "deliveries of %s to endpoint %s from %d on for %d µs: pending, delivered, failed, attempts, answered and "+
			"milliseconds are %d, kept as %d", k.event, e, k.bucket, k.width, sums[stored], sums[kept])
	}
	return nil
}

// addStored adds up the deliveries of a day and their attempts; args are account, endpoint, begin and end.
func (s deliverySums) addStored(c *account, args []any) error {
	return c.Each(func(r db.Rows) error {
		var k deliveryKey
		var at int64
		var n [6]int64
		err := r.Scan(&at, &k.event, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5])
		for _, k.width = range spans.Widths {
			if k.bucket = spans.Down(at, k.width); n != [6]int64{} {
				s.add(stored, k, n)
			}
		}
		return err
	}, `SELECT d.position, d.event, CASE WHEN d.state = 'pending' THEN 1 ELSE 0 END, CASE WHEN d.state = 'delivered' THEN 1 ELSE 0 END,
			CASE WHEN d.state = 'failed' THEN 1 ELSE 0 END,
			(SELECT count(*) FROM attempts t WHERE t.tenant_id = $1 AND t.endpoint_id = $2::UUID AND t.position = d.position),
			(SELECT count(*) FROM attempts t WHERE t.tenant_id = $1 AND t.endpoint_id = $2::UUID AND t.position = d.position
				AND t.error IS NULL AND t.status_code >= 200 AND t.status_code < 300),
			(SELECT coalesce(sum(t.duration_ms), 0)::BIGINT FROM attempts t WHERE t.tenant_id = $1 AND t.endpoint_id = $2::UUID
				AND t.position = d.position)
		FROM deliveries d WHERE d.tenant_id = $1 AND d.endpoint_id = $2::UUID AND d.position >= $3 AND d.position < $4`, args...)
}

// addSums adds the maintained figures of a day; args as of addStored.
func (s deliverySums) addSums(c *account, args []any) error {
	for _, width := range spans.Widths {
		err := c.Each(func(r db.Rows) error {
			k := deliveryKey{width: width}
			var n [6]int64
			err := r.Scan(&k.bucket, &k.event, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5])
			s.add(kept, k, n)
			return err
		}, `SELECT bucket, event, pending, delivered, failed, attempts, answered, duration_ms FROM delivery_figures
			WHERE tenant_id = $1 AND endpoint_id = $2::UUID AND bucket >= $3 AND bucket < $4 AND span = $5`, append(args, width)...)
		if err != nil {
			return err
		}
	}
	return nil
}
