package customers

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
)

// Rules define a segment: active customers for whom all rules hold; an absent rule holds for everyone (interface
// §2.7.10). Times are microseconds since 1970 UTC; "after" includes the time itself, "before" does not.
type Rules struct {
	TagsAny         []string
	TagsAll         []string
	MinOrders       *int64
	MinTotalSpent   *money.Amount
	Country         string // of an address; if the address book is empty, of the newest order
	CreatedAfter    *int64
	LastOrderAfter  *int64
	LastOrderBefore *int64 // never true for a customer without orders
}

// Segment is a saved filter.
type Segment struct {
	ID        id.Segment
	Name      string
	Rules     Rules
	CreatedAt int64
	UpdatedAt int64
}

// PrefetchOrders reports whether the rules need the time of the last order.
func (r Rules) PrefetchOrders() bool { return r.LastOrderAfter != nil || r.LastOrderBefore != nil }

// Match reports whether a customer, read with tags and addresses, is in the segment. lastOrder is when the newest order
// was created, 0 for none.
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

// where returns the SQL of Match, to find customers c.
func (r Rules) where(w *db.Where) { r.match(w, andTag) }

// holds is where for a few customers c, which other conditions select: it reads nothing of other customers.
func (r Rules) holds(w *db.Where) { r.match(w, andHasTag) }

func (r Rules) match(w *db.Where, andTag func(w *db.Where, tags ...string)) {
	w.And("c.status = 'active'")
	if len(r.TagsAny) > 0 {
		andTag(w, r.TagsAny...)
	}
	for _, tag := range r.TagsAll {
		andTag(w, tag)
	}
	if r.MinOrders != nil {
		w.And("c.orders_count >= ?", *r.MinOrders)
	}
	if r.MinTotalSpent != nil {
		w.And("c.total_spent >= ?", *r.MinTotalSpent)
	}
	if r.Country != "" {
		const book = "EXISTS (SELECT 1 FROM customer_addresses a WHERE a.tenant_id = $1 AND a.customer_id = c.id"
		w.And("("+book+" AND a.country = ?) OR c.order_country = ? AND NOT "+book+"))", r.Country, r.Country)
	}
	if r.CreatedAfter != nil {
		w.And("c.created_at >= ?", *r.CreatedAfter)
	}
	const ordered = "EXISTS (SELECT 1 FROM orders o WHERE o.tenant_id = $1 AND o.customer_id = c.id"
	if r.LastOrderAfter != nil {
		w.And(ordered+" AND o.created_at >= ?)", *r.LastOrderAfter)
	}
	if r.LastOrderBefore != nil {
		w.And(ordered+") AND NOT "+ordered+" AND o.created_at >= ?)", *r.LastOrderBefore)
	}
}

// LastOrders returns when the newest order of each customer was created; those without orders are left out.
func LastOrders(tx *db.Tx, customers []id.Customer) (map[id.Customer]int64, error) {
	last := map[id.Customer]int64{}
	return last, db.Chunks(customers, func(piece []id.Customer) error {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		return tx.Each(func(r db.Rows) error {
			var customer id.Customer
			var at int64
			err := r.Scan(&customer, &at)
			last[customer] = at
			return err
		}, "SELECT customer_id, max(created_at) FROM orders WHERE tenant_id = $1 AND customer_id IN "+db.In(len(args)-1,
			2)+" GROUP BY customer_id", args...)
	})
}

// Segments reads all segments, oldest first.
func Segments(r db.Reader) ([]Segment, error) { return PrefetchSegments(r).Wait() }

// PrefetchSegments prefetches all segments, oldest first.
func PrefetchSegments(r db.Reader) *db.Pending[[]Segment] {
	p := new(db.Pending[[]Segment])
	scan := segmentTable.Scanner()
	return p.Await(r.Prefetch(func(row db.Rows) error {
		s, err := scan(row)
		p.Value = append(p.Value, s)
		return err
	}, segmentTable.Select("")+" WHERE tenant_id = $1 ORDER BY id", r.TenantID()))
}

// SegmentPage reads a page of segments, oldest first, and how many there are.
func SegmentPage(tx *db.Tx, limit, offset int) ([]Segment, int64, error) {
	return segmentTable.Page(tx, db.NewWhere(tx, ""), "id", limit, offset)
}

// SegmentByID reads one segment. Errors: NotFound.
func SegmentByID(tx *db.Tx, segment id.Segment) (*Segment, error) {
	return oneSegment(tx, segment, db.NoLock)
}

// LockSegment reads one segment and locks it for a change. Errors: NotFound.
func LockSegment(tx *db.Tx, segment id.Segment) (*Segment, error) {
	return oneSegment(tx, segment, db.ForUpdate)
}

func oneSegment(tx *db.Tx, segment id.Segment, lock db.Lock) (*Segment, error) {
	s, err := segmentTable.One(tx, lock, "id = $2::UUID", segment)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// Insert writes a new segment, after the change clock (see NoteChange).
func (s *Segment) Insert(tx db.Writer) { segmentTable.InsertBehind(tx, *s) }

// Save writes a locked segment.
func (s *Segment) Save(tx db.Writer) { segmentTable.Update(tx, s, "id = $2::UUID", s.ID).Rows(1, nil) }

// Delete removes a locked segment.
func (s *Segment) Delete(tx db.Writer) {
	tx.Queue("DELETE FROM segments WHERE tenant_id = $1 AND id = $2::UUID", tx.TenantID(), s.ID).Rows(1, segmentTable.Missing())
}
