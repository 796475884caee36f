package sqlite

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/db/engine"
)

// held is a store whose disk answers what the test gives.
type held struct {
	*Engine
	pending chan struct{}
	answer  chan error
	failed  chan struct{}
}

func hold(t *testing.T) held {
	h := held{pending: make(chan struct{}, 16), answer: make(chan error, 16), failed: make(chan struct{})}
	h.answer <- nil
	h.Engine = opened(t, Config{
		Sync: func() error {
			h.pending <- struct{}{}
			return <-h.answer
		},
		Failed: func() { close(h.failed) },
	})
	t.Cleanup(func() { close(h.answer) }) // before the store is closed
	<-h.pending
	return h
}

func (h held) mark(t *testing.T, n int) <-chan error {
	done := make(chan error, 1)
	go func() { done <- mark(t, h.Engine, n, "") }()
	return done
}

func soon[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(5 * time.Minute):
		t.Fatal("nothing came")
	}
	return v
}

// Neither the writer of a transaction nor any reader of its data gets an answer before the disk holds it, while the
// next transaction is already written.
func TestAnAnswerWaitsUntilTheDiskHoldsIt(t *testing.T) {
	store := hold(t)
	first := store.mark(t, 1)
	soon(t, store.pending)
	read, seen := make(chan int64, 1), make(chan struct{}, 1)
	go func() {
		var n int64
		err := store.Read(t.Context(), 1, engine.Stored, func(s engine.Session) (err error) {
			n, err = count(s)
			seen <- struct{}{}
			return err
		})
		if err != nil {
			n = -1
		}
		read <- n
	}()
	soon(t, seen) // of the first transaction, which the disk does not hold
	second := store.mark(t, 2)
	select {
	case err := <-first:
		t.Fatalf("answered %v before the disk", err)
	case n := <-read:
		t.Fatalf("read %d marks before the disk", n)
	case err := <-second:
		t.Fatalf("the second was answered %v first", err)
	case <-time.After(50 * time.Millisecond):
	}
	store.answer <- nil
	if err := soon(t, first); err != nil {
		t.Fatal(err)
	}
	if n := soon(t, read); n != 1 {
		t.Fatalf("the reader saw %d marks", n)
	}
	soon(t, store.pending)
	store.answer <- nil
	if err := soon(t, second); err != nil {
		t.Fatal(err)
	}
}

// After the disk has failed once, no write is accepted any more, and no failed write is reported as done.
func TestADiskThatRefuses(t *testing.T) {
	store := hold(t)
	broken := errors.New("no space")
	first := store.mark(t, 1)
	soon(t, store.pending)
	store.answer <- broken
	unavailable := func(what string, err error) {
		t.Helper()
		var f *apperr.Error
		if !errors.As(err, &f) || f.Kind != apperr.Unavailable || !errors.Is(err, broken) {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused := soon(t, first)
	unavailable("the write", refused)
	if f, _ := apperr.As(refused); f == nil || f.Code != "outcome_unknown" {
		t.Errorf("the write: %v", refused)
	}
	soon(t, store.failed)
	unavailable("a later write", soon(t, store.mark(t, 2)))
	_, err := marks(t, store.Engine)
	unavailable("a read", err)
}

// Syncing the log is what makes a commit last: the file that is synced is the one that SQLite writes to.
func TestTheLogIsSynced(t *testing.T) {
	store := opened(t, Config{})
	before, err := store.log.Stat()
	if err != nil || store.log.Name() != filepath.Join(store.dir, File+"-wal") {
		t.Fatal(store.log.Name(), err)
	}
	if err := mark(t, store, 1, ""); err != nil {
		t.Fatal(err)
	}
	if after, err := store.log.Stat(); err != nil || after.Size() <= before.Size() {
		t.Fatalf("the log did not grow: %v", err)
	}
}
