package dashboard

import (
	"strings"
	"testing"

	"entrepot/internal/webhooks"
)

// On a phone, the list of deliveries says why one fails, as it does where there is room for a column. Where none is shown, none is
// offered to be attempted again.
func TestDeliveriesOnAPhoneSayWhyTheyFail(t *testing.T) {
	s := newSite(t, "sqlite")
	owner := s.as(s.owner)
	page, _ := owner.endpoint(t, "http://127.0.0.1:9/hooks")
	s.attempted(t, owner, page, webhooks.Attempt{StatusCode: 418, Error: "HTTP 418"})
	b := s.window(t, s.owner)
	for width, shown := range map[int64]bool{390: true, 1440: false} {
		b.look(width, "light")
		b.open("/webhooks/deliveries")
		why := eval[string](b, "document.querySelector('td[data-at=more] .why')?.innerText ?? ''")
		if seen := b.is("document.querySelector('td[data-at=more] .why').checkVisibility()"); !strings.Contains(why, "418") || seen != shown {
			t.Errorf("at %d: %q, seen: %v", width, why, seen)
		}
	}
	if page := owner.get("/webhooks/deliveries?status=failed"); strings.Contains(page.words(), "Retry all failed") {
		t.Error("none is failed, and all are to be retried")
	}
}
