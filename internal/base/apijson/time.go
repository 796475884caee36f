package apijson

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"entrepot/internal/base/regional"
)

// TimeMessage says what a time must be like.
const TimeMessage = "must be a date (2026-01-31) or an ISO 8601 time (2026-01-31T12:00:00Z)"

// AsTime says of a text that it must be a time: see ParseTime.
func AsTime(s *Schema) {
	s.Description, s.Pattern = "ISO 8601 time or date", `^\s*[0-9]{4}-?[0-9]{2}-?[0-9]{2}`
}

func timeSchema() *Schema {
	s := &Schema{Type: "string"}
	AsTime(s)
	return s
}

// ParseTime parses a date and time of ISO 8601 or a bare date: its first instant, or its last when upper. Answers
// show milliseconds, so an upper bound in milliseconds includes all of its millisecond.
func ParseTime(s string, upper bool) (time.Time, bool) { return ParseTimeIn(s, upper, time.UTC) }

// The extended and the basic form of ISO 8601: year, month, day, hour, minute, second, fraction, and the offset,
// without which a time is UTC.
const offsetForm = `(Z|[+-]\d\d(?::?\d\d)?)?`

var (
	extended = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?` + offsetForm + `)?$`)
	basic    = regexp.MustCompile(`^(\d{4})(\d\d)(\d\d)(?:[T ](\d\d)(\d\d)(?:(\d\d)(?:[.,](\d+))?)?` + offsetForm + `)?$`)
)

// ParseTimeIn is ParseTime where bare dates are days of a time zone.
func ParseTimeIn(s string, upper bool, zone *time.Location) (time.Time, bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	part := extended.FindStringSubmatch(s)
	if part == nil {
		part = basic.FindStringSubmatch(s)
	}
	if part == nil {
		return time.Time{}, false
	}
	date := part[1] + "-" + part[2] + "-" + part[3]
	if part[4] == "" {
		day, err := time.Parse(time.DateOnly, date)
		if err != nil {
			return time.Time{}, false
		}
		at := regional.Day(day.Year(), day.Month(), day.Day(), zone)
		if upper {
			at = regional.Day(day.Year(), day.Month(), day.Day()+1, zone).Add(-time.Microsecond)
		}
		return bounded(at.UTC())
	}
	offset, ok := rfc3339Offset(part[8])
	if !ok {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, date+"T"+part[4]+":"+part[5]+":"+cmp.Or(part[6], "00")+"."+cmp.Or(part[7], "0")+offset)
	if err != nil {
		return time.Time{}, false
	}
	if upper && at.Nanosecond()%int(time.Millisecond) == 0 {
		at = at.Add(time.Millisecond - time.Microsecond)
	}
	return bounded(at.UTC())
}

// rfc3339Offset is an offset of ISO 8601 as RFC 3339 has it: "+02:00" for "+02" and "+0200". Offsets of 24 hours or
// 60 minutes, which package time takes, are refused.
func rfc3339Offset(text string) (string, bool) {
	if text == "" || text == "Z" {
		return "Z", true
	}
	hours, minutes := text[:3], cmp.Or(strings.TrimPrefix(text[3:], ":"), "00")
	return hours + ":" + minutes, hours[1:] < "24" && minutes < "60"
}

// bounded refuses years that microseconds since 1970 cannot hold.
func bounded(at time.Time) (time.Time, bool) {
	if at.Year() < 1 || at.Year() > 9999 {
		return time.Time{}, false
	}
	return at, true
}
