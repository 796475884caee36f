package apijson

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Times are written as package time writes them, before 1970 too, and to the last millisecond or microsecond (interface §1).
func TestTimesAreWrittenAsPackageTimeDoes(t *testing.T) {
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro(), time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC).UnixMicro()
	times := []int64{first, last, -1, 0, 1, -1_000, -1_000_000, -86_400_000_000, 951_782_399_999_999, 951_868_800_000_000}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		times = append(times, first+random.Int64N(last-first), random.Int64N(4_000_000)-2_000_000)
	}
	for _, micros := range times {
		for layout, exact := range map[string]bool{`"2006-01-02T15:04:05.000Z"`: false, `"2006-01-02T15:04:05.000000Z"`: true} {
			want := time.UnixMicro(micros).UTC().Format(layout)
			if got := string(appendTime(nil, micros, exact)); got != want {
				t.Fatalf("%d is written as %s, not %s", micros, got, want)
			}
		}
	}
}
