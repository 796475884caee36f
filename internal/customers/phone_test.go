package customers

import (
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// A customer is found by the digits of the phone number, however the record and the search write it (interface §4.4).
func TestCustomersAreFoundByDigits(t *testing.T) {
	dbtest.PlainEngines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		commit(t, store, tenant, func(tx *db.Tx) {
			for _, phone := range []string{"", "-", "00", "0611", "+49 (30) 123-456", "+49 (0)30/123456", "0049\u00a030 12.34.56", "030 123456",
				"(555) 123-4567", "1-555-123-4567", "555 Ext. 12", "+", "((0)0)7"} {
				c := newCustomer(id.New[string]() + "@x.y")
				c.Phone = phone
				InsertUnreported(tx, c)
			}
		})
		commit(t, store, tenant, func(tx *db.Tx) {
			found, total, err := List(tx, Filter{Search: "+49 30 123456", Limit: 9})
			if err != nil || total != 4 || len(found) != 4 {
				t.Errorf("found %d of %d, %v", len(found), total, err)
			}
			newest, err := LastRecorded(tx, "030123456", 3)
			if err != nil || len(newest) != 3 || newest[0].ID < newest[1].ID {
				t.Errorf("the newest: %d, %v", len(newest), err)
			}
		})
	})
}
