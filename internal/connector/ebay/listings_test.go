package ebay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
)

// many are products without variants.
func many(n int) (list []connector.Product) {
	for i := range n {
		p := mug()
		p.SKU, p.Name = fmt.Sprint("MUG-", i), fmt.Sprint("Mug ", i)
		list = append(list, p)
	}
	return list
}

// Items, offers and publications of 25 products are one request each; a category is asked for by title, and only once.
func TestCallsOfListings(t *testing.T) {
	a := newAccount(t)
	connectortest.Must(a.session.Test(t.Context()))(t)
	before := a.Client.Calls()
	results := connectortest.Must(a.session.Upsert(t.Context(), many(25)))(t)
	if n := a.Client.Calls() - before; n != 1+25+4 { // the tree and 25 categories; read, items, offers, publication
		t.Errorf("%d requests", n)
	}
	for _, r := range results {
		if _, _, listing := a.Offer(r.SKU); r.State != connector.Live || r.IDs.Product != listing || listing == "" {
			t.Errorf("%+v, listing %q", r, listing)
		}
	}
	again := many(25)
	for i := range again {
		again[i].Known, again[i].Price = results[i].IDs, 88000
	}
	before = a.Client.Calls()
	connectortest.Must(a.session.Upsert(t.Context(), again))(t)
	if n := a.Client.Calls() - before; n != 1+2*25 { // items are as they were; eBay changes one offer at a time, which is read before
		t.Errorf("%d requests for changes", n)
	}
	if price, _, _ := a.Offer("MUG-24"); price != "8.80" {
		t.Error(price)
	}
}

// One SKU for which eBay refuses a whole request keeps no other product off sale.
func TestRefusedAsAWhole(t *testing.T) {
	a := newAccount(t)
	connectortest.Must(a.session.Test(t.Context()))(t)
	a.refuses = `"title":"Mug 17"`
	results := connectortest.Must(a.session.Upsert(t.Context(), many(25)))(t)
	for _, r := range results {
		_, _, listing := a.Offer(r.SKU)
		if want := r.SKU != "MUG-17"; (r.State == connector.Live) != want || (listing != "") != want || r.Again {
			t.Errorf("%+v, listing %q", r, listing)
		}
	}
}

// A seller who sets the quantities himself keeps them: nothing is sent for a new item, and its own number for one that is there.
func TestQuantitiesThatAreTheSellers(t *testing.T) {
	a := newAccount(t)
	p := mug()
	results := connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)
	p.Known, p.Quantity, p.Name = results[0].IDs, connector.NotOurs, "Better mug"
	results = connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)
	shown := connectortest.Must(a.session.ReadStock(t.Context(), []connector.Item{{SKU: "MUG"}}))(t)
	if _, n, _ := a.Offer("MUG"); n != 9 || shown["MUG"] != 9 {
		t.Errorf("the offer shows %d, the item %d: %+v", n, shown["MUG"], results)
	}
	p.SKU, p.Known = "CUP", connector.IDs{}
	results = connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)
	if slices.ContainsFunc(results, func(r connector.Result) bool { return r.State != connector.Live }) {
		t.Errorf("%+v", results)
	}
}

// Buyers read a long text whole; the item, which takes less and is shown beside it, has it without markup that could be cut in two.
func TestLongTexts(t *testing.T) {
	a := newAccount(t)
	long := mug()
	long.Description = "<p>" + strings.Repeat("A <b>mug</b> to drink from. ", 300) + "The end.</p>"
	if r := connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{long}))(t); r[0].State != connector.Live {
		t.Errorf("%+v", r)
	}
	if text := a.Text("MUG"); text != long.Description {
		t.Errorf("%d of %d characters: …%s", len(text), len(long.Description), text[max(0, len(text)-20):])
	}
}

