package customers

import (
	"slices"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/money"
)

// Rules say who belongs to a segment: an active customer for whom all of them hold; what is left out holds for everyone
// (interface §2.7.10). Times are microseconds since 1970 UTC; "after" includes the moment itself, "before" does not.
type Rules struct {
	TagsAny         []string
	TagsAll         []string
	MinOrders       *int64
	MinTotalSpent   *money.Amount
	Country         string // of an address; of the newest order's while the address book is empty
	CreatedAfter    *int64
	LastOrderAfter  *int64
	LastOrderBefore *int64 // never true without an order
}

// Segment is a saved filter.
type Segment struct {
	ID        id.Segment
	Name      string
	Rules     Rules
	CreatedAt int64
	UpdatedAt int64
}

// PrefetchOrders reports whether the rules need to know when the last order was.
func (r Rules) PrefetchOrders() bool { return r.LastOrderAfter != nil || r.LastOrderBefore != nil }

// Match reports whether a customer, read with tags and addresses, is in the segment. lastOrder is when the newest order was
// created, 0 for none.
func (r Rules) Match(c *Customer, lastOrder int64) bool {
	switch {
	case c.Status != Active,
		len(r.TagsAny) > 0 && !slices.ContainsFunc(r.TagsAny, func(tag string) bool { return slices.Contains(c.Tags, tag) }),
		slices.ContainsFunc(r.TagsAll, func(tag string) bool { return !slices.Contains(c.Tags, tag) }),
		r.MinOrders != nil && c.OrdersCount < *r.MinOrders,
		r.MinTotalSpent != nil && c.TotalSpent < *r.MinTotalSpent,
		r.Country != "" && !c.livesIn(r.Country),
		r.CreatedAfter != nil && c.CreatedAt < *r.CreatedAfter,
		r.LastOrderAfter != nil && (lastOrder == 0 || lastOrder < *r.LastOrderAfter),
		r.LastOrderBefore != nil && (lastOrder == 0 || lastOrder >= *r.LastOrderBefore):
		return false
	}
	return true
}

func (c *Customer) livesIn(country string) bool {
	if len(c.Addresses) == 0 {
		return c.OrderCountry.Code == country
	}
	return slices.ContainsFunc(c.Addresses, func(a Address) bool { return a.Country == country })
}

// where is Match in SQL, for a customer c.
func (r Rules) where(q *query) []string {
	conditions := []string{"c.status = 'active'"}
	and := func(condition string) { conditions = append(conditions, condition) }
	if len(r.TagsAny) > 0 {
		tags := make([]string, len(r.TagsAny))
		for i, tag := range r.TagsAny {
			tags[i] = q.bind(tag)
		}
		and(hasTag(tags))
	}
	for _, tag := range r.TagsAll {
		and(hasTag([]string{q.bind(tag)}))
	}
	if r.MinOrders != nil {
		and("c.orders_count >= " + q.bind(*r.MinOrders))
	}
	if r.MinTotalSpent != nil {
		and("c.total_spent >= " + q.bind(*r.MinTotalSpent))
	}
	if r.Country != "" {
		country := q.bind(r.Country)
		const book = "EXISTS (SELECT 1 FROM customer_addresses a WHERE a.tenant_id = $1 AND a.customer_id = c.id"
		and("(" + book + " AND a.country = " + country + ") OR c.order_country = " + country + " AND NOT " + book + "))")
	}
	if r.CreatedAfter != nil {
		and("c.created_at >= " + q.bind(*r.CreatedAfter))
	}
	const ordered = "EXISTS (SELECT 1 FROM orders o WHERE o.tenant_id = $1 AND o.customer_id = c.id"
	if r.LastOrderAfter != nil {
		and(ordered + " AND o.created_at >= " + q.bind(*r.LastOrderAfter) + ")")
	}
	if r.LastOrderBefore != nil {
		and(ordered + ") AND NOT " + ordered + " AND o.created_at >= " + q.bind(*r.LastOrderBefore) + ")")
	}
	return conditions
}

const segmentColumns = "id, name, rules, created_at, updated_at"

func scanSegment(r db.Rows) (s Segment, err error) {
	var rules string
	if err := r.Scan(&s.ID, &s.Name, &rules, &s.CreatedAt, &s.UpdatedAt); err != nil {
		return s, err
	}
	s.Rules, err = parseRules(rules)
	return s, err
}

// Segments reads all segments, oldest first.
func Segments(tx *db.Tx) ([]Segment, error) { return PrefetchSegments(tx)() }

// PrefetchSegments asks for all segments, oldest first.
func PrefetchSegments(tx *db.Tx) func() ([]Segment, error) {
	var list []Segment
	asked := tx.Prefetch(func(r db.Rows) error {
		s, err := scanSegment(r)
		list = append(list, s)
		return err
	}, "SELECT "+segmentColumns+" FROM segments WHERE tenant_id = $1 ORDER BY id", tx.Tenant)
	return func() ([]Segment, error) {
		err := asked.Wait()
		return list, err
	}
}

// SegmentPage reads a page of segments, oldest first, and how many there are.
func SegmentPage(tx *db.Tx, limit, offset int) (list []Segment, total int64, err error) {
	if err := tx.Row("SELECT count(*) FROM segments WHERE tenant_id = $1", []any{tx.Tenant}, &total); err != nil {
		return nil, 0, err
	}
	list, err = db.List(tx, scanSegment, "SELECT "+segmentColumns+" FROM segments WHERE tenant_id = $1 ORDER BY id LIMIT $2::BIGINT OFFSET $3::BIGINT", tx.Tenant, limit, offset)
	return list, total, err
}

// SegmentByID reads one segment. Errors: NotFound.
func SegmentByID(tx *db.Tx, segment id.Segment) (*Segment, error) { return oneSegment(tx, segment, "") }

// LockSegment reads one segment for changing it. Errors: NotFound.
func LockSegment(tx *db.Tx, segment id.Segment) (*Segment, error) {
	return oneSegment(tx, segment, " FOR UPDATE")
}

func oneSegment(tx *db.Tx, segment id.Segment, lock string) (*Segment, error) {
	list, err := db.List(tx, scanSegment, "SELECT "+segmentColumns+" FROM segments WHERE tenant_id = $1 AND id = $2::UUID"+lock, tx.Tenant, segment)
	if err == nil && len(list) == 0 {
		err = apperr.Missing("segment")
	}
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

// Insert writes a new segment.
func (s *Segment) Insert(tx *db.Tx) {
	tx.Queue("INSERT INTO segments (tenant_id, id, name, rules, created_at, updated_at) VALUES ($1,$2,$3,$4,$5,$6)",
		tx.Tenant, s.ID, s.Name, s.Rules.text(), s.CreatedAt, s.UpdatedAt)
}

// Save writes a locked segment as it is now.
func (s *Segment) Save(tx *db.Tx) {
	tx.Queue("UPDATE segments SET name = $3, rules = $4, updated_at = $5 WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, s.ID, s.Name, s.Rules.text(), s.UpdatedAt).Rows(1, nil)
}

// Delete removes a locked segment.
func (s *Segment) Delete(tx *db.Tx) {
	tx.Queue("DELETE FROM segments WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, s.ID).Rows(1, apperr.Missing("segment"))
}
