package dashboard

import (
	"testing"
	"time"
)

// The last days are whole days of the user's zone, today among them: on the overview as on the cards of channels.
func TestLastDaysAreWholeDays(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	f := format{now: time.Date(2026, 3, 31, 22, 30, 0, 0, time.UTC), zone: tokyo} // the first of April there
	span := f.lastDays(30)
	from, to := time.Date(2026, 3, 3, 0, 0, 0, 0, tokyo), time.Date(2026, 4, 2, 0, 0, 0, 0, tokyo)
	if span.From != from.UnixMicro() || span.To != to.UnixMicro()-1 {
		t.Errorf("from %s to %s", time.UnixMicro(span.From).In(tokyo), time.UnixMicro(span.To).In(tokyo))
	}
}
