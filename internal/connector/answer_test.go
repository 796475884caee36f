package connector

import (
	"strings"
	"testing"
	"time"
)

// The message of an answer without a text explains to a merchant what it means; a text of the platform is preferred.
func TestAnswersWithoutAText(t *testing.T) {
	for status, c := range map[int]struct {
		kind Kind
		says string
	}{
		401: {Unauthorized, "enter them again (401)"},
		403: {Forbidden, "give them the right to (403)"},
		404: {Missing, "was it deleted there"},
		410: {Missing, "(410)"},
		429: {Throttled, "later by themselves (429)"},
		408: {Temporary, "when it answers again (408)"},
		503: {Temporary, "when it answers again (503)"},
		422: {Rejected, "does not say why (422)"},
	} {
		f := HTTPFailure(&Response{Status: status}, time.Time{}, "", "")
		if f.Kind != c.kind || !strings.Contains(f.Message, c.says) {
			t.Errorf("%d: %+v", status, f)
		}
		if own := HTTPFailure(&Response{Status: status}, time.Time{}, "", "<b>No.</b>"); own.Message != "No." || own.Kind != c.kind {
			t.Errorf("%d with a text: %+v", status, own)
		}
	}
	if f := HTTPFailure(&Response{Status: 204}, time.Time{}, "", ""); f != nil {
		t.Errorf("204: %v", f)
	}
}
