package customers

import (
	"maps"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/migrations"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
)

// The migration gives the customers of an older store the same texts as the service does, and they are found by the digits.
func TestPhonesOfOlderStores(t *testing.T) {
	dbtest.PlainEngines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		want := map[id.Customer]string{}
		commit(t, store, tenant, func(tx *db.Tx) {
			for _, phone := range []string{"", "-", "00", "0611", "+49 (30) 123-456", "+49 (0)30/123456", "0049\u00a030 12.34.56", "030 123456",
				"(555) 123-4567", "1-555-123-4567", "555 Ext. 12", "+", "((0)0)7"} {
				c := newCustomer(id.New[string]() + "@x.y")
				c.Phone = phone
				InsertUnreported(tx, c)
				want[c.ID] = c.search()
				older, _, _ := strings.Cut(c.search(), " "+phoneMark)
				tx.Queue("UPDATE customers SET search = $3 WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, c.ID, older)
			}
		})
		commit(t, store, tenant, func(tx *db.Tx) { tx.Queue("DELETE FROM search_loose WHERE tenant_id = $1", tx.Tenant) })
		for _, m := range migrations.Known() {
			for statement := range strings.SplitSeq(m.Text, ";\n") {
				if m.Name == "0077_phone_digits.sql" && statement != "" {
					commit(t, store, tenant, func(tx *db.Tx) { tx.Queue(statement) })
				}
			}
		}
		got := map[id.Customer]string{}
		commit(t, store, tenant, func(tx *db.Tx) {
			if err := tx.Each(func(r db.Rows) error {
				var c id.Customer
				var text string
				err := r.Scan(&c, &text)
				got[c] = text
				return err
			}, "SELECT id, search FROM customers WHERE tenant_id = $1", tx.Tenant); err != nil {
				t.Fatal(err)
			}
			found, total, err := List(tx, Filter{Search: "+49 30 123456", Limit: 9})
			if err != nil || total != 4 || len(found) != 4 {
				t.Errorf("found %d of %d, %v", len(found), total, err)
			}
			newest, err := LastRecorded(tx, "030123456", 3)
			if err != nil || len(newest) != 3 || newest[0].ID < newest[1].ID {
				t.Errorf("the newest: %d, %v", len(newest), err)
			}
		})
		if !maps.Equal(got, want) {
			t.Errorf("the texts are %q instead of %q", got, want)
		}
	})
}
