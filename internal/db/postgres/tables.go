package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/engine"
)

// AfterMigration applies what PostgreSQL needs for every table that has a tenant. Running it again changes nothing.
//
// Row-level security protects accounts in addition to the tenant in every statement: a connection sees only the rows
// of the accounts that its transaction has named (entrepot.tenant, 0 for transactions that serve every account), and
// without a name none at all. It applies to the tables' owner too; only superusers bypass it.
//
// The planner is made to assume that every account owns all rows of a table, so that reading a whole table never looks
// cheaper than looking up some rows by their key. By its own estimate an account that is newer than the statistics has
// one row, and the planner would read the whole account for each row that it looks up. It does not know the account's
// number when it plans (settings, force_generic_plan).
func (e *Engine) AfterMigration(ctx context.Context) error {
	return e.Script(ctx, `DO $$
DECLARE t TEXT;
BEGIN
	FOR t IN SELECT c.table_name FROM information_schema.columns c JOIN pg_class k ON k.oid = to_regclass(c.table_name)
		WHERE c.table_schema = current_schema() AND c.column_name = 'tenant_id' AND NOT k.relrowsecurity
			AND NOT EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = k.oid AND p.polname = 'tenant')
	LOOP
		EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
		EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
		EXECUTE format('CREATE POLICY tenant ON %I USING %s', t, $policy$`+tenantPolicy+`$policy$);
	END LOOP;
	FOR t IN SELECT c.table_name FROM information_schema.columns c JOIN pg_attribute a ON a.attrelid = to_regclass(c.table_name)
		WHERE c.table_schema = current_schema() AND c.column_name = 'tenant_id' AND a.attname = 'tenant_id' AND a.attoptions IS NULL
	LOOP
		EXECUTE format('ALTER TABLE %I ALTER COLUMN tenant_id SET (n_distinct = 1)', t);
	END LOOP;
END $$`)
}

// Prepared reports whether every table with a tenant has what AfterMigration applies, which is all or nothing.
// Row-level security that was switched off later is reported by Security, and people repair it.
func (e *Engine) Prepared(ctx context.Context) (bool, error) {
	conn, release, err := e.pool.acquire(ctx)
	if err != nil {
		return false, engine.Unavailable(err)
	}
	defer release()
	var missing int64
	err = conn.Conn().QueryRow(ctx, `SELECT count(*) FROM pg_attribute a JOIN pg_class k ON k.oid = a.attrelid
		JOIN pg_namespace n ON n.oid = k.relnamespace WHERE n.nspname = current_schema() AND k.relkind = 'r' AND a.attname = 'tenant_id'
			AND a.attoptions IS NULL`, pgx.QueryExecModeExec).Scan(&missing)
	return missing == 0, err
}
