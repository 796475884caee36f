package postgres_test

import (
	"context"
	"errors"
	"testing"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// While a transaction is under way that has lost many races, optimistic ones of its tenant do not begin, and one whose caller hangs up
// meanwhile never does. Those of another tenant do not wait.
func TestOptimisticOnesWaitForTheStarved(t *testing.T) {
	e := open(t)
	begun := make(chan string, 4)
	write := func(ctx context.Context, who string, of id.Tenant) <-chan error {
		ended := make(chan error, 1)
		go func() {
			ended <- e.Write(ctx, of, engine.Optimistic, func(engine.Session) ([]*engine.Step, error) {
				begun <- who
				return nil, nil
			})
		}()
		return ended
	}
	gone, hangUp := context.WithCancel(t.Context())
	var left, late <-chan error
	err := e.Write(t.Context(), tenant, engine.Alone|engine.Starved, func(s engine.Session) ([]*engine.Step, error) {
		if err := s.LockClock(tenant); err != nil {
			return nil, err
		}
		left, late = write(gone, "left", tenant), write(t.Context(), "late", tenant)
		if err := <-write(t.Context(), "other", tenant+1); err != nil {
			t.Error(err)
		}
		hangUp()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("the caller that hung up: %v", err)
		}
		begun <- "starved"
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-late; err != nil {
		t.Error(err)
	}
	for _, want := range []string{"other", "starved", "late"} {
		if got := <-begun; got != want {
			t.Errorf("%s began, not %s", got, want)
		}
	}
}
