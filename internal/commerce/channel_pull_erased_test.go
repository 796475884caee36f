package commerce_test

import (
	"fmt"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
)

// placeAdas has the platform get orders of the person now, and redactAdas has it forget of all orders who the buyer was.
func (s *synced) placeAdas(names ...string) {
	s.place(names...)
	for i := range s.platform.orders {
		o := &s.platform.orders[i]
		o.Name, o.Email, o.Buyer = "Ada Lovelace", "ada@erased.example", "ada_1815"
		o.ShipTo = &connector.Place{Name: "Ada Lovelace", City: "London", Country: "GB"}
	}
}

func (s *synced) redactAdas() {
	for i := range s.platform.orders {
		o := &s.platform.orders[i]
		o.Name, o.Email, o.Buyer, o.ShipTo = "", "", "", nil
	}
}

// begin does the first step of an erasure; then the node dies.
func (s *synced) begin(customer id.Customer) {
	s.t.Helper()
	for n := int64(1); s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND type = 'customer_erasure'") == 0; n++ {
		if err := s.do.EraseCustomer(dbtest.Dying(s.t.Context(), n), s.store, s.who, customer, nil); err == nil {
			s.t.Fatal("it did not die")
		}
	}
}

// Orders that a run has in memory while their buyer is erased are not stored: they are read again, and the platform has forgotten the buyer
// by then. It does not matter how they were read, who asked for the erasure, and whether the store had anything of the person before.
func TestAPullDoesNotStoreAnErasedPerson(t *testing.T) {
	platform := func(s *synced) {
		_, err := s.do.ReceiveNotification(s.t.Context(), s.store, s.channel, asking{connector.Person{Username: "ada_1815"}},
			connector.Notification{})
		s.must(err)
	}
	for name, c := range map[string]struct {
		known, atOnce int
		caller, dies  bool
	}{"the platform asks, of somebody unknown": {}, "the platform asks": {known: 2}, "a caller asks": {known: 2, caller: true},
		"a caller asks, in steps":                       {known: 3, atOnce: 1, caller: true},
		"a caller asks, and the node dies after a step": {known: 3, atOnce: 1, caller: true, dies: true}} {
		for how, pull := range map[string]func(s *synced, erase func()){
			"of changes": func(s *synced, erase func()) {
				s.platform.whilePull = erase
				*s.clock = s.clock.Add(time.Hour)
			},
			"of a name": func(s *synced, erase func()) {
				s.platform.whileNamed = erase
				s.must(s.write(s.t, func(tx *db.Tx) error {
					_, err := s.do.SyncChannel(tx, s.channel.ID, commerce.SyncDraft{Type: jobs.OrderPull, ExternalIDs: []string{"N-0"}})
					return err
				}))
			},
			"of what was notified": func(s *synced, erase func()) {
				s.platform.whileNamed = erase
				s.notify("N-0", "one")
				s.notify("N-1", "two")
			},
		} {
			t.Run(name+", a pull "+how, func(t *testing.T) {
				syncedEngines(t, 1, func(t *testing.T, s *synced) {
					var ada id.Customer
					if c.known > 0 {
						ada = s.ada()
					}
					for i := range c.known {
						s.placeAdas(fmt.Sprintf("O-%d", i))
					}
					*s.clock = s.clock.Add(time.Hour)
					s.work()
					s.placeAdas("N-0", "N-1")
					erased := false
					pull(s, func() {
						s.redactAdas()
						s.do.AtOnce = c.atOnce
						switch erased = true; {
						case c.dies:
							s.begin(ada)
						case c.caller:
							s.erase(ada)
						default:
							platform(s)
						}
					})
					s.work()
					*s.clock = s.clock.Add(time.Hour)
					s.work()
					s.must(resume(t.Context(), s.store, s.do))
					s.forgot()
					if n := s.count("SELECT count(*) FROM orders WHERE tenant_id = $1"); !erased || n != int64(c.known)+2 {
						t.Errorf("erased: %t; %d orders", erased, n)
					}
				})
			})
		}
	}
}
