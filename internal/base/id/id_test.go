package id_test

import (
	"testing"

	"entrepot/internal/base/id"
)

// Identifiers of moments sort by these, and by their generation within one; they are UUIDs of version 7, and those of a moment lie between
// First of it and of the next millisecond.
func TestAt(t *testing.T) {
	const moment = 1_700_000_000_123_456
	last := id.At[id.Job](moment - 1)
	for _, at := range []int64{moment, moment, moment, moment + 1, moment + 544, moment + 1_000_000} {
		next := id.At[id.Job](at)
		if parsed, ok := id.Parse[id.Job](string(next)); !ok || parsed != next || next[14] != '7' || next[19] < '8' || next[19] > 'b' {
			t.Errorf("%s is no UUID of version 7", next)
		}
		if next <= last {
			t.Errorf("%s after %s", next, last)
		}
		if next < id.First[id.Job](at) || next >= id.First[id.Job](at+1000) {
			t.Errorf("%s is not of the millisecond of %d", next, at)
		}
		last = next
	}
	for _, far := range []int64{-1 << 63, -1, 253_402_304_400_000_000, 1<<63 - 1} { // the third is an hour behind the year 9999
		if bound, ok := id.Parse[id.Job](string(id.First[id.Job](far))); !ok || (far > 0) != (bound > id.At[id.Job](moment)) {
			t.Errorf("the first of %d: %s", far, bound)
		}
	}
	if early := id.At[id.Job](-5); early >= id.First[id.Job](1000) {
		t.Errorf("before 1970: %s", early)
	}
}
