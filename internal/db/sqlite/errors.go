package sqlite

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"entrepot/internal/db/engine"
)

// code is the result code of a SQLite error; ResultOK for any other error.
func code(err error) sqlite.ResultCode {
	if code := sqlite.ErrCode(err); code != sqlite.ResultError {
		return code
	}
	return sqlite.ResultOK
}

// meaning distinguishes a lock held by another process, and a store that is full, failing, damaged or away, from
// errors of a statement.
func meaning(err error) error {
	switch code(err).ToPrimary() {
	case sqlite.ResultBusy:
		return fmt.Errorf("%w: %w", engine.ErrRetry, err)
	case sqlite.ResultReadOnly, sqlite.ResultIOErr, sqlite.ResultCorrupt, sqlite.ResultFull, sqlite.ResultCantOpen, sqlite.ResultNotADB,
		sqlite.ResultNoMem:
		return engine.Unavailable(err)
	}
	return err
}

// violation is the reason for which SQLite refused a statement.
func violation(err error) engine.Violation {
	switch code := code(err); {
	case code == sqlite.ResultConstraintUnique, code == sqlite.ResultConstraintPrimaryKey:
		return engine.Unique
	case code.ToPrimary() == sqlite.ResultConstraint:
		return engine.Check
	}
	return engine.Other
}

// Lasting reports whether SQLite refused data.
func Lasting(err error) bool {
	switch code(err).ToPrimary() {
	case sqlite.ResultConstraint, sqlite.ResultMismatch, sqlite.ResultTooBig, sqlite.ResultRange:
		return true
	}
	return false
}

// storeError is the error of a transaction that could not begin or end. If another process holds the lock, the
// transaction runs again; otherwise its caller is asked to try again. After a failed write of the log its outcome is
// unknown, because a crash may leave any part of it.
func storeError(err error) error {
	switch err = meaning(err); {
	case errors.Is(err, engine.ErrRetry):
		return err
	case code(err).ToPrimary() == sqlite.ResultIOErr:
		return engine.UnknownOutcome(err)
	}
	return engine.Unavailable(err)
}

// isStoreError reports whether a transaction failed because of the store and not because of its own statements.
// SQLite may have rolled everything back by itself.
func isStoreError(err error) bool {
	code := code(err).ToPrimary()
	return code != sqlite.ResultOK && code != sqlite.ResultConstraint
}
