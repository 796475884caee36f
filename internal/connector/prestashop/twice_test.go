package prestashop_test

import (
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/prestashop/fakeshop"
)

// A reference that stands at two products, itself or as a combination, names neither: no product is pushed by it, and a line of an order
// that has it does not say which was sold.
func TestReferencesThatStandTwice(t *testing.T) {
	s := newShop(t)
	s.AddProduct("TWICE", "1")
	s.AddProduct("TWICE", "1")
	s.AddProduct("OTHER", "1")
	s.AddProduct("BOTH", "1")
	s.AddCombination("OTHER", "BOTH", 1)
	s.AddCombination("OTHER", "OTHER", 1)
	for sku, refused := range map[string]bool{"TWICE": true, "BOTH": true, "OTHER": false} {
		p := mug()
		p.SKU = sku
		r := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{p}))(t)[0]
		if (r.State == connector.Failed) != refused || refused && !strings.Contains(r.Error, "reference "+sku) {
			t.Errorf("pushing %s: %+v", sku, r)
		}
		s.Buy("ada@example.com", true, fakeshop.Bought{SKU: sku, Quantity: 1})
	}
	s.Pass(time.Minute)
	list, _ := s.pull(t, s.Clock().Add(-time.Hour))
	unclear := 0
	for _, o := range list {
		for _, l := range o.Lines {
			if l.Unclear != "" {
				unclear++
			}
			if (l.SKU == "") != (l.Unclear != "") || l.Unclear != "" && !strings.Contains(l.Unclear, "2 products with the reference") {
				t.Errorf("%+v", l)
			}
		}
	}
	if len(list) != 3 || unclear != 2 {
		t.Errorf("%d lines of %d orders are unclear", unclear, len(list))
	}
}
