package db_test

import (
	"context"
	"testing"

	"entrepot/internal/db"
)

// A pause ends when the caller of the operation goes away, and transactions of bulk operations, of no tenant and in the background are not
// counted as those of others.
func TestPaceEndsWithItsCaller(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		pace := store.NewPace()
		nothing := func(tx *db.Tx) error { return nil }
		for _, write := range []func() error{
			func() error { return store.WriteBulk(t.Context(), 1, nothing) },
			func() error { return store.Write(t.Context(), db.Across, nothing) },
			func() error { return store.Write(db.Background(t.Context()), 1, nothing) },
		} {
			if err := write(); err != nil {
				t.Fatal(err)
			}
		}
		if n := pace.Others(); n != 0 {
			t.Errorf("%d transactions of others, there are none", n)
		}
		for range 3 {
			if err := store.Write(t.Context(), 1, nothing); err != nil {
				t.Fatal(err)
			}
		}
		if n := pace.Others(); n != 3 {
			t.Errorf("%d transactions of others, there are 3", n)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if pace.Next(gone) > 1 {
			t.Error("alone beside 3 transactions of others")
		}
		if n := pace.Others(); n != 0 {
			t.Errorf("%d transactions of others in a piece that has just begun", n)
		}
		if pace.Next(t.Context()) == 1 {
			t.Error("not alone beside nobody")
		}
	})
}

// A bulk operation is alone from its beginning if nobody else has written since the last piece of any.
func TestPaceAlone(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		nothing := func(tx *db.Tx) error { return nil }
		for _, c := range []struct {
			name  string
			write func() error
			alone bool
		}{
			{"a piece", func() error { return store.WriteBulk(t.Context(), 1, nothing) }, true},
			{"background", func() error { return store.Write(db.Background(t.Context()), 1, nothing) }, true},
			{"another", func() error { return store.Write(t.Context(), 1, nothing) }, false},
			{"background behind it", func() error { return store.Write(db.Background(t.Context()), 1, nothing) }, false},
			{"a piece behind it", func() error { return store.WriteBulk(t.Context(), 1, nothing) }, true},
		} {
			if err := c.write(); err != nil {
				t.Fatal(err)
			}
			if got := store.NewPace().First() > 1; got != c.alone {
				t.Errorf("behind %s: alone %t", c.name, got)
			}
		}
	})
}
