package dashboard

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
)

// skuRoutes are the page of one SKU's stock.
var skuRoutes = []*route{
	{method: "GET", path: "/stock/{sku}", scope: "read:inventory", serve: (*Dashboard).showSKU},
	{method: "GET", path: "/stock/-/{sku}", scope: "read:inventory", serve: (*Dashboard).showSKU},
	{method: "POST", path: "/stock/{sku}/receive", scope: "write:inventory", serve: (*Dashboard).moveStock},
	{method: "POST", path: "/stock/{sku}/adjust", scope: "write:inventory", serve: (*Dashboard).moveStock},
	{method: "POST", path: "/stock/{sku}/transfer", scope: "write:inventory", serve: (*Dashboard).transferStock},
	{method: "GET", path: "/stock/transfer", scope: "write:inventory", serve: (*Dashboard).newTransfer},
	{method: "POST", path: "/stock/transfer", scope: "write:inventory", serve: (*Dashboard).createTransfer},
}

// skuView is what templates/sku.html shows.
type skuView struct {
	SKU, Product, ProductTo string
	Levels                  []levelRow
	Held                    []heldRow // the oldest orders that hold it
	HeldMore                bool      // there are others
	Receive, Adjust         *form
	Transfer                *form // nil with one warehouse
	Ledger                  []ledgerRow
	Proof                   []proof
	Pager                   pager
}

// ledgerRow is a row of the ledger.
type ledgerRow struct {
	At                     stamp
	Cause, Reference, To   string
	Note, Warehouse, Actor string
	Delta, Balance         string
	Out                    bool // stock was reduced
}

// heldRow is an order that holds some of it.
type heldRow struct {
	Number, To, Who, Units string
	Status                 badge
	Placed                 stamp
}

// maxHeld bounds the orders that the page of a SKU shows as holding it.
const maxHeld = 20

// proof compares a level with the sum of its ledger.
type proof struct {
	Warehouse, Sum, OnHand string
	Holds                  bool
}

// causeWords are the causes of movements.
var causeWords = map[stock.Cause]string{
	stock.Import: "Set", stock.Receive: "Received", stock.Adjustment: "Adjusted", stock.Transfer: "Transfer", stock.Shipment: "Shipped",
	stock.ShipmentDeleted: "Shipment undone", stock.Return: "Returned", stock.FromChannel: "Channel",
}

// maxLevels bounds the warehouses that the page of a SKU shows.
const maxLevels = 200

