package postgres

import "context"

// AfterMigration does what PostgreSQL needs for every table that has a tenant. Running it again changes nothing.
//
// Row-level security is a second wall behind the tenant in every statement: a connection sees only the rows of the account that its
// transaction has named (entrepot.tenant, 0 for those that serve every account), and without a name none at all. It holds for the
// tables' owner too; only superusers pass.
//
// The planner is to believe that every account has all rows of a table, so that reading all of one never looks cheaper than looking
// up some rows by their key. Left to itself it believes that an account that was not there when it last looked has one row, and reads
// all of a new account for each row that it looks up. It sees no account's number when it plans (settings, force_generic_plan).
func (e *Engine) AfterMigration(ctx context.Context) error {
	return e.Script(ctx, `DO $$
DECLARE t TEXT;
BEGIN
	FOR t IN SELECT c.table_name FROM information_schema.columns c JOIN pg_class k ON k.oid = to_regclass(c.table_name)
		WHERE c.table_schema = current_schema() AND c.column_name = 'tenant_id' AND NOT k.relrowsecurity
	LOOP
		EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
		EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
		EXECUTE format('CREATE POLICY tenant ON %I USING (current_setting(''entrepot.tenant'', true) = ''0''
			OR tenant_id = nullif(current_setting(''entrepot.tenant'', true), '''')::BIGINT)', t);
	END LOOP;
	FOR t IN SELECT c.table_name FROM information_schema.columns c JOIN pg_attribute a ON a.attrelid = to_regclass(c.table_name)
		WHERE c.table_schema = current_schema() AND c.column_name = 'tenant_id' AND a.attname = 'tenant_id' AND a.attoptions IS NULL
	LOOP
		EXECUTE format('ALTER TABLE %I ALTER COLUMN tenant_id SET (n_distinct = 1)', t);
	END LOOP;
END $$`)
}
