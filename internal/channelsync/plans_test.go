package channelsync_test

import (
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/channelsync"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// What is due for a channel is counted in the indexes of what is due, not over all rows of the channel.
func TestCountsKeepToTheirIndexes(t *testing.T) {
	store, read := dbtest.Reading(t)
	err := store.Read(t.Context(), dbtest.Account(t, store), func(tx *db.Tx) error {
		read.Reset()
		if _, err := channelsync.CountDue(tx, id.New[id.Channel]()); err != nil {
			return err
		}
		counted, all := 0, ""
		for _, s := range read.List() {
			if strings.Contains(s.SQL, "FROM channel_items") {
				counted++
				all += s.Plan(t, tx)
			}
		}
		if counted != 4 {
			t.Errorf("%d statements count items", counted)
		}
		for line := range strings.Lines(all) {
			if strings.Contains(line, "SEARCH channel_items USING PRIMARY KEY") {
				t.Errorf("%s\n%s", line, all)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
