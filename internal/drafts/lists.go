package drafts

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/limits"
	"entrepot/internal/records"
)

// ReadPrices reads the body of a price update: the valid items and the rejected ones.
func ReadPrices(o *apijson.Object) commerce.PriceUpdate {
	o.Record("UpdatePrices")
	list := []catalog.PriceDraft{}
	var rejected []records.ItemError
	o.List("updates", apijson.List{Required: true, Min: 1, Max: limits.MaxUpdates, Apart: true}, func(i int, item *apijson.Object) {
		item.Record("PriceUpdate")
		d := catalog.PriceDraft{
			Index:     i,
			SKU:       item.Text("sku", apijson.Text{Required: true}).Value,
			Price:     item.Money("price", apijson.Money{Required: true}).Value,
			CompareAt: item.Money("compareAtPrice", apijson.Money{}),
		}
		if wrong := item.Errors(); len(wrong) > 0 {
			rejected = append(rejected, itemError(i, item.Said("sku"), wrong))
			return
		}
		list = append(list, d)
	})
	return commerce.NewPriceUpdate(list, rejected)
}

// ReadStock reads a list of quantities for levels: the valid items and the rejected ones. figure is the name of the
// quantity's member.
func ReadStock(o *apijson.Object, figure string) commerce.StockUpdate {
	whole, one := "SetThresholds", "ThresholdUpdate"
	if figure == "quantity" {
		whole, one = "UpdateInventory", "InventoryUpdate"
	}
	o.Record(whole)
	u := commerce.StockUpdate{Drafts: []commerce.StockDraft{}}
	o.List("updates", apijson.List{Required: true, Min: 1, Max: limits.MaxUpdates, Apart: true}, func(i int, item *apijson.Object) {
		if i == 0 && !o.Describing() {
			u.Drafts = make([]commerce.StockDraft, 0, limits.MaxUpdates)
		}
		item.Record(one)
		d := commerce.StockDraft{
			Index:     i,
			SKU:       item.Text("sku", apijson.Text{Required: true}).Value,
			Warehouse: item.Text("warehouseCode", apijson.Text{Max: limits.MaxWarehouseCode}).Value,
			Quantity:  item.Int(figure, apijson.Int{Required: true, Max: limits.MaxStock}).Value,
		}
		if wrong := item.Errors(); len(wrong) > 0 {
			u.Errors = append(u.Errors, itemError(i, item.Said("sku"), wrong))
			return
		}
		u.Drafts = append(u.Drafts, d)
	})
	return u
}
