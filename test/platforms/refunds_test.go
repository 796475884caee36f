package platforms

import (
	"strings"
	"testing"

	"entrepot/internal/connector/connectortest/story"
)

// What a platform says of refunds and returns of a shipped order is the order's, once however often it is told, and puts back what is for
// sale again. With the setting pushRefunds a refund of here is noted once where that moves no money; elsewhere the order says why not. It
// does not come back as another one. More than the total is not recorded, and a person is told.
func TestRefundsAndReturns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		shop      func() story.Shop
		refunds   bool   // its orders name refunds
		returns   string // "", "kept" or "restocked": what becomes of a piece that is back
		restocked float64
		skipped   string // of the reason why it is not told of refunds
	}{
		{"WooCommerce", wooCommerce, true, "restocked", 1, ""},
		{"PrestaShop", prestaShop, true, "restocked", 1, ""},
		{"Shopify", shopify, true, "restocked", 1, "make it there"},
		{"TikTok Shop", tikTok, true, "kept", 0, "make it in Seller Center"},
		{"eBay", ebay, true, "", 0, "make it there"},
		{"Amazon", amazon, false, "", 0, "make it in Seller Central"},
	} {
		engines(t, func(t *testing.T, s *service) {
			t.Run(c.name, func(t *testing.T) {
				made := c.shop()
				made.Deliver, made.Install = nil, nil // nothing is read before the test wants it
				s.try("POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 7.9, "stock": map[string]any{"quantity": 99}})
				channel := s.connectShop(t, made, map[string]any{"pullEvery": 86400, "stock": "off", "pushRefunds": true})
				id := channel.Buy(story.Wish{Email: "ada@shop.example", Lines: []story.Line{{SKU: "MUG", Quantity: 3, Cents: 1000}}})
				channel.passUntil(t, "here", func() string { // Amazon lists an order some minutes later
					channel.pull(t)
					return unless(channel.order(id).Text("id") != "", id)
				})
				path := "/api/v1/orders/" + channel.order(id).Text("id")
				channel.call("POST", path+"/shipments", map[string]any{"carrier": "DHL", "trackingNumber": "JD014600001", "items": []any{
					map[string]any{"orderItemId": channel.order(id).Text("items", 0, "id"), "quantity": 3}}}, 201)
				state := func(want string) {
					t.Helper()
					channel.passUntil(t, want, func() string { o := channel.order(id); return unless(o.Text("channelSync", "status") == want, o) })
				}
				state("synced")
				onHand := channel.onHand()

				known := 0
				if c.refunds {
					known = 1
					if made.Back != nil {
						made.Back(id)
					} else {
						made.Refund(id)
					}
				}
				for range 2 {
					channel.pull(t)
					o := channel.order(id)
					var kept []any
					if c.returns != "" {
						kept = o.List("returns")
					}
					switch {
					case len(o.List("refunds")) != known || o.Text("status") != "SHIPPED" || (c.returns != "") != (len(o.List("returns")) == 1):
						t.Errorf("%v", o)
					case kept != nil && (o.Text("returns", 0, "status") != "refunded" || o.Text("returns", 0, "refundId") != o.Text("refunds", 0, "id") ||
						o.At("returns", 0, "items", 0, "restock") != (c.returns == "restocked")):
						t.Errorf("%v", kept)
					}
					if now := channel.onHand(); now != onHand+c.restocked {
						t.Errorf("%v on hand of %v", now, onHand)
					}
				}

				channel.call("POST", path+"/refunds", map[string]any{"amount": 1, "reason": "late"}, 201)
				if c.skipped == "" {
					state("synced")
				} else {
					state("skipped")
				}
				channel.pull(t)
				o := channel.order(id)
				last := len(o.List("refunds")) - 1
				told, reason := o.Text("refunds", last, "externalId") != "", o.Text("channelSync", "error")
				if last != known || told != (c.skipped == "") || !strings.HasSuffix(reason, c.skipped) {
					t.Errorf("%v, %s", o.At("refunds"), reason)
				}
				if made.Given != nil && made.Given(id) != 2 {
					t.Errorf("%d refunds there", made.Given(id))
				}

				if made.Excess == nil {
					return
				}
				made.Excess(id)
				for range 2 {
					channel.pull(t)
					o = channel.order(id)
					issue := ""
					for i := range o.List("issues") {
						issue += o.Text("issues", i, "code") + " of " + o.Text("issues", i, "path") + "; "
					}
					if o.At("refundedAmount") != o.At("total") || o.Text("status") != "RETURNED" || len(o.List("refunds")) != known+2 ||
						!strings.Contains(issue, "amounts_differ of refunds") {
						t.Errorf("%v of %v is refunded, %s; %s %v", o.At("refundedAmount"), o.At("total"), o.Text("status"), issue, o.At("refunds"))
					}
				}
			})
		}, timed)
	}
}

// onHand is how many mugs are on hand, by the ledger.
func (c *channelOf) onHand() float64 {
	n, _ := c.call("GET", "/api/v1/inventory/MUG/ledger?limit=1", nil, 200).At("data", 0, "balance").(float64)
	return n
}

// The whole money of an order that is recorded as paid back here is counted once, whether the shop is told of the refund, or makes one of its
// own because the order is over.
func TestWholeRefundsAreCountedOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		shop    func() story.Shop
		told    bool
		shipped bool
		there   int // refunds that the shop has then
	}{
		{"WooCommerce, told, shipped", wooCommerce, true, true, 1}, {"WooCommerce, told, not shipped", wooCommerce, true, false, 1},
		{"WooCommerce, not told, shipped", wooCommerce, false, true, 1}, {"WooCommerce, not told, not shipped", wooCommerce, false, false, 0},
		{"PrestaShop, told, shipped", prestaShop, true, true, 1}, {"PrestaShop, told, not shipped", prestaShop, true, false, 1},
		{"PrestaShop, not told, shipped", prestaShop, false, true, 0},
	} {
		engines(t, func(t *testing.T, s *service) {
			t.Run(c.name, func(t *testing.T) {
				made := c.shop()
				made.Deliver, made.Install = nil, nil
				s.try("POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 7.9, "stock": map[string]any{"quantity": 99}})
				channel := s.connectShop(t, made, map[string]any{"pullEvery": 86400, "stock": "off", "pushRefunds": c.told})
				id := channel.Buy(story.Wish{Email: "ada@shop.example", Lines: []story.Line{{SKU: "MUG", Quantity: 2, Cents: 1000}}})
				channel.pull(t)
				if c.shipped {
					channel.ship(t, id, 2, "JD014600001")
				}
				o := channel.order(id)
				channel.call("POST", "/api/v1/orders/"+o.Text("id")+"/refunds", map[string]any{"amount": o.At("total"), "reason": "late"}, 201)
				want := map[bool]string{true: "RETURNED", false: "CANCELLED"}[c.shipped]
				for range 2 {
					channel.passUntil(t, "synced", func() string { o := channel.order(id); return unless(o.Text("channelSync", "status") == "synced", o) })
					channel.pull(t)
				}
				o = channel.order(id)
				if o.Text("status") != want || o.At("refundedAmount") != o.At("total") || len(o.List("refunds")) != 1 || len(o.List("issues")) != 0 ||
					made.Given(id) != c.there || (o.Text("refunds", 0, "externalId") != "") != (c.there > 0) {
					t.Errorf("%s, %v of %v; %d refunds there: %v %v", o.Text("status"), o.At("refundedAmount"), o.At("total"), made.Given(id),
						o.At("refunds"), o.At("issues"))
				}
			})
		}, timed)
	}
}
