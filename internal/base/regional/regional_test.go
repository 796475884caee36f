package regional

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"
)

// Days begin at the first moment that has their date, also where clocks are set at midnight.
func TestDaysBegin(t *testing.T) {
	for _, c := range []struct {
		zone       string
		year       int
		month      time.Month
		day        int
		want       string
		hours      float64
		whereClock string
	}{
		{"UTC", 2026, 3, 29, "2026-03-29T00:00:00Z", 24, ""},
		{"Europe/Paris", 2026, 3, 29, "2026-03-28T23:00:00Z", 23, "set forward at 2"},
		{"Europe/Paris", 2026, 10, 25, "2026-10-24T22:00:00Z", 25, "set back at 3"},
		{"America/New_York", 2026, 11, 1, "2026-11-01T04:00:00Z", 25, "set back at 2"},
		{"Asia/Kolkata", 2026, 5, 1, "2026-04-30T18:30:00Z", 24, ""},
		{"Asia/Kathmandu", 2026, 5, 1, "2026-04-30T18:15:00Z", 24, ""},
		{"Australia/Lord_Howe", 2026, 4, 5, "2026-04-04T13:00:00Z", 24.5, "set back by half an hour"},
		{"America/Sao_Paulo", 2018, 11, 4, "2018-11-04T03:00:00Z", 23, "set forward at 0"},
		{"America/Sao_Paulo", 2018, 2, 17, "2018-02-17T02:00:00Z", 25, "set back at 24"},
		{"America/Havana", 2026, 11, 1, "2026-11-01T04:00:00Z", 25, "set back at 1: there are two midnights"},
		{"Asia/Beirut", 2026, 3, 29, "2026-03-28T22:00:00Z", 23, "set forward at 0"},
		{"Pacific/Apia", 2011, 12, 31, "2011-12-30T10:00:00Z", 24, "after a day that was left out"},
	} {
		zone, ok := Zone(c.zone)
		if !ok {
			t.Errorf("%s is not known", c.zone)
			continue
		}
		at, next := Day(c.year, c.month, c.day, zone), Day(c.year, c.month, c.day+1, zone)
		if got := at.UTC().Format(time.RFC3339); got != c.want || next.Sub(at).Hours() != c.hours {
			t.Errorf("%d-%d-%d in %s (%s) begins at %s and has %v hours", c.year, c.month, c.day, c.zone, c.whereClock, got, next.Sub(at).Hours())
		}
		last := next.Add(-time.Microsecond)
		if in := Day(last.Year(), last.Month(), last.Day(), zone); !in.Equal(at) {
			t.Errorf("the last moment of %d-%d-%d in %s belongs to the day of %s", c.year, c.month, c.day, c.zone, in)
		}
	}
}

// Every zone of the list is known, and found by its city; no two have the same city.
func TestZonesToChooseFrom(t *testing.T) {
	for _, name := range Zones() {
		city := name[strings.LastIndexByte(name, '/')+1:]
		if _, ok := Zone(name); !ok || ZoneOf(strings.ToLower(strings.ReplaceAll(city, "_", " "))) != name {
			t.Errorf("%s: known %v, its city is of %s", name, ok, ZoneOf(city))
		}
	}
	for said, want := range map[string]string{"america/new york": "America/New_York", " UTC ": "UTC", "US/Eastern": "US/Eastern", "": "",
		"Atlantis": "Atlantis"} {
		if got := ZoneOf(said); got != want {
			t.Errorf("%q is %q", said, got)
		}
	}
	if n := len(Zones()); n < 400 {
		t.Errorf("%d zones", n)
	}
}

func TestZonesAndLocales(t *testing.T) {
	for _, name := range []string{"Local", "Europe/Nowhere", "../etc/passwd", "/etc/localtime", "+02:00", "a\x00b", "europe\\paris"} {
		if zone, ok := Zone(name); ok {
			t.Errorf("%q is the zone %s", name, zone)
		}
	}
	for text, want := range map[string]string{"fr": "fr", "de-ch": "de-CH", "EN-us": "en-US", "pt_BR": "pt-BR"} {
		if got, ok := Locale(text); !ok || got != want {
			t.Errorf("%q: %q %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "und", "x", "no language", "de-CH-1996-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} {
		if got, ok := Locale(text); ok {
			t.Errorf("%q is the locale %s", text, got)
		}
	}
	for text, want := range map[string][2]bool{"en-US": {true, true}, "en": {true, true}, "en-GB": {false, false}, "de": {false, false},
		"en-AU": {false, true}} {
		if month, twelve := Dates(language.Make(text)); [2]bool{month, twelve} != want {
			t.Errorf("%s: month first %v, twelve hours %v", text, month, twelve)
		}
	}
}

// The days of every zone follow each other: each begins behind the one before, and at most one of them is left out, where the zone crossed
// the date line.
func TestDaysFollowEachOther(t *testing.T) {
	for _, name := range Zones() {
		zone, ok := Zone(name)
		if !ok {
			t.Fatal(name)
		}
		last := Day(1990, 1, 1, zone)
		for at := last; at.Year() < 2032; at = last {
			year, month, day := at.Date()
			last = Day(year, month, day+1, zone)
			if hours := last.Sub(at).Hours(); hours < 12 || hours > 36 {
				t.Fatalf("%s: %v is followed by %v", name, at, last)
			}
			if begin := Day(last.Year(), last.Month(), last.Day(), zone); !begin.Equal(last) {
				t.Fatalf("%s: %v begins at %v", name, last, begin)
			}
		}
	}
	for name, day := range map[string]string{"Pacific/Apia": "2011-12-30", "Pacific/Fakaofo": "2011-12-30", "Pacific/Kwajalein": "1993-08-21",
		"Pacific/Kiritimati": "1994-12-31", "Pacific/Enderbury": "1994-12-31"} {
		zone, ok := Zone(name)
		at, err := time.Parse(time.DateOnly, day)
		if !ok || err != nil {
			t.Fatal(name, day)
		}
		got, next := Day(at.Year(), at.Month(), at.Day(), zone), at.AddDate(0, 0, 1)
		if want := Day(next.Year(), next.Month(), next.Day(), zone); !got.Equal(want) || got.Day() != next.Day() {
			t.Errorf("%s never had %s: %v, not %v", name, day, got, want)
		}
	}
}
