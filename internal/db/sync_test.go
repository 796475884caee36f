package db

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"entrepot/internal/apperr"
)

// synced opens a SQLite store whose disk answers what the test gives.
func forced(t *testing.T) (store *DB, pending chan struct{}, answer chan error) {
	pending, answer = make(chan struct{}, 16), make(chan error, 16)
	store, err := Open(t.Context(), Config{Dir: t.TempDir(), force: func() error {
		pending <- struct{}{}
		return <-answer
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		close(answer)
		store.Close()
	})
	answer <- nil
	if err := store.engine.script(t.Context(), "CREATE TABLE marks (n BIGINT)"); err != nil {
		t.Fatal(err)
	}
	<-pending
	return store, pending, answer
}

func mark(t *testing.T, store *DB, n int) <-chan error {
	done := make(chan error, 1)
	go func() {
		done <- store.Write(t.Context(), 1, func(tx *Tx) error {
			tx.Queue("INSERT INTO marks (n) VALUES ($1)", n)
			return nil
		})
	}()
	return done
}

func marks(t *testing.T, store *DB) (n int64, err error) {
	err = store.Read(t.Context(), 1, func(tx *Tx) error { return tx.Row("SELECT count(*) FROM marks", nil, &n) })
	return n, err
}

func soon[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came")
	}
	return v
}

// Neither the writer of a transaction nor anybody who can see it hears of it before the disk holds it, while the next transaction is already written.
func TestNobodyIsToldBeforeTheDiskHoldsIt(t *testing.T) {
	store, pending, answer := forced(t)
	first := mark(t, store, 1)
	soon(t, pending)
	read := make(chan int64, 1)
	go func() {
		n, err := marks(t, store)
		if err != nil {
			n = -1
		}
		read <- n
	}()
	second := mark(t, store, 2)
	select {
	case err := <-first:
		t.Fatalf("answered %v before the disk", err)
	case n := <-read:
		t.Fatalf("read %d marks before the disk", n)
	case err := <-second:
		t.Fatalf("the second was answered %v first", err)
	case <-time.After(50 * time.Millisecond):
	}
	answer <- nil
	if err := soon(t, first); err != nil {
		t.Fatal(err)
	}
	if n := soon(t, read); n != 1 {
		t.Fatalf("the reader saw %d marks", n)
	}
	soon(t, pending)
	answer <- nil
	if err := soon(t, second); err != nil {
		t.Fatal(err)
	}
}

// After the disk has refused once, nothing is taken any more, and what it refused is told to nobody as done.
func TestADiskThatRefuses(t *testing.T) {
	store, pending, answer := forced(t)
	broken := errors.New("no space")
	first := mark(t, store, 1)
	soon(t, pending)
	answer <- broken
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
	soon(t, store.Failed())
	unavailable("a later write", soon(t, mark(t, store, 2)))
	_, err := marks(t, store)
	unavailable("a read", err)
}

// Forcing the log is what makes a commit last: the file that is synced is the one that SQLite writes to.
func TestTheLogIsForced(t *testing.T) {
	dir := t.TempDir()
	store, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	log := store.engine.(*sqliteEngine).log
	before, err := log.Stat()
	if err != nil || log.Name() != filepath.Join(dir, File+"-wal") {
		t.Fatal(log.Name(), err)
	}
	if err := store.engine.script(t.Context(), "CREATE TABLE marks (n BIGINT)"); err != nil {
		t.Fatal(err)
	}
	if after, err := log.Stat(); err != nil || after.Size() <= before.Size() {
		t.Fatalf("the log did not grow: %v", err)
	}
}
