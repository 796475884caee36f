package verify

import (
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/webhooks"
)

// recordKind is a table whose records have events for creation and deletion. columns are the id, the time of the
// creation, and the time of the deletion, 0 while the record exists.
type recordKind struct{ name, came, went, table, columns string }

var recordKinds = []recordKind{
	{"product", webhooks.ProductCreated, webhooks.ProductDeleted, "products", "id, created_at, coalesce(deleted_at, 0)"},
	{"category", webhooks.CategoryCreated, webhooks.CategoryDeleted, "categories", "id, created_at, coalesce(deleted_at, 0)"},
	{"customer", webhooks.CustomerCreated, webhooks.CustomerErased, "customers",
		"id, created_at, CASE WHEN merged_into IS NULL AND " + // the event comes with the end of an erasure
			"NOT EXISTS (SELECT 1 FROM jobs e WHERE e.tenant_id = $1 AND e.type = '" + string(jobs.CustomerErasure) + "' AND " +
			"e.subject = customers.id) THEN coalesce(erased_at, 0) ELSE 0 END"},
}

func recordEvents(c *account) error {
	horizon, err := c.horizon()
	if err != nil {
		return err
	}
	for _, kind := range recordKinds {
		var n int64
		err := c.Row("SELECT count(*) FROM "+kind.table+" WHERE tenant_id = $1 AND created_at >= $2", []any{c.Tenant, horizon}, &n)
		if err == nil {
			err = inParts(n, func(p part) error { return kind.check(c, horizon, p) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// check compares a part of the records that were created since the horizon with their events.
func (k recordKind) check(c *account, horizon int64, p part) error {
	type tally struct{ came, went, wantCame, wantWent int64 }
	tallies := map[string]*tally{}
	err := c.Each(func(r db.Rows) error {
		var id string
		var created, gone int64
		if err := r.Scan(&id, &created, &gone); err != nil || created < horizon || !p.has(id) {
			return err
		}
		c.look()
		t := &tally{wantCame: 1}
		if gone != 0 {
			t.wantWent = 1
		}
		tallies[id] = t
		return nil
	}, "SELECT "+k.columns+" FROM "+k.table+" WHERE tenant_id = $1", c.Tenant)
	if err != nil {
		return err
	}
	err = c.names(k.name+".", func(event, resource string) {
		switch t := tallies[resource]; {
		case t == nil:
		case event == k.came:
			t.came++
		case event == k.went:
			t.went++
		}
	})
	if err != nil {
		return err
	}
	for id, t := range tallies {
		if t.came != t.wantCame || t.went != t.wantWent {
			c.wrong("%s %s has the event %s %d times, not %d, and %s %d times, not %d", k.name, id, k.came, t.came, t.wantCame, k.went, t.went,
				t.wantWent)
		}
	}
	return nil
}
