package dashboard

import (
	"encoding/json"
	"strings"
	"testing"

	"entrepot/internal/channels"
	"entrepot/internal/db"
)

// settings are a channel's, as they are stored.
func (s *site) settings(t testing.TB, c channels.Channel) (all map[string]any) {
	t.Helper()
	err := s.DB.Read(t.Context(), s.account.Tenant, func(tx *db.Tx) error {
		found, err := channels.ByID(tx, c.ID)
		if err != nil {
			return err
		}
		return json.Unmarshal([]byte(found.Settings), &all)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A merchant sets how a shop is synchronised: what is wrong is said at its input, what is saved is what the API has, and one click takes
// it back. What is not changed is not written.
func TestRulesOfAChannel(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c := s.platform()
		b, at := s.as(s.owner), "/channels/"+string(c.ID)
		s.call("PATCH", "/api/v1"+at, `{"settings":{"taxClass":"reduced","other":"stays","pullEvery":90}}`)
		b.get(at).has(t, 200, "Rules")
		page := b.get(at + "/rules")
		page.has(t, 200, "An order for more than there is", "Default: 0.", "Price factor", "Only for WooCommerce", "A tracking plugin", "Every 90 s")
		b.leads(t, b.sendForm(t, page, at+"/rules"), "Nothing was changed")

		b.sendForm(t, page, at+"/rules", "settings.stockBuffer", "some", "settings.priceFactor", "0", "settings.ordersFrom", "yesterday",
			"statusMap[0].theirs", "packed").has(t, 422, "4 things are wrong", "Must be a whole number", "This is required")
		if got := s.settings(t, c); len(got) != 3 {
			t.Errorf("a refused form has changed the settings: %v", got)
		}

		out := b.sendForm(t, page, at+"/rules", "settings.stockBuffer", "3", "settings.priceFactor", "1.10",
			"settings.ordersFrom", "2026-01-02T03:04:05", "settings.taxClass", "", "settings.stock", "off", "settings.tracking", "note",
			"settings.pullEvery", "3600", "settings.warehouses", "MAIN", "statusMap[0].theirs", "wc.packed", "statusMap[0].ours", "PROCESSING")
		page = b.leads(t, out, "The rules are saved", "Undo")
		got := s.settings(t, c)
		want := map[string]any{"stockBuffer": 3.0, "priceFactor": 1.10, "ordersFrom": "2026-01-02T03:04:05Z", "stock": "off", "tracking": "note",
			"pullEvery": 3600.0, "warehouses": []any{"MAIN"}, "other": "stays", "statusMap": map[string]any{"wc.packed": "PROCESSING"}}
		same(t, got, want)

		undone := b.sendForm(t, page, at+"/rules/undo")
		page = b.leads(t, undone, "The rules are as before")
		same(t, s.settings(t, c), map[string]any{"taxClass": "reduced", "other": "stays", "pullEvery": 90.0})

		other := b.sendForm(t, page, at+"/rules", "settings.stockBuffer", "7")
		b.leads(t, other, "The rules are saved")
		b.sendForm(t, page, at+"/rules", "settings.stockBuffer", "8").has(t, 412, "Kept back changed", "Changed meanwhile: it is “7” now")
	})
}

func same(t testing.TB, got, want any) {
	t.Helper()
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("%s\nnot %s", a, b)
	}
}

// A custom channel has one rule, about orders for more than there is.
func TestRulesOfACustomChannel(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.channel("ERP")
	b, at := s.as(s.owner), "/channels/"+string(c.ID)+"/rules"
	page := b.get(at)
	if words := page.words(); strings.Contains(words, "Price factor") || !strings.Contains(words, "An order for more than there is") {
		t.Errorf("%.600s", words)
	}
	b.leads(t, b.sendForm(t, page, at, "settings.oversell", "reject"), "The rules are saved")
	same(t, s.settings(t, c), map[string]any{"oversell": "reject"})
}
