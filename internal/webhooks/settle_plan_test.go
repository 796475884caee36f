package webhooks

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// queued is a writer that keeps what is queued.
type queued struct {
	db.Writer
	tx    *db.Tx
	steps []*db.Step
}

func (q *queued) Micros() int64 { return q.tx.Micros() }
func (q *queued) Queue(sql string, args ...any) *db.Step {
	s := &db.Step{SQL: sql, Args: args, Want: -1}
	q.steps = append(q.steps, s)
	return s
}

// looked is how many rows a statement looked at on PostgreSQL, those of lists included, with the plan that serves all arguments.
func looked(t *testing.T, tx *db.Tx, s *db.Step) (rows int, plan string) {
	t.Helper()
	values := make([]string, len(s.Args))
	for i, arg := range s.Args {
		values[i] = "NULL"
		if arg != nil {
			values[i] = "'" + fmt.Sprint(arg) + "'"
		}
	}
	name := "s" + rand.Text()
	if _, err := tx.Exec("PREPARE " + name + " AS " + s.SQL); err != nil {
		t.Fatal(err)
	}
	var lines []string
	err := tx.Each(func(r db.Rows) error {
		var line string
		err := r.Scan(&line)
		lines = append(lines, line)
		return err
	}, "EXPLAIN (ANALYZE, TIMING off) EXECUTE "+name+" ("+strings.Join(values, ",")+")")
	if err != nil {
		t.Fatal(err)
	}
	plan = strings.Join(lines, "\n")
	for _, scan := range regexp.MustCompile(`Scan.*actual rows=(\d+) loops=(\d+)`).FindAllStringSubmatch(plan, -1) {
		n, _ := strconv.Atoi(scan[1])
		loops, _ := strconv.Atoi(scan[2])
		rows += n * loops
	}
	for _, removed := range regexp.MustCompile(`Rows Removed by.*: (\d+)`).FindAllStringSubmatch(plan, -1) {
		n, _ := strconv.Atoi(removed[1])
		rows += n
	}
	return rows, plan
}

// Storing outcomes looks at some rows for each of them, however many they are and however many deliveries there are, whether the
// server has analysed the tables or believes them empty.
func TestOutcomesAreStoredByKeys(t *testing.T) {
	for _, analysed := range []bool{false, true} {
		t.Run(fmt.Sprintf("analysed=%t", analysed), func(t *testing.T) {
			store := dbtest.Open(t, db.Config{URL: dbtest.PlainStoreURL(t)})
			tenant := dbtest.Account(t, store)
			var outcomes []Outcome
			for range 2 {
				for i, d := range spreadDeliveries(t, store, tenant, 1000, func(int) State { return Pending }) {
					if i%16 == 0 {
						outcomes = append(outcomes, Outcome{Queue: Queue{tenant, d.Endpoint}, Position: d.Position, Event: d.EventStamp, Name: d.Name,
							Resource: d.Resource, Ordered: true, State: Delivered, Attempt: Attempt{Number: 2, At: 5, StatusCode: 200, Response: "ok"}})
					}
				}
			}
			err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
				if analysed {
					if _, err := tx.Exec("ANALYZE"); err != nil {
						return err
					}
				}
				q := &queued{tx: tx}
				piece := outcomes[:len(outcomes)-len(outcomes)%4]
				settleAccount(q, piece)
				for _, s := range q.steps {
					rows, plan := looked(t, tx, s)
					if rows > 8*len(piece) {
						t.Errorf("%d rows for %d outcomes:\n%s", rows, len(piece), plan)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
