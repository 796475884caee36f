package catalog

import (
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// Categories that wait for some are found in an index that has no others: those that are linked already, however many they are, are not
// looked at.
func TestWaitingCategoriesHaveAnIndex(t *testing.T) {
	store, read := dbtest.Reading(t)
	err := store.Read(t.Context(), dbtest.Account(t, store), func(tx *db.Tx) error {
		read.Reset()
		if _, _, err := waitingFor(tx, []string{"hats", "shoes"}, 10); err != nil {
			return err
		}
		for _, s := range read.List() {
			if plan := s.Plan(t, tx); !strings.Contains(plan, "USING INDEX categories_waiting (tenant_id=? AND parent_external_id=?)") {
				t.Error(plan)
			}
		}
		if len(read.List()) != 1 {
			t.Errorf("%d statements", len(read.List()))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
