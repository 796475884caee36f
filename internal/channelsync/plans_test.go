package channelsync_test

import (
	"strings"
	"testing"

	"entrepot/internal/channelsync"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
)

// What is due for a channel is counted in the indexes of what is due, not over all rows of the channel.
func TestCountsKeepToTheirIndexes(t *testing.T) {
	type statement struct {
		sql  string
		args []any
	}
	var asked []statement
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true,
		Trace: func(sql string, args []any) { asked = append(asked, statement{sql, args}) }})
	err := store.Read(t.Context(), dbtest.Account(t, store), func(tx *db.Tx) error {
		asked = nil
		if _, err := channelsync.CountDue(tx, id.New[id.Channel]()); err != nil {
			return err
		}
		counted, all := 0, ""
		for _, s := range asked {
			if strings.Contains(s.sql, "FROM channel_items") {
				counted++
				all += dbtest.Plan(t, tx, s.sql, s.args...)
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
