package jobs_test

import (
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
)

// SQLite reads each part of a list in the order of an index, and of each index no more than the filter that selects most.
func TestListsOfJobsKeepToTheirIndexes(t *testing.T) {
	store, read := dbtest.Reading(t)
	const (
		newest  = "SEARCH j USING INDEX sqlite_autoindex_jobs_1 (tenant_id=?"
		channel = "SEARCH j USING INDEX jobs_channel (tenant_id=? AND channel_id=?"
		kind    = "SEARCH j USING INDEX jobs_type (tenant_id=? AND type=?"
		ended   = "SEARCH j USING INDEX jobs_ended (tenant_id=? AND status=?"
		waiting = "SEARCH j USING INDEX jobs_tenant_id_due_at (tenant_id=?"
	)
	c := id.New[id.Channel]()
	pull, push := jobs.OrderPull, jobs.StockPush
	for name, l := range map[string]struct {
		filter jobs.Filter
		by     string
		parts  int
	}{
		"all":                       {jobs.Filter{}, newest, 1},
		"a channel":                 {jobs.Filter{Channel: c}, channel, 1},
		"a type":                    {jobs.Filter{Types: []jobs.Type{pull}}, kind, 1},
		"types":                     {jobs.Filter{Types: []jobs.Type{pull, push, pull}}, kind, 2},
		"failed":                    {jobs.Filter{Statuses: []jobs.Status{jobs.Failed}}, ended, 1},
		"completed":                 {jobs.Filter{Statuses: []jobs.Status{jobs.Completed}}, ended, 1},
		"with errors":               {jobs.Filter{Statuses: []jobs.Status{jobs.Failed, jobs.CompletedWithErrors}}, ended, 2},
		"waiting":                   {jobs.Filter{Statuses: []jobs.Status{jobs.Processing, jobs.Pending}}, waiting, 2},
		"types of a channel":        {jobs.Filter{Channel: c, Types: []jobs.Type{pull, push}}, channel, 1},
		"completed, of a channel":   {jobs.Filter{Channel: c, Statuses: []jobs.Status{jobs.Completed}}, channel, 1},
		"failed, of a channel":      {jobs.Filter{Channel: c, Statuses: []jobs.Status{jobs.Failed}}, ended, 1},
		"failed, of a type":         {jobs.Filter{Types: []jobs.Type{pull}, Statuses: []jobs.Status{jobs.Failed}}, ended, 1},
		"waiting, of a channel":     {jobs.Filter{Channel: c, Statuses: []jobs.Status{jobs.Pending}}, waiting, 1},
		"completed or not, a type":  {jobs.Filter{Types: []jobs.Type{pull}, Statuses: []jobs.Status{jobs.Failed, jobs.Completed}}, kind, 1},
		"failed, all three":         {jobs.Filter{Channel: c, Types: []jobs.Type{pull}, Statuses: []jobs.Status{jobs.Failed}}, ended, 1},
		"completed, all three":      {jobs.Filter{Channel: c, Types: []jobs.Type{pull}, Statuses: []jobs.Status{jobs.Completed}}, channel, 1},
		"statuses of several kinds": {jobs.Filter{Statuses: jobs.Statuses}, "", len(jobs.Statuses)},
	} {
		for when, span := range map[string][2]int64{"": {0, 0}, " of a day": {1, 2}} {
			f := l.filter
			f.From, f.To, f.Limit = span[0], span[1], 20
			err := store.Read(t.Context(), dbtest.Account(t, store), func(tx *db.Tx) error {
				read.Reset()
				if _, _, err := jobs.List(tx, f); err != nil {
					return err
				}
				lists := read.List()
				if len(lists) != l.parts {
					t.Errorf("%s%s: %d statements", name, when, len(lists))
				}
				for _, s := range lists {
					plan := s.Plan(t, tx)
					within := strings.Contains(plan, "id>? AND id<?)")
					if !strings.Contains(plan, l.by) || strings.Contains(plan, "TEMP B-TREE") || when != "" && !within {
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

// Every minute a transaction looks for jobs that ended long ago: it looks at no others.
func TestExpiredJobsAreFoundByTheirEnd(t *testing.T) {
	store, _ := dbtest.Reading(t)
	err := store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
		for _, sql := range jobs.DeleteStatements {
			if plan := dbtest.Plan(t, tx, sql, 1, 2); strings.Contains(plan, "SCAN jobs") ||
				strings.Count(plan, "SEARCH jobs USING INDEX jobs_completed_at (completed_at<?)") != 1 {
				t.Error(plan)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
