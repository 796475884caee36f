package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/engine"
)

// Security says how well the database separates accounts, in addition to the tenant in every statement.
type Security struct {
	Role     string   // the role that opens the store
	AllPower bool     // a superuser, or a role that bypasses row-level security
	Open     []string // tables with a tenant whose row-level security is off, or does not apply to their owner
}

// Repair is the SQL that restores row-level security on the open tables, for the tables' owner to run; "" for none.
func (s Security) Repair() string {
	var sql []string
	for _, table := range s.Open {
		name := quoteIdent(table)
		sql = append(sql, "ALTER TABLE "+name+" ENABLE ROW LEVEL SECURITY; ALTER TABLE "+name+
			" FORCE ROW LEVEL SECURITY; DROP POLICY IF EXISTS tenant ON "+name+
			"; CREATE POLICY tenant ON "+name+" USING "+tenantPolicy+";")
	}
	return strings.Join(sql, " ")
}

// tenantPolicy shows a transaction the rows of the accounts that it names, and all rows when it serves every account.
// The sub-selects make a statement look up the names once, and not twice for each row, which would take half the time
// of a wide read.
const tenantPolicy = "((SELECT current_setting('entrepot.tenant', true)) = '0' OR " +
	"tenant_id = ANY ((SELECT string_to_array(nullif(current_setting('entrepot.tenant', true), ''), ','))::BIGINT[]))"

// Security reads the present state of row-level security and changes nothing.
func (e *Engine) Security(ctx context.Context) (s Security, err error) {
	conn, release, err := e.pool.acquire(ctx)
	if err != nil {
		return s, engine.Unavailable(err)
	}
	defer release()
	err = conn.QueryRow(ctx, "SELECT rolname::TEXT, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user").Scan(&s.Role,
		&s.AllPower)
	if err != nil {
		return s, err
	}
	rows, err := conn.Query(ctx, `SELECT k.relname::TEXT FROM pg_class k JOIN pg_namespace n ON n.oid = k.relnamespace
		JOIN pg_attribute a ON a.attrelid = k.oid
		WHERE n.nspname = current_schema() AND k.relkind IN ('r', 'p') AND a.attname = 'tenant_id' AND NOT a.attisdropped
			AND NOT (k.relrowsecurity AND k.relforcerowsecurity AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = k.oid))
		ORDER BY k.relname`)
	if err != nil {
		return s, err
	}
	s.Open, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return s, err
}