// What the seller has entered at eBay and the service does not know stays when a product is pushed again, and when an item that was there
// is adopted: its condition, the weight of its package, the category and the policies of its offer. The channel's settings come before it.
func TestWhatTheSellerEnteredStays(t *testing.T) {
	for _, adopted := range []bool{false, true} {
		a := newAccount(t)
		p := mug()
		p.Attributes = []connector.Attribute{{Name: "EAN", Value: "4006381333931"}, {Name: "Color", Value: "Blue"}}
		results := connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)
		item, offer := a.Stored("MUG")
		if product := item["product"].(map[string]any); item["condition"] != "NEW" || fmt.Sprint(product["ean"]) != "[4006381333931]" ||
			fmt.Sprint(product["aspects"]) != "map[Color:[Blue]]" || offer["categoryId"] == nil {
			t.Errorf("%v %v", item, offer)
		}
		a.Enter("MUG", map[string]any{"condition": "USED_EXCELLENT", "packageWeightAndSize": map[string]any{"weight": 1.5},
			"product": map[string]any{"mpn": "M-1", "title": "Another title"}},
			map[string]any{"categoryId": "777", "storeCategoryNames": []any{"/Mugs"}, "listingPolicies": map[string]any{
				"fulfillmentPolicyId": "F-2", "paymentPolicyId": "P-2", "returnPolicyId": "R-2", "eBayPlusIfEligible": true}})
		if p.Known, p.Price = results[0].IDs, 88000; adopted {
			p.Known = connector.IDs{}
		}
		if r := connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t); r[0].State != connector.Live {
			t.Fatalf("%+v", r)
		}
		item, offer = a.Stored("MUG")
		product, policies := item["product"].(map[string]any), offer["listingPolicies"].(map[string]any)
		if item["condition"] != "USED_EXCELLENT" || item["packageWeightAndSize"] == nil || product["mpn"] != "M-1" || product["title"] != p.Name {
			t.Errorf("%v", item)
		}
		if offer["categoryId"] != "777" || offer["storeCategoryNames"] == nil || policies["fulfillmentPolicyId"] != "F-2" ||
			policies["eBayPlusIfEligible"] != true || offer["offerId"] != nil || offer["listing"] != nil {
			t.Errorf("%v", offer)
		}
		if price, n, listing := a.Offer("MUG"); price != "8.80" || n != p.Quantity || listing == "" {
			t.Errorf("%s, %d, %q", price, n, listing)
		}
	}
}

// Variants differ by what their items say: a long value is cut in both, and a number of a variant is no property by which buyers choose.
func TestWhatVariantsDifferBy(t *testing.T) {
	a := newAccount(t)
	p := mug()
	long := strings.Repeat("very ", 20) + "blue"
	for i, color := range []string{"Red", long} {
		p.Variants = append(p.Variants, connector.Variant{SKU: fmt.Sprint("MUG-", i), Price: 10000, Quantity: 3,
			Attributes: []connector.Attribute{{Name: "Color", Value: color}, {Name: "EAN", Value: fmt.Sprint("400638133393", i)}}})
	}
	if r := connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t); r[0].State != connector.Live {
		t.Fatalf("%+v", r)
	}
	group := a.Group("MUG")
	if got := fmt.Sprint(group["variesBy"]); got != fmt.Sprintf("map[specifications:[map[name:Color values:[Red %s]]]]", long[:65]) {
		t.Error(got)
	}
	item, _ := a.Stored("MUG-1")
	if product := item["product"].(map[string]any); fmt.Sprint(product["aspects"]) != fmt.Sprintf("map[Color:[%s]]", long[:65]) ||
		fmt.Sprint(product["ean"]) != "[4006381333931]" {
		t.Error(product)
	}
}

// eBay changes no quantity and no price of an offer that is not on sale: those of a hidden product come with it when it is on sale again.
// An offer that was ended at eBay is gone.
func TestOffersThatAreNotOnSale(t *testing.T) {
	a := newAccount(t)
	p := mug()
	put := func() connector.Item {
		r := connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)
		if r[0].State != connector.Live {
			t.Fatalf("%+v", r)
		}
		p.Known = r[0].IDs
		return connector.Item{SKU: p.SKU, IDs: r[0].IDs}
	}
	set := func(it connector.Item, want string) {
		t.Helper()
		stock := connectortest.Must(a.session.SetStock(t.Context(), []connector.StockItem{{Item: it, Quantity: 4}}))(t)
		price := connectortest.Must(a.session.SetPrices(t.Context(), []connector.PriceItem{{Item: it, Price: 55000}}))(t)
		if stock[0].State != want || price[0].State != want {
			t.Errorf("%+v %+v", stock, price)
		}
	}
	put()
	p.OnSale = false
	hidden := put()
	set(hidden, connector.Live)
	p.OnSale, p.Quantity, p.Price = true, 4, 55000
	shown := put()
	if price, n, listing := a.Offer("MUG"); price != "5.50" || n != 4 || listing == "" {
		t.Errorf("%s, %d, %q", price, n, listing)
	}
	set(shown, connector.Live)
	connectortest.Must(a.session.Unpublish(t.Context(), []connector.Item{shown}, false))(t)
	set(shown, connector.Gone)
}

