package apijson

import (
	"strings"
	"time"

	"entrepot/internal/regional"
)

const timeMessage = "must be a date (2026-01-31) or an RFC 3339 time (2026-01-31T12:00:00Z)"

// noOffset is RFC 3339 without an offset, which means UTC.
const noOffset = "2006-01-02T15:04:05"

// AsTime says of a text that it must be a time: see ParseTime.
func AsTime(s *Schema) {
	s.Description, s.Pattern = "RFC 3339 time or date", `^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}`
}

func timeSchema() *Schema {
	s := &Schema{Type: "string"}
	AsTime(s)
	return s
}

// ParseTime parses RFC 3339 with any offset or none, or a bare date: its first instant, or its last when upper.
// Answers show milliseconds, so an upper bound in milliseconds includes all of its millisecond.
func ParseTime(s string, upper bool) (time.Time, bool) { return ParseTimeIn(s, upper, time.UTC) }

// ParseTimeIn is ParseTime where bare dates are days of a time zone.
func ParseTimeIn(s string, upper bool, zone *time.Location) (time.Time, bool) {
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		at := regional.Day(day.Year(), day.Month(), day.Day(), zone)
		if upper {
			at = regional.Day(day.Year(), day.Month(), day.Day()+1, zone).Add(-time.Microsecond)
		}
		return bounded(at.UTC())
	}
	s = strings.Replace(strings.ToUpper(s), " ", "T", 1)
	if !rfc3339(s) {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		at, err = time.Parse(noOffset, s)
	}
	if err != nil {
		return time.Time{}, false
	}
	if upper && at.Nanosecond()%int(time.Millisecond) == 0 {
		at = at.Add(time.Millisecond - time.Microsecond)
	}
	return bounded(at.UTC())
}

// rfc3339 refuses what package time takes beyond RFC 3339: hours of one digit, a comma before the fraction, and offsets
// of 24 hours or 60 minutes.
func rfc3339(s string) bool {
	if len(s) < len(noOffset) || s[len("2006-01-02T15")] != ':' || strings.Contains(s, ",") {
		return false
	}
	offset := s[max(0, len(s)-len("+15:04")):]
	return offset[0] != '+' && offset[0] != '-' || offset[1:3] < "24" && offset[4:] < "60"
}

// bounded refuses years that microseconds since 1970 cannot hold.
func bounded(at time.Time) (time.Time, bool) {
	if at.Year() < 1 || at.Year() > 9999 {
		return time.Time{}, false
	}
	return at, true
}
