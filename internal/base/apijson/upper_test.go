package apijson_test

import (
	"testing"
	"time"

	"entrepot/internal/base/apijson"
)

// An upper bound includes the whole day or millisecond that it names; a finer one is used exactly.
func TestUpperBounds(t *testing.T) {
	for text, want := range map[string]string{
		"2026-01-02":                       "2026-01-02T23:59:59.999999Z",
		"2026-01-02T03:04:05Z":             "2026-01-02T03:04:05.000999Z",
		"2026-01-02T03:04:05.678Z":         "2026-01-02T03:04:05.678999Z",
		"2026-01-02T03:04:05.678+01:00":    "2026-01-02T02:04:05.678999Z",
		"2026-01-02T03:04:05.678123Z":      "2026-01-02T03:04:05.678123Z",
		"2026-01-02T03:04:05.000000":       "2026-01-02T03:04:05.000999Z",
		"2026-01-02T03:04:05.678123+00:00": "2026-01-02T03:04:05.678123Z",
		"2026-01-02T03:04":                 "2026-01-02T03:04:00.000999Z",
		"20260102":                         "2026-01-02T23:59:59.999999Z",
	} {
		if at, ok := apijson.ParseTime(text, true); !ok || at.Format(time.RFC3339Nano) != want {
			t.Errorf("%s: %s, want %s", text, at.Format(time.RFC3339Nano), want)
		}
	}
}

// Times are of ISO 8601, in its extended or its basic form; seconds, fraction and offset may be left out.
func TestFormsOfTimes(t *testing.T) {
	for text, want := range map[string]string{
		"2026-01-02T03:04:05+02:00": "2026-01-02T01:04:05Z", "2026-01-02T03:04:05+0200": "2026-01-02T01:04:05Z",
		"2026-01-02T03:04:05+02": "2026-01-02T01:04:05Z", "2026-01-02T03:04:05.25-0530": "2026-01-02T08:34:05.25Z",
		"2026-01-02T03:04Z":   "2026-01-02T03:04:00Z",
		"2026-01-02T03:04+02": "2026-01-02T01:04:00Z", "2026-01-02T03:04": "2026-01-02T03:04:00Z",
		"2026-01-02T03:04:05,5Z": "2026-01-02T03:04:05.5Z",
		"20260102T030405Z":       "2026-01-02T03:04:05Z", "20260102t030405z": "2026-01-02T03:04:05Z",
		"20260102T030405.678+0200": "2026-01-02T01:04:05.678Z", "20260102T0304": "2026-01-02T03:04:00Z",
		"20260102T0304-05": "2026-01-02T08:04:00Z",
		"20260102":         "2026-01-02T00:00:00Z", " 2026-01-02 ": "2026-01-02T00:00:00Z",
		"2026-01-02T03:04:05.1234567890123Z": "2026-01-02T03:04:05.123456789Z",
	} {
		if at, ok := apijson.ParseTime(text, false); !ok || at.Format(time.RFC3339Nano) != want {
			t.Errorf("%s: %s, want %s", text, at.Format(time.RFC3339Nano), want)
		}
	}
}

// What package time takes beyond ISO 8601 is refused, and a mixture of its forms.
func TestTimesThatAreNone(t *testing.T) {
	for _, text := range []string{
		"2026-01-02T3:04:05Z", "2026-01-02T3:04:05", "2026-01-02T03:04:05+24:00", "2026-01-02T030405Z",
		"2026-01-02T03:04:05-24:30", "2026-01-02T03:04:05+05:60", "2026-01-02T24:00:00Z", "2026-02-29", "20260229", "2026-0102",
		"20261301T000000Z",
		"2026-01-02T03", "2026-01-02T03:04:05+2", "2026-01-02T03:04:05+02:0", "2026-01-02T03:04.5Z", "2026-01-02Z", "20260102T030460Z", "",
	} {
		if at, ok := apijson.ParseTime(text, false); ok {
			t.Errorf("%s is taken as %s", text, at)
		}
	}
	for _, text := range []string{"2026-01-02T03:04:05+23:59", "2026-01-02T03:04:05-00:00", "2026-01-02t03:04:05.5z",
		"2026-01-02 03:04:05.123456"} {
		if _, ok := apijson.ParseTime(text, false); !ok {
			t.Errorf("%s is refused", text)
		}
	}
}
