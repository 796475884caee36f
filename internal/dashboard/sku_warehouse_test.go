package dashboard

import "testing"

// The forms of a SKU propose the warehouse that has it, where the account's default one does not.
func TestFormsProposeTheWarehouseOfASKU(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	c.call("POST", "/warehouses", map[string]any{"code": "PARIS", "name": "Paris"})
	for sku, code := range map[string]string{"HERE": "MAIN", "THERE": "PARIS", "NOWHERE": ""} {
		c.call("POST", "/products", map[string]any{"sku": sku, "name": sku, "price": 1})
		if code != "" {
			c.call("POST", "/inventory/movements", map[string]any{"sku": sku, "type": "receive", "quantity": 5, "warehouseCode": code})
		}
	}
	c.call("POST", "/products", map[string]any{"sku": "BOTH", "name": "Both", "price": 1})
	for _, code := range []string{"PARIS", "MAIN"} {
		c.call("POST", "/inventory/movements", map[string]any{"sku": "BOTH", "type": "receive", "quantity": 5, "warehouseCode": code})
	}
	for sku, want := range map[string][2]string{"HERE": {"MAIN", "PARIS"}, "THERE": {"PARIS", "MAIN"}, "NOWHERE": {"MAIN", "PARIS"},
		"BOTH": {"MAIN", "PARIS"}} {
		path := "/stock/" + sku
		page := b.get(path)
		receive, adjust := page.inputs(t, path+"/receive").Get("warehouseCode"), page.inputs(t, path+"/adjust").Get("warehouseCode")
		transfer := page.inputs(t, path+"/transfer")
		if from, to := transfer.Get("fromWarehouseCode"), transfer.Get("toWarehouseCode"); receive != want[0] || adjust != want[0] ||
			from != want[0] || to != want[1] {
			t.Errorf("%s: received in %s, adjusted in %s, transferred from %s to %s", sku, receive, adjust, from, to)
		}
	}
	out := b.sendForm(t, b.get("/stock/THERE"), "/stock/THERE/receive", "quantity", "many", "warehouseCode", "MAIN")
	if place := out.inputs(t, "/stock/THERE/receive").Get("warehouseCode"); out.status != 422 || place != "MAIN" {
		t.Errorf("refused with %d, the form has %s", out.status, place)
	}
}
