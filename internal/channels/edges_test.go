package channels_test

import (
	"testing"
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// A notification is known until its window ends, to the microsecond, and again from the next one on.
func TestTheWindowOfANotification(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := now
	dbtest.EnginesAt(t, func() time.Time { return at }, func(t *testing.T, store *db.DB) {
		at = now
		tenant := dbtest.Account(t, store)
		c := newChannel(tenant, "Shop")
		commit(t, store, tenant, func(tx *db.Tx) { c.Insert(tx) })
		known := func(after time.Duration) (is bool) {
			at = now.Add(after)
			commit(t, store, tenant, func(tx *db.Tx) {
				var err error
				if is, err = channels.Seen(tx, c.ID, "k", now.Add(after+time.Second).UnixMicro()); err != nil {
					t.Error(err)
				}
			})
			return is
		}
		for after, want := range []bool{false, false} { // the second is a new window
			if known(time.Duration(after)*time.Second) != want {
				t.Errorf("after %d s", after)
			}
		}
		if !known(2*time.Second - time.Microsecond) {
			t.Error("forgotten before its window ends")
		}
	})
}

// An order without channel goes to the oldest active one; needs_reauth and expiring ones receive notifications, inactive ones do not.
func TestStatesOfChannels(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		var want channels.Channel
		for _, status := range []channels.Status{channels.Inactive, channels.NeedsReauth, channels.Active, channels.Active, channels.Expiring,
			channels.Error} {
			c := newChannel(tenant, string(status))
			if c.Status = status; status == channels.Active && want.ID == "" {
				want = c
			}
			if c.Receives() == (status == channels.Inactive) {
				t.Errorf("%s receives: %v", status, c.Receives())
			}
			commit(t, store, tenant, func(tx *db.Tx) { c.Insert(tx) })
		}
		commit(t, store, tenant, func(tx *db.Tx) {
			if first, err := channels.PrefetchFirst(tx).Wait(); err != nil || first.ID != want.ID {
				t.Errorf("first: %+v, %v", first, err)
			}
		})
	})
}