// Listings that their seller or eBay ended are noticed, with what ended them, and are put on sale by the next push. Where
// eBay does not say, nothing is said.
func TestListingsThatEnded(t *testing.T) {
	a := newAccount(t)
	products := []connector.Product{mug(), shirt()}
	put := func() (items []connector.Item) {
		t.Helper()
		for _, r := range connectortest.Must(a.session.Upsert(t.Context(), products))(t) {
			if r.State != connector.Live {
				t.Fatalf("%+v", r)
			}
			items = append(items, connector.Item{SKU: r.SKU, IDs: r.IDs})
		}
		return items
	}
	look := func(items []connector.Item) string {
		return fmt.Sprint(connectortest.Must(a.session.(connector.Looker).Look(t.Context(), items))(t))
	}
	items := put()
	if seen := look(items); seen != "map[MUG: SHIRT-M: SHIRT-S:]" {
		t.Errorf("on sale: %s", seen)
	}
	a.End("MUG", "")
	a.End("SHIRT-S", "EBAY_ENDED")
	a.End("SHIRT-M", "ENDED")
	const ended = "map[MUG:its listing has ended on eBay SHIRT-M:its listing has ended on eBay SHIRT-S:eBay has ended its listing]"
	if seen := look(items); seen != ended {
		t.Errorf("ended: %s", seen)
	}
	if seen := look(put()); seen != "map[MUG: SHIRT-M: SHIRT-S:]" {
		t.Errorf("on sale again: %s", seen)
	}
	a.DropOffer("MUG")
	if seen := look(items); !strings.Contains(seen, "MUG:its offer was deleted on eBay") {
		t.Errorf("deleted: %s", seen)
	}
	a.lacks = "/sell/inventory/v1/offer"
	if seen := look(items); seen != "map[]" {
		t.Errorf("where eBay does not say: %s", seen)
	}
}

// A listing with variants ends as a whole, also where eBay does not say to which group an item belongs, and one by one where it ends no
// groups.
func TestListingsWithVariantsEnd(t *testing.T) {
	for name, lacks := range map[string]string{"as a group": "", "one by one": "/sell/inventory/v1/offer/withdraw_by_inventory_item_group"} {
		a := newAccount(t)
		p := shirt()
		end := func(how string, do func()) {
			t.Helper()
			p.OnSale = true
			var items []connector.Item
			for _, r := range connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t) {
				items = append(items, connector.Item{SKU: r.SKU, IDs: r.IDs})
			}
			a.Faults.Reticent, a.Faults.Single, a.lacks = true, lacks != "", lacks
			if do == nil {
				do = func() {
					for _, r := range connectortest.Must(a.session.Unpublish(t.Context(), items, false))(t) {
						if r.State != connector.Gone {
							t.Errorf("%s, %s: %+v", name, how, r)
						}
					}
				}
			}
			do()
			a.lacks = ""
			for _, f := range p.Forms() {
				if _, _, listing := a.Offer(f.SKU); listing != "" {
					t.Errorf("%s, %s: %s is on sale", name, how, f.SKU)
				}
			}
		}
		end("unpublished", nil)
		end("hidden", func() {
			p.OnSale = false
			for _, r := range connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t) {
				if r.State != connector.Live {
					t.Errorf("%s: %+v", name, r)
				}
			}
		})
	}
}

