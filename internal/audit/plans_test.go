package audit_test

import (
	"strings"
	"testing"

	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// SQLite reads and counts the entries of a filter by the index of what selects most, in the order of the list.
func TestListsKeepToTheirIndexes(t *testing.T) {
	store, read := dbtest.Reading(t)
	for name, l := range map[string]struct {
		filter audit.Filter
		by     string
	}{
		"all":                   {audit.Filter{}, "autoindex_audit_log_1"},
		"an actor":              {audit.Filter{Actor: "user:1"}, "audit_log_tenant_id_actor"},
		"a kind":                {audit.Filter{ResourceType: "job"}, "audit_log_resource_type"},
		"an action":             {audit.Filter{Action: "a"}, "audit_log_tenant_id_action"},
		"a kind, by an actor":   {audit.Filter{ResourceType: "job", Actor: "user:1"}, "audit_log_resource_type"},
		"an action of an actor": {audit.Filter{Action: "a", Actor: "user:1", ResourceType: "job"}, "audit_log_tenant_id_action"},
		"a record": {audit.Filter{Action: "a", Actor: "user:1", ResourceType: "job", ResourceID: "7"},
			"audit_log_tenant_id_resource_id"},
	} {
		for when, span := range map[string][2]int64{"": {0, 0}, " of a day": {1, 2}} {
			f := l.filter
			f.From, f.To, f.Limit = span[0], span[1], 20
			err := store.Read(t.Context(), dbtest.Account(t, store), func(tx *db.Tx) error {
				read.Reset()
				if _, _, err := audit.List(tx, f); err != nil {
					return err
				}
				for _, s := range read.List() {
					plan := s.Plan(t, tx)
					counts := name == "all" && strings.HasPrefix(s.SQL, "SELECT count(*)") // by any index, if it must go through all
					if !strings.Contains(plan, l.by+" (") && !(counts && when == "") || strings.Contains(plan, "TEMP B-TREE") ||
						when != "" && !strings.Contains(plan, "id>? AND id<?)") {
						t.Errorf("%s%s:\n%s%s", name, when, plan, s.SQL)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
