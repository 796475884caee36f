package ebay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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
	before := a.client.Calls()
	results := connectortest.Must(a.session.Upsert(t.Context(), many(25)))(t)
	if n := a.client.Calls() - before; n != 1+25+4 { // the tree and 25 categories; read, items, offers, publication
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
	before = a.client.Calls()
	connectortest.Must(a.session.Upsert(t.Context(), again))(t)
	if n := a.client.Calls() - before; n != 2+2*25 { // read, items; eBay changes one offer at a time, which is read before
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
