package apijson_test

import (
	"testing"
	"time"

	"entrepot/internal/apijson"
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
	} {
		if at, ok := apijson.ParseTime(text, true); !ok || at.Format(time.RFC3339Nano) != want {
			t.Errorf("%s: %s, want %s", text, at.Format(time.RFC3339Nano), want)
		}
	}
}