// showSKU serves GET /stock/{sku}.
func (d *Dashboard) showSKU(r *request) (answer, error) {
	sku := r.http.PathValue("sku")
	l := r.listing(strings.TrimPrefix(stockPath(sku), prefix), "movement", "movements")
	view := skuView{SKU: sku}
	err := r.read(func(tx *db.Tx) error {
		var product *catalog.Product
		var levels []stock.Row
		var warehouses []stock.Warehouse
		var ledger []stock.Movement
		var total int64
		var sums map[string]int64
		var actors map[string]string // those of the account
		err := tx.Together(func(tx *db.Tx) error {
			item, err := r.sellableOf(tx)
			if err == nil {
				product, err = catalog.ByID(tx, item.Product)
			}
			return err
		}, func(tx *db.Tx) (err error) {
			levels, _, err = stock.List(tx, stock.Filter{SKU: sku, Limit: maxLevels})
			if err != nil || !r.caller().May("read:orders") || !slices.ContainsFunc(levels, isReserved) {
				return err
			}
			return view.readHeld(tx, r, sku)
		}, func(tx *db.Tx) (err error) {
			warehouses, _, err = stock.Warehouses(tx, maxChoices, 0)
			return err
		}, func(tx *db.Tx) (err error) {
			ledger, total, err = stock.Ledger(tx, sku, "", l.size, l.offset())
			return err
		}, func(tx *db.Tx) (err error) {
			sums, err = stock.LedgerSums(tx, sku)
			return err
		}, func(tx *db.Tx) (err error) {
			if r.caller().May("read:users") {
				actors, err = actorNames(tx)
			}
			return err
		})
		if err != nil {
			return err
		}
		view.Product, view.ProductTo = product.Name, r.page("/products/{id}", "/products/"+string(product.ID))
		for _, level := range levels {
			view.Levels = append(view.Levels, r.levelRow(level.Level))
			view.Proof = append(view.Proof, proof{Warehouse: level.Warehouse, Sum: r.format.Count(sums[level.Warehouse]),
				OnHand: r.format.Count(level.OnHand), Holds: sums[level.Warehouse] == level.OnHand})
		}
		behind, err := ordersBehind(tx, ledger)
		if err != nil {
			return err
		}
		for _, m := range ledger {
			view.Ledger = append(view.Ledger, r.ledgerRow(m, behind, actors))
		}
		propose(warehouses, levels)
		view.Receive, view.Adjust = moveForm(r, sku, "receive", warehouses), moveForm(r, sku, "adjust", warehouses)
		if len(warehouses) > 1 {
			view.Transfer = transferForm(r, skuAction(sku, "transfer"), hiddenField("sku", sku), warehouses)
		}
		l.rows(len(ledger), total)
		view.Pager = l.Pager
		return nil
	})
	return l.show(screen{Template: "sku", Title: sku, Section: "/stock", Crumbs: []crumb{{"Stock", "/stock"}}, Data: view}), err
}

func isReserved(level stock.Row) bool { return level.Reserved > 0 }

// readHeld reads the orders that hold a SKU.
func (v *skuView) readHeld(tx *db.Tx, r *request, sku string) error {
	list, err := orders.Holders(tx, sku, maxHeld+1)
	if v.HeldMore = len(list) > maxHeld; v.HeldMore {
		list = list[:maxHeld]
	}
	for i := range list {
		h := &list[i]
		v.Held = append(v.Held, heldRow{Number: orders.Number(h.Number), To: prefix + "/orders/" + string(h.ID), Who: orderName(&h.Order),
			Units: r.format.Count(h.Reserved), Status: statusWords[h.Status], Placed: r.format.Stamp(h.CreatedAt)})
	}
	return err
}

// ordersBehind finds the orders of stock movements, by the reference of the movement: an order's id, or a shipment's.
func ordersBehind(tx *db.Tx, ledger []stock.Movement) (map[string]orders.Numbered, error) {
	var moved []id.Order
	var sent []id.Shipment
	for _, m := range ledger {
		switch m.ReferenceType {
		case "order":
			moved = append(moved, id.Order(m.ReferenceID))
		case "shipment":
			sent = append(sent, id.Shipment(m.ReferenceID))
		}
	}
	behind := map[string]orders.Numbered{}
	err := tx.Together(func(tx *db.Tx) error {
		numbers, err := orders.NumbersOf(tx, moved)
		for order, number := range numbers {
			behind[string(order)] = orders.Numbered{Order: order, Number: number}
		}
		return err
	}, func(tx *db.Tx) error {
		found, err := orders.OfShipments(tx, sent)
		for shipment, of := range found {
			behind[string(shipment)] = of
		}
		return err
	})
	return behind, err
}

func (r *request) ledgerRow(m stock.Movement, behind map[string]orders.Numbered, actors map[string]string) ledgerRow {
	row := ledgerRow{At: r.format.Stamp(m.At), Cause: causeWords[m.Cause], Note: m.Note, Warehouse: m.Warehouse,
		Actor: cmp.Or(actors[m.Actor], actorWords(m.Actor)),
		Delta: r.format.Count(m.Delta), Balance: r.format.Count(m.Balance), Out: m.Delta < 0}
	if m.Delta > 0 {
		row.Delta = "+" + row.Delta
	}
	if of, found := behind[m.ReferenceID]; found {
		row.Reference, row.To = orders.Number(of.Number), r.page("/orders/{id}", "/orders/"+string(of.Order))
	} else {
		row.Reference = m.ReferenceType
	}
	return row
}

