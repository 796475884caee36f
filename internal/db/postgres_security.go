package db

import (
	"context"
	"strings"
)

// Security is how well PostgreSQL keeps accounts apart behind the tenant in every statement. Of SQLite it is the zero value: a file
// has no roles.
type Security struct {
	Role     string   // that the store is opened with
	AllPower bool     // a superuser, or a role that row-level security does not hold for
	Open     []string // tables with a tenant on which row-level security does not stand, not even for their owner
}

// Mend is the SQL that puts row-level security back on the open tables, to be pasted by the tables' owner; "" for none.
func (s Security) Mend() string {
	var sql []string
	for _, table := range s.Open {
		name := quoteIdent(table)
		sql = append(sql, "ALTER TABLE "+name+" ENABLE ROW LEVEL SECURITY; ALTER TABLE "+name+" FORCE ROW LEVEL SECURITY; DROP POLICY IF EXISTS tenant ON "+name+
			"; CREATE POLICY tenant ON "+name+" USING "+tenantPolicy+";")
	}
	return strings.Join(sql, " ")
}

// tenantPolicy lets a transaction see the rows of the account that it names, and all of them when it serves every account.
const tenantPolicy = "(current_setting('entrepot.tenant', true) = '0' OR tenant_id = nullif(current_setting('entrepot.tenant', true), '')::BIGINT)"

// Security looks at row-level security as it stands now. It changes nothing.
func (d *DB) Security(ctx context.Context) (s Security, err error) {
	if d.Engine() != "postgres" {
		return s, nil
	}
	err = d.Read(ctx, Across, func(tx *Tx) error {
		if err := tx.Row(`SELECT rolname::TEXT, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user`, nil, &s.Role, &s.AllPower); err != nil {
			return err
		}
		return tx.Each(func(r Rows) error {
			var table string
			err := r.Scan(&table)
			s.Open = append(s.Open, table)
			return err
		}, `SELECT k.relname::TEXT FROM pg_class k JOIN pg_namespace n ON n.oid = k.relnamespace JOIN pg_attribute a ON a.attrelid = k.oid
			WHERE n.nspname = current_schema() AND k.relkind IN ('r', 'p') AND a.attname = 'tenant_id' AND NOT a.attisdropped
				AND NOT (k.relrowsecurity AND k.relforcerowsecurity AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = k.oid))
			ORDER BY k.relname`)
	})
	return s, err
}
