package imports

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// partsAtOnce is how many pieces of files one step deletes.
const partsAtOnce = 32

// DeleteExpired deletes up to limit rows of imports past their retention, lines and pieces of the file before the
// import; it returns limit if there may be more. It serves every tenant.
func DeleteExpired(tx *db.Tx, limit int) (int64, error) {
	const over = "SELECT tenant_id, id FROM imports WHERE expires_at < $1"
	for _, step := range []struct {
		table, key string
		limit      int
	}{{"import_lines", "import_id, dry, position", limit}, {"import_parts", "import_id, position", partsAtOnce}} {
		columns := "tenant_id, " + step.key
		n, err := tx.Exec("DELETE FROM "+step.table+" WHERE ("+columns+") IN (SELECT "+columns+" FROM "+step.table+
			" WHERE (tenant_id, import_id) IN ("+over+") LIMIT $2::BIGINT)", tx.Micros(), step.limit)
		if err != nil {
			return 0, err
		}
		if n == int64(step.limit) {
			return int64(limit), nil
		}
	}
	return tx.Exec("DELETE FROM imports WHERE expires_at < $1 AND (tenant_id, id) IN ("+over+" ORDER BY expires_at LIMIT $2::BIGINT)",
		tx.Micros(), limit)
}

// Search finds the imports with lines that match one of the patterns (db.Where.AndLike): all of them, or those that
// changed since a time.
func Search(tx *db.Tx, since int64, patterns []string) ([]id.Import, error) {
	w := db.NewWhere(tx, "")
	if since != 0 {
		w.And("import_id IN (SELECT id FROM imports WHERE tenant_id = $1 AND changed_at >= ?)", since)
	}
	w.AndLike(lineTexts, patterns)
	return db.List(tx, func(r db.Rows) (which id.Import, err error) { return which, r.Scan(&which) },
		"SELECT DISTINCT import_id FROM import_lines WHERE "+w.String(), w.Args()...)
}

var lineTexts = []string{"item", "message"}

// Forget queues the removal of a person's data from the account's imports, whose files are packed and cannot be
// searched: imports that no job works on lose their files; completed ones keep counts and lines, except lines of those
// given that match one of the patterns. A file of orders holds names and addresses: its import is deleted even
// while a job works on it, whose next step then fails.
func Forget(tx *db.Tx, named []id.Import, patterns []string) {
	if len(patterns) == 0 {
		return
	}
	const busy = "kind = 'products' AND stage IN ('checking', 'running')"
	const idle = "SELECT id FROM imports WHERE tenant_id = $1 AND NOT (" + busy + ")"
	// The job of an import of orders adds lines in a transaction that also updates the import: they are in order.
	tx.Queue("UPDATE imports SET stop = TRUE WHERE tenant_id = $1 AND kind = 'orders' AND stage IN ('checking', 'running')", tx.Tenant)
	const rows = " WHERE tenant_id = $1 AND import_id IN (" + idle
	tx.Queue("DELETE FROM import_parts"+rows+")", tx.Tenant)
	tx.Queue("DELETE FROM import_lines"+rows+" AND stage <> 'done')", tx.Tenant)
	tx.Queue("DELETE FROM imports WHERE tenant_id = $1 AND stage <> 'done' AND NOT ("+busy+")", tx.Tenant)
	tx.Queue("UPDATE imports SET name = 'file', options = '{}', found = '{}', checked = '' WHERE tenant_id = $1 AND stage = 'done'", tx.Tenant)
	db.Chunks(named, func(piece []id.Import) error {
		w := db.NewWhere(tx, "")
		db.AndIn(w, "import_id", piece)
		w.AndLike(lineTexts, patterns)
		tx.Queue("DELETE FROM import_lines WHERE "+w.String(), w.Args()...)
		return nil
	})
}
