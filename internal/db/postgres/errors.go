package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"entrepot/internal/db/engine"
)

// meaning keeps races, timeouts and a store that is away apart from errors of a statement.
func meaning(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch {
		case pg.Code == "40001", pg.Code == "40P01":
			return fmt.Errorf("%w: %w", engine.ErrRetry, err)
		case pg.Code == "57014", pg.Code == "55P03": // statement_timeout, lock_timeout
			return engine.TooLong(err)
		case awayClasses[pg.Code[:min(2, len(pg.Code))]], pg.Code == readOnly, strings.HasPrefix(pg.Code, "57P"),
			strings.HasPrefix(pg.Code, "XX00"):
			return engine.Unavailable(err)
		}
		return err
	}
	var lost *pgconn.ConnectError
	if errors.As(err, &lost) || pgconn.SafeToRetry(err) {
		return engine.Unavailable(err)
	}
	return err
}

// awayClasses are the classes of PostgreSQL's error codes for what is wrong with the server and not with a statement: connections,
// resources, the system beneath. Beside them stand a standby (readOnly), a server that goes down or comes up (57P…) and a damaged store
// (XX00…).
var awayClasses = map[string]bool{"08": true, "53": true, "58": true}

// readOnly is the error of a write to a server that only reads, as a standby does.
const readOnly = "25006"

func onStandby(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == readOnly
}

// violation is what a statement came up against.
func violation(err error) engine.Violation {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return engine.Other
	}
	switch pg.Code {
	case "23505":
		return engine.Unique
	case "22012": // see expecting
		return engine.Count
	case "23514":
		return engine.Check
	}
	return engine.Other
}
