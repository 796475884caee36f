package channels_test

import (
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func commit(t *testing.T, store *db.DB, tenant id.Tenant, run func(tx *db.Tx)) {
	t.Helper()
	if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { run(tx); return nil }); err != nil {
		t.Fatal(err)
	}
}

func newChannel(tenant id.Tenant, name string) channels.Channel {
	return channels.Channel{Tenant: tenant, ID: id.New[id.Channel](), Name: name, Platform: channels.Custom, Status: channels.Active,
		Settings: "{}", Oversell: "allow"}
}

func seen(channel id.Channel, is *bool) func(tx *db.Tx) error {
	return func(tx *db.Tx) (err error) {
		*is, err = channels.Seen(tx, channel, "delivery 1", tx.Micros()+1)
		return err
	}
}

// A write of a channel that has gone since it was read runs again or is refused, and of two notifications with one delivery key the
// second finds the first.
func TestWritersOfChannelsNoticeEachOther(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		c := newChannel(tenant, "ERP")
		remove := func(tx *db.Tx) error { channels.Delete(tx, c.ID); return nil }
		insert := func() { t.Helper(); commit(t, store, tenant, func(tx *db.Tx) { c.Insert(tx) }) }
		insert()
		dbtest.RunsAgain(t, store, tenant, func(tx *db.Tx) error { c.Save(tx); return nil }, remove)
		insert()
		dbtest.RunsAgain(t, store, tenant, remove, remove)
		insert()
		keep := func(tx *db.Tx) error { channels.Keep(tx, c.ID); return nil }
		if err := dbtest.Fails(t, store, tenant, keep, remove); !apperr.Is(err, apperr.NotFound) {
			t.Errorf("kept what goes: %v", err)
		}
		insert()
		dbtest.RunsAgain(t, store, tenant, func(tx *db.Tx) error { channels.KeepChosen(tx, c.ID); return nil }, remove)
		insert()
		var first, second bool
		dbtest.RunsAgain(t, store, tenant, seen(c.ID, &first), seen(c.ID, &second))
		if first || second {
			t.Errorf("two at once: the first was seen %v, the second %v", first, second)
		}
	})
}

// Nothing that an account does with the id of another one's channel finds or changes anything there.
func TestChannelsStayInTheirAccount(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		home, other := dbtest.Account(t, store), dbtest.Account(t, store)
		c := newChannel(home, "ERP")
		var is bool
		commit(t, store, home, func(tx *db.Tx) {
			c.Insert(tx)
			if err := seen(c.ID, &is)(tx); err != nil {
				t.Error(err)
			}
		})
		tables := []string{"channels", "notifications"}
		before := dbtest.RowsOf(t, store, home, tables...)
		err := store.Read(t.Context(), other, func(tx *db.Tx) error {
			if _, err := channels.ByID(tx, c.ID); !apperr.Is(err, apperr.NotFound) {
				t.Errorf("by id: %v", err)
			}
			if _, err := channels.ByRef(tx, c.ID); !apperr.Is(err, apperr.NotFound) {
				t.Errorf("of an order: %v", err)
			}
			if first, err := channels.PrefetchFirst(tx).Wait(); first.ID != "" || err != nil {
				t.Errorf("first: %v, %v", first, err)
			}
			if list, total, err := channels.List(tx, 9, 0); len(list)+int(total) != 0 || err != nil {
				t.Errorf("list: %v of %d, %v", list, total, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
			if found, err := channels.Anywhere(tx, c.ID); err != nil || found.Tenant != home || found.Name != "ERP" {
				t.Errorf("anywhere: %+v, %v", found, err)
			}
			if _, err := channels.Anywhere(tx, id.New[id.Channel]()); !apperr.Is(err, apperr.NotFound) {
				t.Errorf("nowhere: %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, run := range map[string]func(tx *db.Tx) error{
			"save":   func(tx *db.Tx) error { changed := c; changed.Name = "changed"; changed.Save(tx); return nil },
			"delete": func(tx *db.Tx) error { channels.Delete(tx, c.ID); return nil },
			"keep":   func(tx *db.Tx) error { channels.Keep(tx, c.ID); return nil },
		} {
			err := store.Write(t.Context(), other, func(tx *db.Tx) error {
				if tx.Try() > 0 {
					return apperr.Missing("channel")
				}
				return run(tx)
			})
			if err == nil {
				t.Errorf("%s was not refused", name)
			}
			if after := dbtest.RowsOf(t, store, home, tables...); after != before {
				t.Fatalf("%s changed another account:\n%s\nwas\n%s", name, after, before)
			}
		}
		commit(t, store, other, func(tx *db.Tx) {
			if err := seen(c.ID, &is)(tx); err != nil || is {
				t.Errorf("a notification of another account was seen: %v, %v", is, err)
			}
		})
		if after := dbtest.RowsOf(t, store, home, tables...); after != before {
			t.Errorf("a notification changed another account:\n%s\nwas\n%s", after, before)
		}
	})
}
