package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// owners says which package writes which tables. Others read them, and change them through the owner's functions.
var owners = map[string][]string{
	"internal/accounts": {"tenants", "users", "tokens", "login_networks", "api_keys", "setup_links", "store_keys", "dashboard_views"},
	"internal/audit":    {"audit_log", "audit_heads", "refused_requests"},
	"internal/backups":  {"backup_tasks"},
	"internal/catalog": {"categories", "products", "variants", "skus", "product_categories", "attributes", "publications",
		"product_sorts"},
	"internal/certificates": {"certificates"},
	"internal/channels":     {"channels", "notifications"},
	"internal/channelsync":  {"channel_items", "channel_syncs"},
	"internal/customers": {"customers", "customer_tags", "customer_addresses", "segments", "segment_lists",
		"segment_members", "segment_changes"},
	"internal/db":          {"change_clocks", "schema_versions", "scrubs", "tallies", "probes"},
	"internal/idempotency": {"idempotency_keys"},
	"internal/exports":     {"exports", "export_parts"},
	"internal/imports":     {"imports", "import_parts", "import_lines"},
	"internal/jobs":        {"jobs", "job_orders", "job_products"},
	"internal/limits":      {"rate_windows"},
	"internal/orders": {"order_numbers", "orders", "order_lines", "order_history", "shipments", "shipment_lines", "order_figures",
		"order_edits", "order_issues", "order_refunds", "order_refund_lines", "order_returns", "order_return_lines",
		"order_tags"},
	"internal/media":      {"media"},
	"internal/sales":      {"sales_blocks", "sold_skus"},
	"internal/search":     {"search_blocks", "search_loose", "search_grams", "search_places"},
	"internal/stock":      {"warehouses", "stock_levels", "movements"},
	"internal/stockvalue": {"stock_values", "stock_level_values"},
	"internal/view":       {"views_until"},
	"internal/webhooks": {"events", "dispatch_cursors", "endpoints", "queues", "deliveries", "delivery_figures", "attempts", "replays",
		"nodes"},
}

// foreign are the writes to another package's table, each with its reason.
var foreign = map[string]string{
	"internal/accounts change_clocks":    "a new account begins with its clock,",
	"internal/accounts order_numbers":    "its order numbers,",
	"internal/accounts warehouses":       "and its main warehouse, in the statement list that makes it",
	"internal/commerce api_keys":         "the sandbox's clock moves what has a due time, in one operation for all nouns:",
	"internal/commerce tokens":           "so here,",
	"internal/commerce jobs":             "here,",
	"internal/commerce notifications":    "here,",
	"internal/commerce tenants":          "and where the offset itself is kept",
	"internal/commerce idempotency_keys": "likewise; and what the master key encrypts is encrypted anew in one operation for all nouns:",
	"internal/commerce channels":         "so here,",
	"internal/commerce endpoints":        "here,",
	"internal/commerce certificates":     "and here",
}

// unwatched packages make data of their own: test seeds, and the bench's baseline, whose tables are not the store's.
var unwatched = []string{"internal/db/dbtest", "internal/bench"}

// Every table has one owner, and only the owner writes it.
func TestOnlyTheOwnerWritesATable(t *testing.T) {
	owner := map[string]string{}
	for name, tables := range owners {
		for _, table := range tables {
			if other := owner[table]; other != "" {
				t.Errorf("%s belongs to %s and to %s", table, other, name)
			}
			owner[table] = name
		}
	}
	made := tablesOfMigrations(t)
	for table := range made {
		if owner[table] == "" {
			t.Errorf("the table %s has no owner: name it in owners_test.go", table)
		}
	}
	seen := map[string]bool{}
	for _, file := range sources(t) {
		if slices.Contains(unwatched, pkg(file)) {
			continue
		}
		for _, table := range writtenIn(t, file) {
			by := pkg(file)
			if !made[table] || owner[table] == by || strings.HasPrefix(by, owner[table]+"/") {
				continue
			}
			seen[by+" "+table] = true
			if foreign[by+" "+table] == "" {
				t.Errorf("%s writes the table %s of %s: call the owner, or give the reason in owners_test.go", file, table, owner[table])
			}
		}
	}
	for pair := range foreign {
		if !seen[pair] {
			t.Errorf("%s stands in owners_test.go and is not written any more", pair)
		}
	}
}

// tablesOfMigrations are the tables that the migrations create.
func tablesOfMigrations(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("db/migrations/*.sql")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d migrations, %v", len(files), err)
	}
	slices.Sort(files)
	tables := map[string]bool{"schema_versions": true} // made by the runner
	create := regexp.MustCompile(`(?m)^CREATE (?:UNLOGGED )?TABLE (\w+)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range create.FindAllStringSubmatch(string(text), -1) {
			tables[m[1]] = true
		}
	}
	return tables
}

var writes = regexp.MustCompile(`(?i)\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(\w+)`)

// writtenIn lists the tables that a file's SQL writes, and those it has a db.Table of.
func writtenIn(t *testing.T, file string) (tables []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				text, err := strconv.Unquote(n.Value)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range writes.FindAllStringSubmatch(text, -1) {
					tables = append(tables, strings.ToLower(m[1]))
				}
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "NewTable" && len(n.Args) > 0 {
				if name, ok := n.Args[0].(*ast.BasicLit); ok {
					tables = append(tables, strings.Trim(name.Value, `"`))
				}
			}
		}
		return true
	})
	return tables
}

// A write is found in every form that the code has for it.
func TestWritesAreFound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.go")
	text := "package x\nvar a = `update users SET x = 1`\nvar b = \"WITH v AS (SELECT 1) INSERT INTO orders (a) VALUES (1)\"\n" +
		"var c = \"DELETE  FROM jobs\"\nvar d = db.NewTable(\"events\")\nvar e = \"SELECT 1 FROM nodes FOR UPDATE\" // UPDATE queues\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := writtenIn(t, file); !slices.Equal(got, []string{"users", "orders", "jobs", "events"}) {
		t.Errorf("found %v", got)
	}
}
