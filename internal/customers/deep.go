package customers

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Bounds of deep pages. Tests lower the first.
var (
	deepFrom   = 10_000 // the offset from which a page is worth looking for in the index alone
	mostMerged = 5_000  // merged records from which on their rows are passed one by one
)

// beforePage finds the customer that comes before a deep page of an account's total customers, so that the page can be read as the one
// behind it. It passes entries of the key's index, from the end that is nearer, and reads no row of them. The index has the records that
// were merged into another too: the place moves on by as many as lists leave out before it. found is false if there are too many of them.
func (f Filter) beforePage(tx *db.Tx, total int64) (which id.Customer, found bool, err error) {
	var merged []id.Customer
	if !f.IncludeInactive {
		merged, err = db.List(tx, func(r db.Rows) (c id.Customer, err error) { return c, r.Scan(&c) },
			"SELECT id FROM customers WHERE tenant_id = $1 AND merged_into IS NOT NULL LIMIT $2::BIGINT", tx.Tenant, mostMerged+1)
		if err != nil || len(merged) > mostMerged {
			return "", false, err
		}
	}
	at := place{oldest: int64(f.Offset) > total/2}
	wanted := int64(f.Offset) // how many customers there are up to it
	if at.oldest {
		wanted = total - wanted + 1
	}
	for passed := int64(0); passed < wanted; {
		if err := at.pass(tx, wanted-passed); err != nil {
			return "", false, err
		}
		if at.which == "" { // fewer than were counted
			return "", false, nil
		}
		passed = at.passed
		for _, m := range merged {
			if !at.isBefore(m) {
				passed--
			}
		}
	}
	return at.which, true, nil
}

// place is an entry of the index of customers, counted from one of its ends.
type place struct {
	oldest bool // from the oldest one on
	which  id.Customer
	passed int64 // entries up to it, itself included
}

// pass moves the place on by n entries; which is "" behind the last one.
func (p *place) pass(tx *db.Tx, n int64) error {
	w := db.NewWhere(tx, "c")
	order, behind := " DESC", "c.id < ?::UUID"
	if p.oldest {
		order, behind = "", "c.id > ?::UUID"
	}
	db.AndGiven(w, behind, p.which)
	p.which, p.passed = "", p.passed+n
	return tx.Each(func(r db.Rows) error { return r.Scan(&p.which) },
		"SELECT c.id FROM customers c WHERE "+w.String()+" ORDER BY c.id"+order+" LIMIT 1 OFFSET "+w.Bind(n-1)+"::BIGINT", w.Args()...)
}

// isBefore reports whether the place comes before a customer.
func (p *place) isBefore(c id.Customer) bool {
	if p.oldest {
		return p.which < c
	}
	return p.which > c
}
