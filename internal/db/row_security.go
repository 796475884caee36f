package db

import "context"

// rowSecurity puts row-level security on every table that has a tenant, as a second wall behind the tenant in every statement: a
// connection sees only the rows of the account its transaction has named (entrepot.tenant, 0 for those that serve every account),
// and without a name none at all. It holds for the tables' owner too; only superusers pass. Running it again changes nothing.
func (e *postgresEngine) rowSecurity(ctx context.Context) error {
	return e.script(ctx, `DO $$
DECLARE t TEXT;
BEGIN
	FOR t IN SELECT c.table_name FROM information_schema.columns c JOIN pg_class k ON k.oid = to_regclass(c.table_name)
		WHERE c.table_schema = current_schema() AND c.column_name = 'tenant_id' AND NOT k.relrowsecurity
	LOOP
		EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
		EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
		EXECUTE format('CREATE POLICY tenant ON %I USING (current_setting(''entrepot.tenant'', true) = ''0'' OR tenant_id = nullif(current_setting(''entrepot.tenant'', true), '''')::BIGINT)', t);
	END LOOP;
END $$`)
}

// rowSecurity: a SQLite file has no users to keep apart.
func (e *sqliteEngine) rowSecurity(context.Context) error { return nil }
