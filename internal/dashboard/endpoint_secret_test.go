package dashboard

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"entrepot/internal/db"
)

// The page of an endpoint says until when the secret before the last rotation signs as well, and says nothing of it before and after.
func TestOldSecretOfAnEndpoint(t *testing.T) {
	now := time.Date(2026, 3, 5, 15, 4, 0, 0, time.UTC)
	s := newSiteOn(t, "sqlite", func(c *db.Config) { c.Now = func() time.Time { return now } })
	b := s.as(s.owner)
	page, _ := b.endpoint(t, "http://127.0.0.1:9/hooks")
	const words = "Old secret signs until"
	if out := b.get(page).words(); strings.Contains(out, words) {
		t.Errorf("before a rotation: %s", out)
	}
	has(t, b.post(page+"/rotate", url.Values{"_key": {"k1"}}), "the old one signs webhook-signature as well")
	has(t, b.get(page), words+" tomorrow, 15:04")
	now = now.Add(24 * time.Hour)
	if out := s.as(s.owner).get(page).words(); strings.Contains(out, words) {
		t.Errorf("when it no longer signs: %s", out)
	}
}
