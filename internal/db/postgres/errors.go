package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"entrepot/internal/db/engine"
)

// meaning distinguishes races, timeouts and a store that is away from errors of a statement.
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

// Lasting reports whether the server refused data: for their form (class 22), by a constraint (23), or by a bound of
// its own (54), such as the length of a text in an index.
func Lasting(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && slices.Contains([]string{"22", "23", "54"}, pg.Code[:min(2, len(pg.Code))])
}

// awayClasses are the classes of PostgreSQL's error codes for trouble with the server and not with a statement:
// connections, resources, the operating system. Other code handles a standby (readOnly), a server that shuts down or
// starts (57P…) and a damaged store (XX00…).
var awayClasses = map[string]bool{"08": true, "53": true, "58": true}

// readOnly is the error code of a write to a server that only reads, such as a standby.
const readOnly = "25006"

func onStandby(err error) bool { return code(err) == readOnly }

// cameEarly reports whether no later statement was run either: the server refused this one, or the message was never
// sent.
func cameEarly(err error) bool {
	var server *pgconn.PgError
	var unsent pgx.ErrPreprocessingBatch
	return errors.As(err, &server) || errors.As(err, &unsent)
}

// violation is the reason for which the server refused a statement.
func violation(err error) engine.Violation {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return engine.Other
	}
	switch pg.Code {
	case "23505":
		return engine.Unique
	case "22012": // division by zero, see expecting
		return engine.Count
	case "23514":
		return engine.Check
	}
	return engine.Other
}
