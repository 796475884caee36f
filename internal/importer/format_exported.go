package importer

import (
	"encoding/json"
	"errors"
	"strconv"

	"entrepot/internal/base/money"
)

// isExported reports whether the objects of a JSON file are records as the API's lists show them, which
// "entrepot export" writes.
func isExported(t *table, kind Kind) bool {
	if t.container == delimited {
		return false
	}
	if kind == Products {
		return hasColumns(t.header, "id", "sku", "name", "price", "currency", "status", "createdAt", "updatedAt")
	}
	return hasColumns(t.header, "id", "orderNumber", "customerName", "status", "currency", "items.sku", "items.quantity", "items.unitPrice",
		"createdAt")
}

// exportedProduct is the part of a product's read form that can be imported again (interface §2.7.2).
type exportedProduct struct {
	SKU            string          `json:"sku"`
	Name           string          `json:"name"`
	Slug           string          `json:"slug,omitempty"`
	Description    *string         `json:"description"`
	Status         string          `json:"status,omitempty"`
	Price          json.RawMessage `json:"price,omitempty"`
	CompareAtPrice json.RawMessage `json:"compareAtPrice,omitempty"`
	exportedTrade
	CategoryIDs []string          `json:"categoryIds,omitempty"`
	Attributes  json.RawMessage   `json:"attributes,omitempty"`
	Images      []exportedImage   `json:"images"`
	Levels      []exportedLevel   `json:"levels,omitempty"`
	Variants    []exportedVariant `json:"variants,omitempty"`
}

// exportedTrade is what trade needs to know of a product or variant.
type exportedTrade struct {
	GTIN            string          `json:"gtin,omitempty"`
	Weight          json.RawMessage `json:"weight,omitempty"`
	Cost            json.RawMessage `json:"cost,omitempty"`
	TaxClass        string          `json:"taxClass,omitempty"`
	CountryOfOrigin string          `json:"countryOfOrigin,omitempty"`
}

type exportedImage struct {
	URL      string `json:"url"`
	Position int    `json:"position"`
}

type exportedLevel struct {
	WarehouseCode string `json:"warehouseCode"`
	Quantity      int64  `json:"quantity"`
}

type exportedVariant struct {
	SKU            string          `json:"sku"`
	Name           string          `json:"name,omitempty"`
	Price          json.RawMessage `json:"price,omitempty"`
	CompareAtPrice json.RawMessage `json:"compareAtPrice,omitempty"`
	exportedTrade
	Stock      *int64          `json:"stock,omitempty"`
	Levels     []exportedLevel `json:"levels,omitempty"`
	Attributes json.RawMessage `json:"attributes,omitempty"`
}

// readLevel is a level as reads show it.
type readLevel struct {
	WarehouseCode string `json:"warehouseCode"`
	OnHand        int64  `json:"onHand"`
}

