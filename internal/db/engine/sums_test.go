package engine

import (
	"fmt"
	"reflect"
	"testing"
)

// Rows of one record become one row, whoever writes them; those of other records, tenants and forms stay apart.
func TestSums(t *testing.T) {
	counts := &Form{Head: 1, Width: 3, Key: []int{0}, Sum: []int{1, 2}, Mixed: func(n int) string { return fmt.Sprint("counts ", n) }}
	figures := &Form{Head: 1, Width: 2, Key: []int{0}, Sum: []int{1}, Mixed: func(n int) string { return fmt.Sprint("figures ", n) }}
	first := &Step{Form: counts, Args: []any{1, "a", int64(1), int64(10), "b", int64(2), int64(20)}}
	var s Sums
	for range 2 { // the writes of a transaction that ran twice
		s.Clear()
		s.Add(first)
		s.Add(&Step{Form: figures, Args: []any{1, "a", int64(7)}})
		s.Add(&Step{Form: counts, Args: []any{1, "b", int64(-2), int64(5)}})
		s.Add(&Step{Form: counts, Args: []any{2, "a", int64(3), int64(30)}})
	}
	if s.Empty() {
		t.Error("it is empty")
	}
	steps := s.Steps()
	want := []Step{
		{SQL: "counts 3", Want: -1, Args: []any{1, "a", int64(1), int64(10), 1, "b", int64(0), int64(25), 2, "a", int64(3), int64(30)}},
		{SQL: "figures 1", Want: -1, Args: []any{1, "a", int64(7)}},
	}
	if len(steps) != len(want) {
		t.Fatalf("%d statements", len(steps))
	}
	for i := range want {
		if !reflect.DeepEqual(*steps[i], want[i]) {
			t.Errorf("%+v, not %+v", *steps[i], want[i])
		}
	}
	if !s.Empty() || first.Args[4] != "b" || first.Args[5] != int64(2) {
		t.Errorf("afterwards: empty %v, arguments %v", s.Empty(), first.Args)
	}
}

// Only rows that are added up wait for those of other transactions: others count what they touch.
func TestWhatHasSums(t *testing.T) {
	mixed := func(int) string { return "" }
	for _, of := range []struct {
		form *Form
		has  bool
	}{
		{&Form{Key: []int{0}, Sum: []int{1}, Mixed: mixed}, true},
		{&Form{Key: []int{0}, Mixed: mixed}, false},
		{&Form{Key: []int{0}, Sum: []int{1}}, false}, // its rows need the head of their transaction
	} {
		if of.form.Sums() != of.has {
			t.Errorf("%+v: sums %v", of.form.Sum, !of.has)
		}
	}
}
