package dashboard

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/db"
	"entrepot/internal/orders"
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

// saveRules sends a form of settings twice: to see what it would do, and to save it.
func (b *browser) saveRules(t testing.TB, page reply, at string, typed ...string) reply {
	t.Helper()
	checked := b.sendForm(t, page, at, typed...)
	checked.has(t, 200, "Nothing is saved yet", "What the changes would do")
	return b.sendForm(t, checked, at)
}

// sold has products on a channel: SKUs with prices and the quantities of their main warehouse.
func (s *site) sold(c channels.Channel, prices map[string]string, stock map[string]int) {
	s.t.Helper()
	for sku, price := range prices {
		p := s.product(fmt.Sprintf(`{"sku":%q,"name":%q,"price":%s,"stock":{"quantity":%d}}`, sku, sku, price, stock[sku]))
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			item := channelsync.NewItem(c.ID, sku, p.ID, "")
			item.ExternalProduct = "their " + sku
			channelsync.Put(tx, item)
			return nil
		})
	}
}

// Before a merchant's settings are saved, the page counts what they would do to stock, prices and orders, and says what cannot be counted.
func TestWhatRulesWouldDo(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c := s.platform()
		s.sold(c, map[string]string{"BOWL": "10", "CUP": "0", "MUG": "12.50"}, map[string]int{"BOWL": 2, "CUP": 9, "MUG": 0})
		s.receive(t, c, 0, "processing", orders.Processing) // takes two of MUG
		b, at := s.as(s.owner), "/channels/"+string(c.ID)+"/rules"
		page := b.get(at)
		for _, step := range []struct {
			typed []string
			words []string
		}{
			{[]string{"settings.stockBuffer", "3"}, []string{"Another quantity is shown for 2 of 3 SKUs. 1 would be sold out.", "BOWL: 2 → 0",
				"CUP: 9 → 6"}},
			{[]string{"settings.stock", "off"}, []string{"The stock of 3 of 3 SKUs is not sent any more"}},
			{[]string{"settings.warehouses", "MAIN"}, []string{"Another quantity is shown for 0 of 3 SKUs."}},
			{[]string{"settings.priceFactor", "1.1"}, []string{"The price changes for 2 of 3 SKUs.", "BOWL: €10.00 → €11.00 (+10 %)",
				"MUG: €12.50 → €13.75"}},
			{[]string{"settings.ordersFrom", "2026-03-01T00:00"}, []string{"1 order here is older and stays", "is not known before the next pull"}},
			{[]string{"settings.taxClass", "reduced", "statusMap[0].theirs", "packed", "statusMap[0].ours", "SHIPPED"},
				[]string{"cannot be counted before: What the shop's statuses mean, Tax class."}},
		} {
			b.sendForm(t, page, at, step.typed...).has(t, 200, append(step.words, "Nothing is saved yet")...)
			same(t, s.settings(t, c), map[string]any{})
		}
		checked := b.sendForm(t, page, at, "settings.stockBuffer", "1")
		checked.has(t, 200, "Save these rules", "CUP: 9 → 8")
		other := b.sendForm(t, checked, at, "settings.stockBuffer", "2") // typed after the check: it is checked again
		other.has(t, 200, "Nothing is saved yet", "CUP: 9 → 7")
		b.leads(t, b.sendForm(t, other, at), "Saved the rules")
		same(t, s.settings(t, c), map[string]any{"stockBuffer": 2.0})
	})
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
		page.has(t, 200, "An order for more than there is", "Default: 0.", "Price factor", "Only for WooCommerce", "A tracking plugin", "Every 90 seconds",
			"Tell the shop about refunds", "No money moves")
		b.leads(t, b.sendForm(t, page, at+"/rules"), "Nothing to save")

		b.sendForm(t, page, at+"/rules", "settings.stockBuffer", "some", "settings.priceFactor", "0", "settings.ordersFrom", "yesterday",
			"statusMap[0].theirs", "packed").has(t, 422, "4 things are wrong", "Must be a whole number", "This is required")
		if got := s.settings(t, c); len(got) != 3 {
			t.Errorf("a refused form has changed the settings: %v", got)
		}

		out := b.saveRules(t, page, at+"/rules", "settings.stockBuffer", "3", "settings.priceFactor", "1.10",
			"settings.ordersFrom", "2026-01-02T03:04:05", "settings.taxClass", "", "settings.stock", "off", "settings.tracking", "note",
			"settings.pullEvery", "3600", "settings.pushRefunds", "true", "settings.warehouses", "MAIN", "statusMap[0].theirs", "wc.packed", "statusMap[0].ours", "PROCESSING")
		page = b.leads(t, out, "Saved the rules", "Undo")
		got := s.settings(t, c)
		want := map[string]any{"stockBuffer": 3.0, "priceFactor": 1.10, "ordersFrom": "2026-01-02T03:04:05Z", "stock": "off", "tracking": "note",
			"pullEvery": 3600.0, "pushRefunds": true, "warehouses": []any{"MAIN"}, "other": "stays", "statusMap": map[string]any{"wc.packed": "PROCESSING"}}
		same(t, got, want)

		undone := b.sendForm(t, page, at+"/rules/undo")
		page = b.leads(t, undone, "Restored the rules")
		same(t, s.settings(t, c), map[string]any{"taxClass": "reduced", "other": "stays", "pullEvery": 90.0})

		other := b.saveRules(t, page, at+"/rules", "settings.stockBuffer", "7")
		b.leads(t, other, "Saved the rules")
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
	b.leads(t, b.saveRules(t, page, at, "settings.oversell", "reject"), "Saved the rules")
	same(t, s.settings(t, c), map[string]any{"oversell": "reject"})
}
