package server

import (
	"context"
	"strings"
)

// checkSecurity logs whether PostgreSQL's row-level security protects the accounts, in addition to the tenant in every
// statement. The service continues if it does not: every statement still names its account, and stopping all nodes
// would cost more.
func (s *Server) checkSecurity(ctx context.Context, store *Store) error {
	found, err := store.DB.Security(ctx)
	if err != nil {
		return err
	}
	if found.AllPower {
		s.log.Warn("row-level security does not hold for this database role: give entrepot a role of its own that is no superuser", "role",
			found.Role)
	}
	if len(found.Open) > 0 {
		s.log.Error("row-level security is missing on tables: run this as their owner", "tables", strings.Join(found.Open, ", "), "sql",
			found.Repair())
	}
	return nil
}

// checkDurability logs settings of the database server with which a power cut may lose acknowledged changes. The
// service continues: its operator has chosen them.
func (s *Server) checkDurability(ctx context.Context, store *Store) error {
	lax, err := store.DB.Lax(ctx)
	if err != nil || len(lax) == 0 {
		return err
	}
	s.log.Warn("a power cut may lose acknowledged orders with these settings of the database server", "settings", strings.Join(lax, ", "))
	return nil
}