// productAgain converts a product's read form to its input form. The categories of another store are named as they
// were moved.
func productAgain(raw []byte, at place, moved *movedCategories) (body []byte, notes []Fault, err error) {
	var p struct {
		exportedProduct
		Media    []exportedImage `json:"media"`
		Stock    []readLevel     `json:"stock"`
		Variants []struct {
			exportedVariant
			OwnPrice json.RawMessage `json:"ownPrice"`
			Levels   []readLevel     `json:"levels"`
		} `json:"variants"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, nil, err
	}
	again := func(sku string, levels []readLevel) (list []exportedLevel) {
		for _, l := range levels {
			list = append(list, exportedLevel{l.WarehouseCode, notNegative(l.OnHand, sku, at, &notes)})
		}
		return list
	}
	out := p.exportedProduct
	out.CategoryIDs = moved.references(out.CategoryIDs)
	out.Images, out.Levels = append([]exportedImage{}, p.Media...), again(p.SKU, p.Stock)
	for _, v := range p.Variants {
		if v.OwnPrice != nil {
			v.Price = v.OwnPrice
		}
		if v.exportedVariant.Levels = again(v.SKU, v.Levels); v.Levels != nil {
			v.Stock = nil
		} else if v.Stock != nil { // of a version that did not show where it lies
			*v.Stock = notNegative(*v.Stock, v.SKU, at, &notes)
		}
		out.Variants = append(out.Variants, v.exportedVariant)
	}
	body, err = json.Marshal(out)
	return body, notes, err
}

// notNegative is an on-hand figure that can be given: goods that were shipped and never received make
// one below zero.
func notNegative(onHand int64, sku string, at place, notes *[]Fault) int64 {
	if onHand < 0 {
		*notes = append(*notes, at.note(sku, "stock.quantity", "negative_stock", "a stock of %d was stored as 0", onHand))
	}
	return max(0, onHand)
}

// orderAgain converts an order's read form to its input form: its status becomes the initial one, and its number the
// reference if it has none. Ids of channel and customer are left out, because another store has others; the e-mail
// links the customer.
func orderAgain(raw []byte, at place, reference, channel string) (body []byte, notes []Fault, err error) {
	var o struct {
		CustomerName    string          `json:"customerName"`
		CustomerEmail   *string         `json:"customerEmail,omitempty"`
		Currency        string          `json:"currency"`
		Items           []exportedLine  `json:"items"`
		ShippingAmount  json.RawMessage `json:"shippingAmount,omitempty"`
		DiscountAmount  json.RawMessage `json:"discountAmount,omitempty"`
		TaxAmount       json.RawMessage `json:"taxAmount,omitempty"`
		TaxRate         json.RawMessage `json:"taxRate,omitempty"`
		RefundedAmount  json.RawMessage `json:"refundedAmount,omitempty"`
		ShippingAddress json.RawMessage `json:"shippingAddress,omitempty"`
		BillingAddress  json.RawMessage `json:"billingAddress,omitempty"`
		PaymentMetadata json.RawMessage `json:"paymentMetadata,omitempty"`
		Notes           *string         `json:"notes,omitempty"`
		Tags            []string        `json:"tags,omitempty"`
		CreatedAt       string          `json:"createdAt"`
	}
	var head struct {
		Status string `json:"status"`
		Items  []struct {
			LineTotal json.Number `json:"lineTotal"`
		} `json:"items"`
	}
	if err := errors.Join(json.Unmarshal(raw, &o), json.Unmarshal(raw, &head)); err != nil {
		return nil, nil, err
	}
	given := o.Items
	o.Items = nil
	for i, line := range given {
		made := line.again(head.Items[i].LineTotal, money.Digits(o.Currency))
		if len(made) > 1 {
			notes = append(notes, at.noteSplit(reference, string(head.Items[i].LineTotal), string(line.Quantity)))
		}
		o.Items = append(o.Items, made...)
	}
	if body, err = json.Marshal(o); err != nil {
		return nil, nil, err
	}
	more := openObject(nil)
	more.text("externalReference", []byte(reference))
	more.textIf("channelId", []byte(channel))
	more.text("initialStatus", []byte(head.Status))
	return append(append(more.b, ','), body[1:]...), notes, nil
}

// exportedLine is the part of a line's read form that can be imported again.
type exportedLine struct {
	SKU         string          `json:"sku"`
	Name        string          `json:"name,omitempty"`
	Quantity    json.Number     `json:"quantity"`
	UnitPrice   json.Number     `json:"unitPrice"`
	Description *string         `json:"description,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
}

// again is the line, or two lines where its total is not quantity × unit price: a platform's unit prices are rounded.
// digits are the minor digits of the currency.
func (l exportedLine) again(lineTotal json.Number, digits int) []exportedLine {
	quantity, err := l.Quantity.Int64()
	price, wrong := money.Parse(string(l.UnitPrice))
	total, other := money.Parse(string(lineTotal))
	if err != nil || wrong != nil || other != nil || quantity < 1 { // the service says what is wrong with it
		return []exportedLine{l}
	}
	if product, ok := price.Times(quantity); !ok || product.Round(digits) == total {
		return []exportedLine{l}
	}
	var list []exportedLine
	for _, made := range (&orderRow{quantity: quantity, total: total, byTotal: true}).lines(digits) {
		l.Quantity, l.UnitPrice = json.Number(strconv.FormatInt(made.quantity, 10)), json.Number(made.unitPrice.String())
		list = append(list, l)
	}
	return list
}

// notAgain reports that a record cannot be imported again.
func notAgain(at place, item string, err error) Fault {
	return at.refused(item, "", "unreadable_row", "the record is not as the service writes it: %v", err)
}
