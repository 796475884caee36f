package unfinished_test

import (
	"errors"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
	"entrepot/internal/unfinished"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// An operation is its account's and is there until it ends; whoever goes on with those that were left finds those of all accounts.
func TestOperations(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		home, other := dbtest.Account(t, store), dbtest.Account(t, store)
		subject := id.New[string]()
		write := func(tenant id.Tenant, do func(tx *db.Tx) error) {
			t.Helper()
			if err := store.Write(t.Context(), tenant, do); err != nil {
				t.Fatal(err)
			}
		}
		write(home, func(tx *db.Tx) error {
			unfinished.Begin(tx, unfinished.ChannelDeletion, subject)
			return nil
		})
		if err := store.Write(t.Context(), home, func(tx *db.Tx) error {
			if tx.Try() > 0 {
				return errors.ErrUnsupported
			}
			unfinished.Begin(tx, unfinished.ChannelDeletion, subject)
			return nil
		}); err == nil {
			t.Error("it has begun twice")
		}
		write(other, func(tx *db.Tx) error {
			o, err := unfinished.Lock(tx, unfinished.ChannelDeletion, subject)
			if o != nil {
				t.Error("another account finds it")
			}
			return err
		})
		write(home, func(tx *db.Tx) error {
			if o, err := unfinished.Find(tx, unfinished.CustomerMerge, subject); o != nil || err != nil {
				t.Errorf("of another kind: %+v, %v", o, err)
			}
			o, err := unfinished.Lock(tx, unfinished.ChannelDeletion, subject)
			if err == nil {
				o.DoneTo = subject
				o.Save(tx)
			}
			return err
		})
		var left []unfinished.Operation
		if err := store.Read(t.Context(), db.Across, func(tx *db.Tx) (err error) {
			left, err = unfinished.Left(tx, tx.Micros()+1)
			return err
		}); err != nil || len(left) != 1 || left[0].Tenant != home || left[0].DoneTo != subject {
			t.Fatalf("%+v, %v", left, err)
		}
		write(home, func(tx *db.Tx) error {
			o, err := unfinished.Lock(tx, left[0].Kind, left[0].Subject)
			if err == nil {
				o.End(tx)
			}
			return err
		})
		write(home, func(tx *db.Tx) error {
			all, err := unfinished.Subjects[id.Channel](tx, unfinished.ChannelDeletion)
			if len(all) != 0 {
				t.Errorf("%v are left", all)
			}
			return err
		})
	})
}
