package jobs_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/lists/liststest"
)

// listChannels are the channels of each account whose lists of jobs are compared.
var listChannels = []id.Channel{"", "019a1c52-7c1e-7d40-9a55-00000000000a", "019a1c52-7c1e-7d40-9a55-00000000000b"}

// fillJobs stores n jobs of a few types and channels, in every status, with some operations among them, which no list shows.
func fillJobs(a *liststest.Account, n int) {
	for n > 0 {
		batch := min(n, 1+a.Dice.IntN(9))
		n -= batch
		a.Write(func(tx *db.Tx) error {
			for range batch {
				j := jobs.Insert(tx, jobs.Job{Type: []jobs.Type{jobs.OrderPull, jobs.StockPush, jobs.FileImport}[a.Dice.IntN(3)],
					Channel: listChannels[a.Dice.IntN(3)], Status: []jobs.Status{jobs.Pending, jobs.Processing}[a.Dice.IntN(2)]})
				if a.Dice.IntN(3) > 0 {
					finish(a, tx, j)
				}
			}
			jobs.Begin(tx, jobs.CustomerErasure, string(id.New[id.Customer]()), "{}")
			return nil
		})
	}
}

// finish ends a job in one way or another.
func finish(a *liststest.Account, tx *db.Tx, j jobs.Job) {
	j.Failed = int64(a.Dice.IntN(2))
	jobs.Finish(tx, j, a.Dice.IntN(3) == 0)
}

// allJobs are all jobs of the account but operations, with what lists select by.
func allJobs(tx *db.Tx) ([]jobs.Job, error) {
	return db.List(tx, func(r db.Rows) (j jobs.Job, err error) {
		var channel db.Buffer
		err = r.Scan(&j.ID, &j.Type, &channel, &j.Status, &j.CreatedAt)
		j.Channel = id.Channel(channel)
		return j, err
	}, "SELECT id, type, channel_id, status, created_at FROM jobs WHERE tenant_id = $1 AND subject IS NULL", tx.Tenant)
}

// Every page of every list of jobs has the jobs that looking at each gives, and says whether more follow.
func TestEveryPageOfJobs(t *testing.T) {
	liststest.Compare(t, 240, liststest.Noun[jobs.Job, jobs.Filter]{Onward: true,
		Filters: func(rows []jobs.Job, add liststest.Add[jobs.Job, jobs.Filter]) {
			add("channel", func(f *jobs.Filter) { f.Channel = listChannels[1] }, func(j *jobs.Job) bool { return j.Channel == listChannels[1] })
			for name, types := range map[string][]jobs.Type{"type": {jobs.OrderPull}, "types": {jobs.StockPush, jobs.OrderPull, jobs.StockPush},
				"no such type": {jobs.PriceFileCheck}} {
				add(name, func(f *jobs.Filter) { f.Types = types }, func(j *jobs.Job) bool { return slices.Contains(types, j.Type) })
			}
			for name, statuses := range map[string][]jobs.Status{"failed": {jobs.Failed}, "completed": {jobs.Completed},
				"pending": {jobs.Pending}, "waiting": {jobs.Processing, jobs.Pending}, "with errors": {jobs.Failed, jobs.CompletedWithErrors},
				"completed or not": {jobs.Failed, jobs.Completed, jobs.Processing}, "every status": jobs.Statuses} {
				add(name, func(f *jobs.Filter) { f.Statuses = statuses }, func(j *jobs.Job) bool { return slices.Contains(statuses, j.Status) })
			}
			slices.SortFunc(rows, func(a, b jobs.Job) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) })
			from, to := rows[len(rows)/3].CreatedAt, rows[len(rows)*2/3].CreatedAt
			add("since", func(f *jobs.Filter) { f.From = from }, func(j *jobs.Job) bool { return j.CreatedAt >= from })
			add("until", func(f *jobs.Filter) { f.To = to }, func(j *jobs.Job) bool { return j.CreatedAt <= to })
		},
		Sorts: []liststest.Sort[jobs.Job, jobs.Filter]{{Name: "newest", OneWay: true, Set: func(*jobs.Filter) {},
			Compare: func(a, b *jobs.Job) int { return cmp.Compare(b.ID, a.ID) }}},
		ID: func(j *jobs.Job) string { return string(j.ID) },
		Page: func(f *jobs.Filter, p liststest.Page[jobs.Job]) {
			if f.Limit = p.Limit; p.After != nil {
				f.After = p.After.ID
			}
		},
		List: func(tx *db.Tx, f jobs.Filter) (ids []string, _ int64, err error) {
			list, more, err := jobs.List(tx, f)
			for _, j := range list {
				ids = append(ids, string(j.ID))
			}
			if len(list) > 0 && err == nil {
				f.After, f.Limit = list[len(list)-1].ID, 1
				if rest, _, _ := jobs.List(tx, f); more != (len(rest) > 0) {
					err = fmt.Errorf("more %v, and %d jobs follow", more, len(rest))
				}
			}
			return ids, 0, err
		},
		Rows: allJobs,
		Fill: fillJobs,
		Change: func(a *liststest.Account) {
			a.Write(func(tx *db.Tx) error {
				list, _, err := jobs.List(tx, jobs.Filter{Statuses: []jobs.Status{jobs.Pending}, Limit: 4})
				for _, j := range list {
					finish(a, tx, j)
				}
				return err
			})
			fillJobs(a, 5)
		},
	})
}
