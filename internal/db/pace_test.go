package db_test

import (
	"context"
	"testing"
	"time"

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

// A bulk operation is alone from its beginning if nobody else has written for a while, nor since the last piece of any.
func TestPaceAlone(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		nothing := func(tx *db.Tx) error { return nil }
		piece := func() error { return store.WriteBulk(t.Context(), 1, nothing) }
		background := func() error { return store.Write(db.Background(t.Context()), 1, nothing) }
		another := func() error { return store.Write(t.Context(), 1, nothing) }
		rest := func() error { store.OthersWrote(time.Hour); return nil }
		lately := func() error { store.OthersWrote(-time.Hour); return piece() } // however slow the machine is
		for _, c := range []struct {
			name   string
			happen func() error
			alone  bool
		}{
			{"a rest", rest, false}, {"a piece", piece, true}, {"background", background, true}, {"another", another, false},
			{"background behind it", background, false}, {"a rest behind it", rest, false}, {"a piece behind that", piece, true},
			{"a piece that is not long behind another", lately, false}, {"a long rest", rest, true},
		} {
			if err := c.happen(); err != nil {
				t.Fatal(err)
			}
			if got := store.NewPace().First() > 1; got != c.alone {
				t.Errorf("behind %s: alone %t", c.name, got)
			}
		}
	})
}
