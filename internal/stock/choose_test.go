package stock_test

import (
	"slices"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/stock"
)

// The warehouse of a line has units for it: a deleted level has none, others of the same operation may free some or take them along.
// A line whose warehouse is gone gets another one.
func TestChoiceOfWarehouses(t *testing.T) {
	level := func(warehouse string, onHand, reserved int64) stock.Level {
		return stock.Level{SKU: "CUP", Warehouse: warehouse, Product: "p", OnHand: onHand, Reserved: reserved}
	}
	deleted := level("LYON", 9, 0)
	deleted.Deleted = true
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		for _, c := range []struct {
			name   string
			levels []stock.Level
			shifts []stock.Shift
			want   []string
		}{
			{"a deleted level", []stock.Level{level("MAIN", 1, 0), deleted}, []stock.Shift{{Reserve: 2}}, []string{"MAIN"}},
			{"another shift frees units", []stock.Level{level("MAIN", 5, 5), level("LYON", 3, 0)},
				[]stock.Shift{{Warehouse: "MAIN", Reserve: -5}, {Reserve: 4}}, []string{"MAIN", "MAIN"}},
			{"another shift sends units away", []stock.Level{level("MAIN", 5, 5), level("LYON", 3, 0)},
				[]stock.Shift{{Warehouse: "MAIN", Reserve: -5, OnHand: -5}, {Reserve: 2}}, []string{"MAIN", "LYON"}},
			{"its warehouse is gone", []stock.Level{level("MAIN", 5, 0)}, []stock.Shift{{Warehouse: "GONE", Reserve: 1}}, []string{"MAIN"}},
		} {
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				levels := stock.Levels{}
				for _, l := range c.levels {
					levels[l.Place()] = l
				}
				shifts := slices.Clone(c.shifts)
				for i := range shifts {
					shifts[i].SKU = "CUP"
				}
				err := stock.NewShiftPlan(levels).Choose(tx, shifts)
				var got []string
				for _, s := range shifts {
					got = append(got, s.Warehouse)
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%s: %v, want %v", c.name, got, c.want)
				}
				return err
			})
			if err != nil {
				t.Fatal(c.name, err)
			}
		}
	})
}
