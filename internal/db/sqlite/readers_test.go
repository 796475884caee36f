package sqlite

import (
	"context"
	"errors"
	"testing"
)

// The connection that was used last is taken first; one that is not open yet is opened only when all others are in use; and short reads
// leave the rest of the connections to others.
func TestReaders(t *testing.T) {
	opened := 0
	r := newReaders(3, 2, func() (*conn, error) {
		opened++
		return &conn{}, nil
	})
	ctx := t.Context()
	take := func(short bool) *conn {
		t.Helper()
		c, err := r.take(ctx, short)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first, second := take(true), take(true)
	r.put(second, true)
	r.put(first, true)
	if take(true) != first || take(true) != second || opened != 2 {
		t.Fatalf("not the connection that was used last, or one too many: %d opened", opened)
	}
	over, cancel := context.WithCancel(ctx)
	waiting := make(chan error)
	go func() {
		_, err := r.take(over, true)
		waiting <- err
	}()
	third := take(false)
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) || opened != 3 {
		t.Fatalf("a third short read beside two: %v, %d opened", err, opened)
	}
	r.put(third, false)
	r.put(first, true)
	r.put(second, true)
	if take(true) != second || take(false) != first || take(true) != third {
		t.Fatal("places of short reads or the order of connections are lost")
	}
}

// A connection that could not be opened is tried again by the next caller.
func TestReadersThatDoNotOpen(t *testing.T) {
	fails := true
	r := newReaders(2, 1, func() (*conn, error) {
		if fails {
			return nil, errors.New("no")
		}
		return &conn{}, nil
	})
	for range 3 {
		if _, err := r.take(t.Context(), true); err == nil {
			t.Fatal("no error")
		}
	}
	fails = false
	if c, err := r.take(t.Context(), true); err != nil || c == nil {
		t.Fatal(c, err)
	}
}