// actorWords say what kind of caller did something.
func actorWords(actor string) string {
	switch kind, _, _ := strings.Cut(actor, ":"); kind {
	case "user":
		return "a user"
	case "key":
		return "an API key"
	}
	return "the service"
}

// propose makes the warehouse that has a SKU the one that forms propose, if the account's default one does not have it.
func propose(warehouses []stock.Warehouse, levels []stock.Row) {
	has := func(w stock.Warehouse) bool {
		return slices.ContainsFunc(levels, func(l stock.Row) bool { return l.Warehouse == w.Code })
	}
	usual := slices.ContainsFunc(warehouses, func(w stock.Warehouse) bool { return w.Default && has(w) })
	if at := slices.IndexFunc(warehouses, has); at >= 0 && !usual {
		for i := range warehouses {
			warehouses[i].Default = i == at
		}
	}
}

func warehouseOptions(list []stock.Warehouse) (options []option, usual string) {
	for _, w := range list {
		options = append(options, option{Value: w.Code, Label: w.Name})
		if w.Default {
			usual = w.Code
		}
	}
	return options, usual
}

func moveForm(r *request, sku, kind string, warehouses []stock.Warehouse) *form {
	options, usual := warehouseOptions(warehouses)
	quantity := field{Name: "quantity", Label: "Quantity", Kind: "int", Required: true, Hint: "what came"}
	if kind == "adjust" {
		quantity.Label, quantity.Hint = "Difference", "-3 when three are missing, 2 when two were found"
	}
	place := field{Name: "warehouseCode", Label: "Warehouse", Kind: "select", Value: usual, Options: options}
	if len(options) < 2 {
		place.Kind = "hidden"
	}
	return r.form(skuAction(sku, kind), hiddenField("sku", sku), hiddenField("type", kind), quantity, place,
		field{Name: "reason", Label: "Reason", Max: limits.MaxReason})
}

// skuAction is where a form about a SKU is sent, below the prefix.
func skuAction(sku, action string) string { return "/stock/" + url.PathEscape(sku) + "/" + action }

// transferForm moves stock of a SKU, or, at the path of its own page, of one that is typed.
func transferForm(r *request, path string, sku field, warehouses []stock.Warehouse) *form {
	options, usual := warehouseOptions(warehouses)
	other := slices.IndexFunc(warehouses, func(w stock.Warehouse) bool { return w.Code != usual })
	return r.form(path, sku,
		field{Name: "quantity", Label: "Quantity", Kind: "int", Required: true},
		field{Name: "fromWarehouseCode", Label: "From warehouse", Kind: "select", Value: usual, Options: options},
		field{Name: "toWarehouseCode", Label: "To warehouse", Kind: "select", Value: warehouses[other].Code, Options: options},
		field{Name: "reason", Label: "Reason", Max: limits.MaxReason})
}

// warehousesNow reads the warehouses that a form offers, and checks that its SKU exists.
func (r *request) warehousesNow() (list []stock.Warehouse, err error) {
	return list, r.read(func(tx *db.Tx) error {
		if _, err := r.sellableOf(tx); err != nil {
			return err
		}
		list, _, err = stock.Warehouses(tx, maxChoices, 0)
		return err
	})
}

