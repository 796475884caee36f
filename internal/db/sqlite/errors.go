package sqlite

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"entrepot/internal/db/engine"
)

// code is what SQLite says went wrong; ResultOK for an error from elsewhere.
func code(err error) sqlite.ResultCode {
	if code := sqlite.ErrCode(err); code != sqlite.ResultError {
		return code
	}
	return sqlite.ResultOK
}

// meaning keeps a lock that another process holds, and a store that is full, failing, damaged or away, apart from errors of a statement.
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

// violation is what a statement came up against.
func violation(err error) engine.Violation {
	switch code := code(err); {
	case code == sqlite.ResultConstraintUnique, code == sqlite.ResultConstraintPrimaryKey:
		return engine.Unique
	case code.ToPrimary() == sqlite.ResultConstraint:
		return engine.Check
	}
	return engine.Other
}

// storeError is the error of a transaction that could not begin or end: to run again behind another process, or to come
// again. After a failed write of the log nobody knows what a crash would leave of it.
func storeError(err error) error {
	switch err = meaning(err); {
	case errors.Is(err, engine.ErrRetry):
		return err
	case code(err).ToPrimary() == sqlite.ResultIOErr:
		return engine.UnknownOutcome(err)
	}
	return engine.Unavailable(err)
}

// isStoreError reports whether a transaction failed for the store's sake. SQLite may have rolled everything back by itself then.
func isStoreError(err error) bool {
	code := code(err).ToPrimary()
	return code != sqlite.ResultOK && code != sqlite.ResultConstraint
}