// A product that gets variants, loses one or has none any more is on sale as what it is now, and as nothing else.
func TestProductsThatGetAndLoseVariants(t *testing.T) {
	a := newAccount(t)
	p := shirt()
	variants := p.Variants
	known := map[string]connector.IDs{}
	put := func(now ...connector.Variant) {
		t.Helper()
		p.Variants, p.Dropped, p.Known, p.Quantity = now, nil, known["SHIRT"], 3
		is := map[string]bool{"SHIRT": true}
		for i := range now {
			now[i].Known, is[now[i].SKU] = known[now[i].SKU], true
		}
		for sku, ids := range known {
			if !is[sku] {
				p.Dropped = append(p.Dropped, connector.Item{SKU: sku, IDs: ids})
			}
		}
		clear(known)
		for _, r := range connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t) {
			if r.State != connector.Live {
				t.Errorf("%+v", r)
			}
			known[r.SKU] = r.IDs
		}
		for _, sku := range []string{"SHIRT", "SHIRT-S", "SHIRT-M"} {
			_, _, listing := a.Offer(sku)
			if want := is[sku] && (sku != "SHIRT" || len(now) == 0); (listing != "") != want {
				t.Errorf("%d variants: %s has the listing %q", len(now), sku, listing)
			}
		}
	}
	put()
	put(slices.Clone(variants)...)
	a.Faults.Single = true // eBay leaves the offers of what is not in the group any more
	put(variants[0])
	put(slices.Clone(variants)...)
	a.Faults.Single = false
	put()
}

// Sellers who have shipping calculated need the weight of packages: the channel's settings have it.
func TestPackages(t *testing.T) {
	a := newAccount(t)
	a.Settings["packageWeight"], a.Settings["packageSize"] = "0.75", "30x20.5x10"
	connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	item, _ := a.Stored("MUG")
	want := "map[dimensions:map[height:10 length:30 unit:CENTIMETER width:20.5] weight:map[unit:KILOGRAM value:0.75]]"
	if got := fmt.Sprint(item["packageWeightAndSize"]); got != want {
		t.Error(got)
	}
	weighed, weight := mug(), money.Amount(3500)
	weighed.Trade = connector.Trade{GTIN: "4006381333931", Weight: &weight}
	connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{weighed}))(t)
	item, _ = a.Stored("MUG")
	if got := fmt.Sprint(item["packageWeightAndSize"], item["product"]); !strings.Contains(got, "value:0.35") || !strings.Contains(got, "ean:[4006381333931]") {
		t.Error(got)
	}
}

// A product whose publication or end was answered, but the answer lost, is on sale or ended: eBay refuses to do it once more.
func TestLostAnswersOfPublications(t *testing.T) {
	for _, p := range []connector.Product{mug(), shirt()} {
		for n := 2; n < 14; n++ {
			a := newAccount(t)
			connectortest.Must(a.session.Test(t.Context()))(t)
			for _, shown := range []bool{true, false} {
				p.OnSale = shown
				a.Faults.LoseAnswer = n
				results, err := a.session.Upsert(t.Context(), []connector.Product{p})
				if err != nil && !connector.Is(err, connector.Temporary) {
					t.Errorf("%s, %d: %v", p.SKU, n, err)
				}
				for _, r := range results {
					if r.State != connector.Live && !r.Again {
						t.Errorf("%s, %d, %v: %+v", p.SKU, n, shown, r)
					}
				}
				a.Faults.LoseAnswer = 0
				connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)
			}
			p.OnSale = true
			connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)
			a.Faults.LoseAnswer = n
			results, err := a.session.Unpublish(t.Context(), []connector.Item{{SKU: p.Forms()[0].SKU}}, false)
			if err != nil && !connector.Is(err, connector.Temporary) {
				t.Errorf("%s, %d: %v", p.SKU, n, err)
			}
			for _, r := range results {
				if r.State != connector.Gone {
					t.Errorf("%s, %d, ended: %+v", p.SKU, n, r)
				}
			}
		}
	}
}

// What the seller wrote about a product at eBay stays as long as nothing is written here.
func TestDescriptions(t *testing.T) {
	a := newAccount(t)
	connectortest.Descriptions(t, a.session, mug(), func() string { return a.Text("MUG") })
}

// A listing that eBay holds back because of a violation is off sale, though its offer is published and its listing active; it is not
// published a second time, and on sale again once eBay lets buyers have it.
func TestListingsThatEBayHoldsBack(t *testing.T) {
	a := newAccount(t)
	p, it := a.sold(t, mug())
	look := func(want string) {
		t.Helper()
		seen := connectortest.Must(a.session.(connector.Looker).Look(t.Context(), []connector.Item{it}))(t)
		if got, ok := seen[it.SKU]; !ok || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%v, want %q", seen, want)
		}
	}
	look("")
	a.HoldBack(it.SKU, true)
	look("breaks a rule")
	p.Name = "Better mug"
	if r := connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{p}))(t)[0]; r.State != connector.Live {
		t.Errorf("%+v", r)
	}
	a.HoldBack(it.SKU, false)
	look("")
}
