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

// A time that clocks pass over, as they go forward, is that moment where a span begins, and the one before it where it ends: nothing of
// another hour is in the span, and nothing of its own is left out.
func TestTimesThatClocksPassOver(t *testing.T) {
	for _, c := range []struct{ zone, text, first, last string }{
		{"Europe/Berlin", "2026-03-29T02:00", "2026-03-29T01:00:00Z", "2026-03-29T00:59:59.999999Z"},
		{"Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:00:00Z", "2026-03-29T00:59:59.999999Z"},
		{"Europe/Berlin", "2026-03-29T02:59:59.5", "2026-03-29T01:00:00Z", "2026-03-29T00:59:59.999999Z"},
		{"Europe/Berlin", "2026-03-29T01:59:59", "2026-03-29T00:59:59Z", "2026-03-29T00:59:59.000999Z"},
		{"Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00.000999Z"},
		{"America/New_York", "2026-03-08T02:45", "2026-03-08T07:00:00Z", "2026-03-08T06:59:59.999999Z"},
		{"Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30:00Z", "2026-10-03T15:29:59.999999Z"},
		{"Africa/Cairo", "2026-04-24T00:30", "2026-04-23T22:00:00Z", "2026-04-23T21:59:59.999999Z"},
		{"Pacific/Apia", "2011-12-30T12:00", "2011-12-30T10:00:00Z", "2011-12-30T09:59:59.999999Z"}, // a day that Samoa left out
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		for upper, want := range map[bool]string{false: c.first, true: c.last} {
			at, ok := format{zone: zone}.moment(c.text, upper)
			if got := at.UTC().Format(time.RFC3339Nano); !ok || got != want {
				t.Errorf("%s in %s, upper %v: %s, not %s", c.text, c.zone, upper, got, want)
			}
		}
	}
}

// A time that clocks show twice is the first of the two where a span begins, and the second where it ends.
func TestTimesThatClocksShowTwice(t *testing.T) {
	for _, c := range []struct{ zone, text, first, last string }{
		{"Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00.000999Z"},
		{"Europe/Berlin", "2026-10-25T01:59:59", "2026-10-24T23:59:59Z", "2026-10-24T23:59:59.000999Z"},
		{"Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00:00Z", "2026-10-25T02:00:00.000999Z"},
		{"Europe/Berlin", "2026-03-29T03:30", "2026-03-29T01:30:00Z", "2026-03-29T01:30:00.000999Z"},
		{"America/New_York", "2026-11-01T01:15", "2026-11-01T05:15:00Z", "2026-11-01T06:15:00.000999Z"},
		{"Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45:00Z", "2026-04-04T15:15:00.000999Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		for upper, want := range map[bool]string{false: c.first, true: c.last} {
			at, ok := format{zone: zone}.moment(c.text, upper)
			if got := at.UTC().Format(time.RFC3339Nano); !ok || got != want {
				t.Errorf("%s in %s, upper %v: %s, not %s", c.text, c.zone, upper, got, want)
			}
		}
	}
}
