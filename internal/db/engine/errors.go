package engine

import (
	"errors"
	"fmt"

	"entrepot/internal/apperr"
)

// ErrNoRow is the error of a Row that matched nothing.
var ErrNoRow = errors.New("db: no row")

// ErrNoStore means that there is no store where one must be.
var ErrNoStore = errors.New("there is no store")

// ErrRetry is returned by a transaction that found the data changed under it; it is run again.
var ErrRetry = errors.New("db: the data changed meanwhile, run again")

// ErrClosed is met by whoever uses a store that was closed.
var ErrClosed = errors.New("db: closed")

// Unavailable is the error for a store that does not answer (interface §7: 503).
func Unavailable(err error) error {
	return shown(apperr.New(apperr.Unavailable, "unavailable", "the store does not answer, try again"), err)
}

// TooLong is the error for what waited or ran longer than it may: others are in the way (interface §7: 503).
func TooLong(err error) error {
	return shown(apperr.New(apperr.Unavailable, "busy", "the store is busy, try again"), err)
}

// UnknownOutcome is the error for a commit of which nobody knows whether it happened (interface §7: 503).
func UnknownOutcome(err error) error {
	return shown(apperr.New(apperr.Unavailable, "outcome_unknown",
		"the store went away while this was being stored and it is not known whether it was: repeat the request with the same "+
			"Idempotency-Key"), err)
}

func shown(f *apperr.Error, cause error) error { return fmt.Errorf("%w: %w", f, cause) }
