package dashboard

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
)

// The audit log calls each record by its name and links its page; a revoked key has a name and no page, and what is not
// in the account has its id.
func TestAuditLogNamesRecords(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.seed()
		revoked := s.revokedKey("Old <ERP>")
		const strange = "no <b>id</b>"
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			for _, kind := range slices.Collect(maps.Keys(logRecords)) {
				audit.Record(tx, "system", kind+".tested", kind, s.samples[strings.TrimSuffix(logRecords[kind].at, "/")], nil)
				audit.Record(tx, "system", kind+".strange", kind, strange, nil)
				audit.Record(tx, "system", kind+".unknown", kind, nobodys, nil)
			}
			audit.Record(tx, "key:"+string(revoked), "key.revoked", "api_key", string(revoked), nil)
			return nil
		})
		b := s.as(s.owner)
		for kind, record := range logRecords {
			which := s.samples[strings.TrimSuffix(record.at, "/")]
			row := b.get("/settings/audit?action=" + kind + ".tested")
			_, rest, linked := strings.Cut(row.body, fmt.Sprintf(`<a href="%s%s%s">`, prefix, record.at, which))
			name, _, _ := strings.Cut(rest, "</a>")
			if own := kind == "job" || kind == "delivery"; !linked || which == "" || name == "" || name == which ||
				own && !strings.HasSuffix(which, strings.TrimPrefix(name, "…")) {
				t.Errorf("%s %s is called %q, linked: %v", kind, which, name, linked)
			}
			if out := b.get(record.at + which); out.status != 200 {
				t.Errorf("the page of %s: %d", kind, out.status)
			}
			if out := b.get("/settings/audit?action=" + kind + ".strange"); out.status != 200 || !strings.Contains(out.words(), strange) {
				t.Errorf("%s with a strange id: %d", kind, out.status)
			}
			if kind == "job" || kind == "delivery" { // they are kept for a time only, and linked whether they still exist or not
				continue
			}
			if out := b.get("/settings/audit?action=" + kind + ".unknown"); !strings.Contains(out.body, "</a> "+nobodys+"</td>") {
				t.Errorf("an unknown %s: %d", kind, out.status)
			}
		}
		if out := b.get("/settings/audit?action=key.revoked"); !strings.Contains(out.body, "</a> Old &lt;ERP&gt;</td>") ||
			!strings.Contains(out.words(), "key Old <ERP>") {
			t.Errorf("a revoked key: %s", out.words())
		}
	})
}

// revokedKey makes a key and revokes it.
func (s *site) revokedKey(name string) (which id.Key) {
	s.t.Helper()
	caller := accounts.Caller{Tenant: s.account.Tenant, User: s.owner.ID, Role: accounts.Owner}
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		key, _, err := s.Commerce.CreateKey(tx, caller, commerce.KeyDraft{Name: name, Scopes: []string{"read:orders"}})
		which = key.ID
		return err
	})
	s.do(s.account.Tenant, func(tx *db.Tx) error { return s.Commerce.RevokeKey(tx, caller, which) })
	return which
}
