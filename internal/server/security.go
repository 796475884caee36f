package server

import (
	"context"
	"strings"
)

// checkSecurity says in the log how far PostgreSQL keeps the accounts apart, behind the tenant in every statement. A service goes on
// with what is missing: every statement still names its account, and a stop of all nodes would cost more.
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
			found.Mend())
	}
	return nil
}