// moveStock serves POST /stock/{sku}/receive and POST /stock/{sku}/adjust.
func (d *Dashboard) moveStock(r *request) (answer, error) {
	warehouses, err := r.warehousesNow()
	if err != nil {
		return answer{}, err
	}
	sku, kind := r.http.PathValue("sku"), "receive"
	if strings.HasSuffix(r.http.URL.Path, "/adjust") {
		kind = "adjust"
	}
	return r.submit(moveForm(r, sku, kind, warehouses), d.showSKU, func(f *form) (answer, error) {
		o := f.Object()
		in := drafts.ReadMovement(o)
		if kind == "receive" && in.Quantity < 0 {
			o.AddError("quantity", "must be more than 0: take stock away by an adjustment")
		}
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		in.SKU = sku
		return d.write(r, func(tx *db.Tx) (answer, error) {
			m, err := d.Commerce.MoveStock(tx, r.caller(), in)
			words := r.say("%s: %s on hand in %s", causeWords[in.Cause], r.format.Count(m.Balance), m.Warehouse)
			return redirect(strings.TrimPrefix(stockPath(sku), prefix), words), err
		})
	})
}

// errOneWarehouse is the error of a transfer in an account that has nowhere to transfer to.
var errOneWarehouse = apperr.New(apperr.Conflict, "conflict", "the account has one warehouse only")

// transferStock serves POST /stock/{sku}/transfer.
func (d *Dashboard) transferStock(r *request) (answer, error) {
	warehouses, err := r.warehousesNow()
	if err != nil {
		return answer{}, err
	}
	if len(warehouses) < 2 {
		return answer{}, errOneWarehouse
	}
	sku := r.http.PathValue("sku")
	return r.submit(transferForm(r, skuAction(sku, "transfer"), hiddenField("sku", sku), warehouses), d.showSKU,
		func(f *form) (answer, error) { return d.transfer(r, f, sku) })
}

// transfer moves stock and leads to the page of its SKU; its undo is the transfer back.
func (d *Dashboard) transfer(r *request, f *form, sku string) (answer, error) {
	o := f.Object()
	in := drafts.ReadTransfer(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	in.SKU = sku
	return d.write(r, func(tx *db.Tx) (answer, error) {
		_, err := d.Commerce.TransferStock(tx, r.caller(), in)
		words := r.say("Transferred %s to %s", r.format.Count(in.Quantity), in.To)
		return redirect(strings.TrimPrefix(stockPath(sku), prefix), words).undo(undo{Action: skuAction(sku, "transfer"),
			Fields: map[string]string{"sku": sku, "quantity": f.Value("quantity"), "fromWarehouseCode": in.To, "toWarehouseCode": in.From}}), err
	})
}

// transferPage is the form for a transfer of any SKU.
func (r *request) transferPage() (*form, error) {
	var warehouses []stock.Warehouse
	err := r.read(func(tx *db.Tx) (err error) {
		warehouses, _, err = stock.Warehouses(tx, maxChoices, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(warehouses) < 2 {
		return nil, errOneWarehouse
	}
	return transferForm(r, "/stock/transfer", field{Name: "sku", Label: "SKU", Required: true, Mono: true,
		Value: r.http.URL.Query().Get("sku")}, warehouses), nil
}

// newTransfer serves GET /stock/transfer; with one warehouse it leads to where another one is created.
func (d *Dashboard) newTransfer(r *request) (answer, error) {
	f, err := r.transferPage()
	if errors.Is(err, errOneWarehouse) {
		return answer{to: warehousesPath, flash: &flash{Tone: "warn", Text: "A transfer needs a second warehouse: create it here"}}, nil
	}
	return show(screen{Template: "form", Title: "Transfer stock", Section: "/stock", Crumbs: []crumb{{"Stock", "/stock"}},
		Data: formView{Form: f, Label: "Transfer", Back: prefix + "/stock"}}), err
}

// createTransfer serves POST /stock/transfer.
func (d *Dashboard) createTransfer(r *request) (answer, error) {
	f, err := r.transferPage()
	if err != nil {
		return answer{}, err
	}
	return r.submit(f, d.newTransfer, func(f *form) (answer, error) {
		out, err := d.transfer(r, f, strings.TrimSpace(f.Value("sku")))
		if apperr.Is(err, apperr.NotFound) {
			o := f.Object()
			o.AddError("sku", "is no SKU of a product or variant")
			err = o.Err()
		}
		return out, err
	})
}
