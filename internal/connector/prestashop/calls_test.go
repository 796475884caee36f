package prestashop_test

import (
	"fmt"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/prestashop/fakeshop"
)

// many are products without variants.
func many(n int) (list []connector.Product) {
	for i := range n {
		list = append(list, connector.Product{ID: fmt.Sprint("p", i), SKU: fmt.Sprint("MUG-", i), Name: fmt.Sprint("Mug ", i), OnSale: true,
			Price: 79000, Currency: "EUR", Quantity: 9})
	}
	return list
}

// Beside the product itself, which the shop creates alone, ten products take ten requests, and prices of all of them four.
func TestCallsOfProducts(t *testing.T) {
	s := newShop(t)
	before := s.Client.Calls()
	results := connectortest.Must(s.session.Upsert(t.Context(), many(10)))(t)
	// settings, languages; products and combinations by reference; tax rules groups and which products have; the products; read and written
	// stock, put on sale
	if n := s.Client.Calls() - before; n != 2+2+2+10+2+1 {
		t.Errorf("%d requests for new products", n)
	}
	again := many(10)
	var prices []connector.PriceItem
	for i, r := range results {
		again[i].Known = r.IDs
		prices = append(prices, connector.PriceItem{Item: connector.Item{SKU: r.SKU, IDs: r.IDs}, Price: 81000, Currency: "EUR"})
	}
	before = s.Client.Calls()
	connectortest.Must(s.session.SetPrices(t.Context(), prices))(t)
	if n := s.Client.Calls() - before; n != 4 || s.Field("MUG-9", "price", "") != "8.1" { // products, combinations, reductions; the change
		t.Errorf("%d requests for prices, which are %s", n, s.Field("MUG-9", "price", ""))
	}
	before = s.Client.Calls()
	connectortest.Must(s.session.Upsert(t.Context(), again))(t)
	// products by id and by reference, combinations by reference and by product, reductions; each product; put on sale
	if n := s.Client.Calls() - before; n != 5+10+1 {
		t.Errorf("%d requests for changed products", n)
	}
}

// The combinations that the lines of a page of orders name are read together.
func TestCallsOfOrders(t *testing.T) {
	s := newShop(t)
	shirt := s.shirt()
	for i := range 30 {
		shirt.Variants = append(shirt.Variants, connector.Variant{SKU: fmt.Sprint("SHIRT-", i), Price: 200000, Quantity: 5,
			Attributes: []connector.Attribute{{Name: "Size", Value: fmt.Sprint(i)}}})
	}
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{shirt}))(t)
	for i := range 30 {
		s.Buy("ada@example.com", true, fakeshop.Bought{SKU: fmt.Sprint("SHIRT-", i), Quantity: 1})
	}
	s.Pass(time.Minute)
	before := s.Client.Calls()
	list, _ := s.pull(t, s.Clock().Add(-time.Hour))
	if n := s.Client.Calls() - before; len(list) != 30 || n > 10+1+2 { // the carrier's name is read once, and which products have the references
		t.Errorf("%d requests for %d orders", n, len(list))
	}
	for i, o := range list {
		if o.Lines[0].SKU != fmt.Sprint("SHIRT-", i) {
			t.Errorf("order %d is of %s", i, o.Lines[0].SKU)
		}
	}
}

// A merchant who counts the stock himself keeps his numbers.
func TestQuantitiesThatAreTheMerchants(t *testing.T) {
	s := newShop(t)
	mug, shirt := mug(), s.shirt()
	mug.Quantity, shirt.Variants[0].Quantity, shirt.Variants[1].Quantity = connector.NotOurs, connector.NotOurs, connector.NotOurs
	results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug, shirt}))(t)
	if s.Stock("MUG") != 0 || s.Stock("SHIRT-S") != 0 || results[0].State != connector.Live || results[1].State != connector.Live {
		t.Errorf("the shop shows %d and %d: %+v", s.Stock("MUG"), s.Stock("SHIRT-S"), results)
	}
}
