package sqlite

import (
	"context"
	"errors"
	"testing"
)

// The connection that was used last is taken first; one that is not open yet is opened only when all others are in use; and a caller who
// hangs up while all are in use waits no more.
func TestReaders(t *testing.T) {
	opened := 0
	r := newReaders(2, func() (*conn, error) {
		opened++
		return &conn{}, nil
	})
	ctx := t.Context()
	take := func() *conn {
		t.Helper()
		c, err := r.take(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := take()
	r.put(first)
	if take() != first || opened != 1 {
		t.Fatalf("not the connection that was used last, or one too many: %d opened", opened)
	}
	second := take()
	r.put(second)
	r.put(first)
	if take() != first || take() != second || opened != 2 {
		t.Fatalf("not the connection that was used last, or one too many: %d opened", opened)
	}
	over, cancel := context.WithCancel(ctx)
	waiting := make(chan error)
	go func() {
		_, err := r.take(over)
		waiting <- err
	}()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) || opened != 2 {
		t.Fatalf("a third read of a caller who hangs up: %v, %d opened", err, opened)
	}
	r.put(first)
	r.put(second)
	if take() != second || take() != first {
		t.Fatal("the order of connections is lost")
	}
}

// A connection that could not be opened is tried again by the next caller.
func TestReadersThatDoNotOpen(t *testing.T) {
	fails := true
	r := newReaders(2, func() (*conn, error) {
		if fails {
			return nil, errors.New("no")
		}
		return &conn{}, nil
	})
	for range 3 {
		if _, err := r.take(t.Context()); err == nil {
			t.Fatal("no error")
		}
	}
	fails = false
	if c, err := r.take(t.Context()); err != nil || c == nil {
		t.Fatal(c, err)
	}
}
