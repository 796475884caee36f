package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/engine"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
)

var parcels = &engine.Form{Head: 1, Width: 6,
	Build: func(n int) string { return addParcels(db.Repeat(n, 2, "($1,$,$,$,$,$,$,0)")) },
	Mixed: func(n int) string { return addParcels(db.Repeat(n, 1, "($,$,$,$,$,$,$,0)")) }}

func addParcels(rows string) string {
	return "INSERT INTO shipments (tenant_id, order_id, id, carrier, notes, shipped_at, automatic, created_at) VALUES " + rows
}

const someOrder = "0190a0b1-c2d3-7e4f-8a9b-aabbccddee"

// What a group writes by one statement for all rows is what each of its members would have written, whatever the values are: also NULL,
// texts that look like a part of an array, and the bounds of numbers. A value that the column cannot have is refused for its member only.
func TestRowsInArrays(t *testing.T) {
	notes := []any{`{"a", NULL}`, nil, `back\slash, 'quote'`, "", "NULL", "{}", "ligne\nétoile ⭐", nil}
	for name, of := range map[string][]id.Tenant{"one account": {1, 1, 1, 1}, "several": {1, 2, 1, 3}} {
		t.Run(name, func(t *testing.T) {
			e := openPlain(t, dbtest.PlainStoreURL(t))
			release := e.HoldMixed()
			var running sync.WaitGroup
			var want []string
			for i, tenant := range of {
				bad, args := i == 3, []any{tenant}
				for k := range 2 {
					at, note := 2*i+k, notes[2*i+k]
					parcel, shippedAt := fmt.Sprint(someOrder, 10+at), []int64{-1 << 63, 1<<63 - 1}[k]
					if bad {
						parcel = "0190a0b1-c2d3-7e4f-8a9b-aabbccddeegg"
					} else {
						shown := "-"
						if note != nil {
							shown = note.(string)
						}
						want = append(want, fmt.Sprintf("%d %s %s %d %t", tenant, parcel, shown, shippedAt, k == 1))
					}
					args = append(args, fmt.Sprint(someOrder, "00"), parcel, nil, note, shippedAt, k == 1)
				}
				running.Go(func() {
					err := e.Write(t.Context(), tenant, engine.Optimistic, func(engine.Session) ([]*engine.Step, error) {
						return []*engine.Step{{SQL: parcels.Text(2), Args: args, Want: -1, Form: parcels}}, nil
					})
					if bad != (err != nil) {
						t.Errorf("member %d: %v", i, err)
					}
				})
				await(t, func() bool { return e.MixedWaiting() == i+1 })
			}
			release()
			running.Wait()
			got := across(t, e, `SELECT string_agg(concat_ws(' ', tenant_id, id, coalesce(notes, '-'), shipped_at, automatic::TEXT), '|' ORDER BY id)
				FROM shipments WHERE carrier IS NULL AND order_id = '`+someOrder+`00'`)
			if wanted := strings.Join(want, "|"); got != wanted {
				t.Errorf("got\n%s\nwanted\n%s", got, wanted)
			}
			if e.ArrayForms() == 0 {
				t.Error("no statement took arrays")
			}
		})
	}
}

// A statement for any number of rows fails, as those for a few do, if one of them touches nothing; each member then gets its own answer.
func TestRowsInArraysAreCounted(t *testing.T) {
	moved := &engine.Form{Head: 1, Width: 2, Build: func(n int) string {
		return "WITH v(tenant, name, n) AS (VALUES " + db.Repeat(n, 2, "($1::BIGINT,$::TEXT,$::BIGINT)") +
			") UPDATE tallies SET n = tallies.n + v.n FROM v WHERE tallies.tenant_id = v.tenant AND tallies.name = v.name"
	}}
	e := openPlain(t, dbtest.PlainStoreURL(t))
	script(t, e, "INSERT INTO tallies (tenant_id, name, key, n) SELECT 1, 'known ' || n, '', 0 FROM generate_series(0, 2) AS n")
	release := e.HoldMixed()
	var running sync.WaitGroup
	for i := range 4 {
		running.Go(func() {
			err := e.Write(t.Context(), 1, engine.Optimistic, func(engine.Session) ([]*engine.Step, error) {
				step := &engine.Step{SQL: moved.Text(1), Args: []any{id.Tenant(1), fmt.Sprint("known ", i), int64(i + 1)}, Form: moved}
				return []*engine.Step{step.Rows(1, errMissing)}, nil
			})
			if missing := i == 3; missing != (err == errMissing) || !missing && err != nil {
				t.Errorf("member %d: %v", i, err)
			}
		})
		await(t, func() bool { return e.MixedWaiting() == i+1 })
	}
	release()
	running.Wait()
	if got := across(t, e, "SELECT string_agg(n::TEXT, ' ' ORDER BY name) FROM tallies WHERE tenant_id = 1"); got != "1 2 3" {
		t.Errorf("the counts are %s", got)
	}
	if e.ArrayForms() == 0 {
		t.Error("no statement took arrays")
	}
}

var errMissing = errors.New("there is no such count")
