package drafts

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/limits"
	"entrepot/internal/stock"
)

// ReadWarehouse reads a new warehouse, or a change of one.
func ReadWarehouse(o *apijson.Object, to Purpose) commerce.WarehouseDraft {
	o.Record(to.named("CreateWarehouse", "UpdateWarehouse"))
	d := commerce.WarehouseDraft{
		Code:    o.Text("code", apijson.Text{Required: to.makes(), Filled: true, Max: limits.MaxWarehouseCode}),
		Name:    o.Text("name", apijson.Text{Required: to.makes(), Filled: true}),
		Default: o.Bool("isDefault"),
		Address: o.Free("address", true),
	}
	o.NotNull("code", "name")
	return d
}

// movementType is the interface's word for each of the two movements.
type movementType string

var movementCauses = map[movementType]stock.Cause{"receive": stock.Receive, "adjust": stock.Adjustment}

// ReadMovement reads the body of POST movements.
func ReadMovement(o *apijson.Object) commerce.Movement {
	o.Record("CreateMovement")
	return commerce.Movement{
		SKU:       o.Text("sku", apijson.Text{Required: true}).Value,
		Warehouse: o.Text("warehouseCode", apijson.Text{Max: limits.MaxWarehouseCode}).Value,
		Cause:     movementCauses[apijson.Enum[movementType](o, "type", true, "receive", "adjust").Value],
		Quantity:  readDelta(o),
		Reason:    o.Text("reason", apijson.Text{Max: limits.MaxReason}).Value,
	}
}

func readDelta(o *apijson.Object) int64 {
	f := o.Int("quantity", apijson.Int{Required: true, Min: -limits.MaxStock, Max: limits.MaxStock})
	if f.Given() && f.Value == 0 && !o.HasError("quantity") && !o.Describing() {
		o.AddError("quantity", "must not be 0")
	}
	return f.Value
}

// ReadTransfer reads the body of POST transfers.
func ReadTransfer(o *apijson.Object) commerce.Transfer {
	o.Record("CreateTransfer")
	t := commerce.Transfer{
		SKU:      o.Text("sku", apijson.Text{Required: true}).Value,
		From:     o.Text("fromWarehouseCode", apijson.Text{Required: true, Max: limits.MaxWarehouseCode}).Value,
		To:       o.Text("toWarehouseCode", apijson.Text{Required: true, Max: limits.MaxWarehouseCode}).Value,
		Quantity: o.Int("quantity", apijson.Int{Required: true, Min: 1, Max: limits.MaxStock}).Value,
		Reason:   o.Text("reason", apijson.Text{Max: limits.MaxReason}).Value,
	}
	if t.From == t.To && t.From != "" {
		o.AddError("toWarehouseCode", "must be another warehouse than fromWarehouseCode")
	}
	return t
}
