package engine

import (
	"errors"
	"fmt"

	"entrepot/internal/base/apperr"
)

// ErrNoRow is the error of a Row that matched nothing.
var ErrNoRow = errors.New("db: no row")

// ErrNoStore means that there is no store where one must be.
var ErrNoStore = errors.New("there is no store")

// ErrNotEmpty means that a store that another is to be moved into has rows already.
var ErrNotEmpty = errors.New("the target is not empty")

// ErrRetry is returned by a transaction that found its data changed by another; it is run again.
var ErrRetry = errors.New("db: the data changed meanwhile, run again")

// ErrClosed is returned by every call after Close.
var ErrClosed = errors.New("db: closed")

// Unavailable is the error for a store that does not answer (interface §7: 503).
func Unavailable(err error) error {
	return shown(apperr.New(apperr.Unavailable, "unavailable", "the store does not answer, try again"), err)
}

// ReadOnly is the error for a store that answers and takes no writes, such as a standby.
func ReadOnly(err error) error {
	return shown(apperr.New(apperr.Unavailable, "read_only", "the store takes no writes"), err)
}

// DiskFull is the error for a store without room for writes.
func DiskFull(err error) error {
	return shown(apperr.New(apperr.Unavailable, "disk_full", "the store's disk is full"), err)
}

// TooLong is the error for an operation that waited or ran too long because others use the store (interface §7: 503).
func TooLong(err error) error {
	return shown(apperr.New(apperr.Unavailable, "busy", "the store is busy, try again"), err)
}

// UnknownOutcome is the error for a commit that may or may not have happened (interface §7: 503).
func UnknownOutcome(err error) error {
	return shown(apperr.New(apperr.Unavailable, "outcome_unknown",
		"the store went away while this was being stored and it is not known whether it was: repeat the request with the same "+
			"Idempotency-Key"), err)
}

func shown(f *apperr.Error, cause error) error { return fmt.Errorf("%w: %w", f, cause) }
