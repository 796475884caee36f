package connector

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"entrepot/internal/base/money"
)

// NotOurs is the quantity of a product whose stock the service does not manage: the platform's number stays.
const NotOurs = -1

// Product is a product in the form that a platform shows. The channel's rules have been applied to names, texts and
// prices.
type Product struct {
	ID          string // the service's id
	SKU         string
	Name        string
	Slug        string
	Description string // HTML
	OnSale      bool   // false: it is stored, but not shown to buyers
	Price       money.Amount
	CompareAt   *money.Amount // the price before a reduction; nil, or not above Price, means no reduction
	Currency    string
	Trade
	Categories []Category
	Images     []Image
	Attributes []Attribute
	Terms      map[string]string `json:",omitempty"` // see TermNames
	Variants   []Variant         // empty: the product itself is sold
	Quantity   int64             // what can be sold, not below 0, or NotOurs; of a product without variants
	Known      IDs               // the platform's ids from the last push, zero if there was none
	Dropped    []Item            // variants that were pushed before and that the product no longer has

	DroppedImages []string `json:"-"` // the platform's ids of images that were sent before and that the product no longer has
	// Settled says that the last push succeeded: the platform has nothing of the product that is not known here.
	Settled bool `json:"-"`
}

// Describes reports whether a push writes the product's description. A product without one leaves alone what its
// merchant wrote on the platform, unless an earlier push replaced that.
func (p *Product) Describes() bool { return p.Description != "" || p.Known.Other[DescribedID] != "" }

// Variant is one form of a product.
type Variant struct {
	SKU       string
	Name      string
	Price     money.Amount
	CompareAt *money.Amount
	Trade
	Attributes []Attribute // in which it differs from the others; never empty
	Quantity   int64
	Known      IDs
}

// Forms are what can be bought of a product: its variants, or the product itself as the only form, without
// attributes.
func (p *Product) Forms() []Variant {
	if len(p.Variants) > 0 {
		return p.Variants
	}
	return []Variant{{SKU: p.SKU, Name: p.Name, Price: p.Price, CompareAt: p.CompareAt, Trade: p.Trade, Quantity: p.Quantity, Known: p.Known}}
}

// SKUs are the product's own SKU and those of its variants.
func (p *Product) SKUs() []string {
	list := []string{p.SKU}
	for _, v := range p.Variants {
		list = append(list, v.SKU)
	}
	return list
}

// FormSKUs are the SKUs of a product's forms.
func (p *Product) FormSKUs() (list []string) {
	for _, f := range p.Forms() {
		list = append(list, f.SKU)
	}
	return list
}

// Results are the results for all SKUs of a product, its own first.
func (p *Product) Results(of func(sku string) Result) (list []Result) {
	for _, sku := range p.SKUs() {
		list = append(list, of(sku))
	}
	return list
}

// Differs are the attributes by which buyers choose the variant: without its trade numbers, unless there is nothing
// else.
func (v *Variant) Differs() []Attribute {
	list := slices.DeleteFunc(slices.Clone(v.Attributes), func(a Attribute) bool { return a.Number() != "" })
	if len(list) == 0 {
		return v.Attributes
	}
	return list
}

// Choosable are products whose variants differ in attributes that buyers choose by: without their trade numbers,
// unless some variants differ in nothing else.
func Choosable(products []Product) []Product {
	list := slices.Clone(products)
	for i := range list {
		variants, seen := slices.Clone(list[i].Variants), map[string]bool{}
		for k := range variants {
			v := &variants[k]
			v.Attributes = v.Differs()
			values := ""
			for _, a := range v.Attributes {
				values += strings.ToLower(a.Value) + "\x00"
			}
			seen[values] = true
		}
		if len(seen) == len(variants) {
			list[i].Variants = variants
		}
	}
	return list
}

// Numbers are the trade numbers of a form of a product: its GTIN, as an EAN or UPC where it is one, then those among
// the attributes of the variant, or of a product without variants.
func (v *Variant) Numbers(p *Product) (list []Attribute) {
	list = v.GTINs()
	all := v.Attributes
	if len(p.Variants) == 0 {
		all = p.Attributes
	}
	for _, a := range all {
		same := v.GTIN != "" && a.Number() != "isbn" // it is said by the GTIN
		if a.Number() != "" && strings.TrimSpace(a.Value) != "" && !same {
			list = append(list, a)
		}
	}
	return list
}

// TermNames are attributes, in small letters and digits, that say how a platform sells a product (which tax, how it
// is sent) and that buyers do not see.
var TermNames = []string{"taxrulesgroup", "taxclass", "shippingclass"}

// Term is how a product is to be sold, by a name such as taxClass: the product's attribute, else the channel's
// setting of that name.
func (c Channel) Term(p *Product, name string) string {
	return strings.TrimSpace(cmp.Or(p.Terms[Letters(name)], c.Settings[name]))
}

// Attribute is one property, by its label. Those of all variants of a product have the same names, in the same order.
type Attribute struct{ Name, Value string }

// numbers are the kinds of trade numbers, by the attribute's name in small letters and digits.
var numbers = map[string]string{"ean": "ean", "ean13": "ean", "gtin": "gtin", "gtin13": "gtin", "upc": "upc", "isbn": "isbn", "jan": "ean",
	"barcode": "ean"}

// Number is what kind of trade number the attribute is: "ean", "gtin", "upc" or "isbn"; "" for any other attribute.
func (a Attribute) Number() string { return numbers[Letters(a.Name)] }

// Category is a category with its ancestors.
type Category struct {
	ID     string // the service's id
	Name   string
	Slug   string
	Parent *Category // nil at the top
}

// Image is a picture at a public address.
type Image struct {
	ID    string // the service's id
	URL   string
	Known string // the platform's id, "" if it was never sent
}

// IDs are a platform's ids of a product or variant. Other is for platforms with more than two: inventory item, offer,
// listing.
type IDs struct {
	Product string            `json:"product,omitempty"`
	Variant string            `json:"variant,omitempty"` // "" for a product without variants
	Other   map[string]string `json:"other,omitempty"`
}

// NotifiedID is the name in IDs.Other of an id that notifications name in place of the product's and the variant's.
const NotifiedID = "item"

// DescribedID is the name in IDs.Other of "1" for a product whose description was written by the last push; sessions
// need not return it.
const DescribedID = "described"

// HiddenID is the name in IDs.Other of "1" for products that are stored there and not on sale, where their prices or
// quantities cannot be set separately.
const HiddenID = "hidden"

// Hidden reports whether the item is stored there and not on sale, where that makes a difference.
func (i IDs) Hidden() bool { return i.Other[HiddenID] != "" }

// Item is a SKU with its ids on the platform.
type Item struct {
	SKU string
	IDs IDs
}

// Result is a result for the item that changes nothing.
func (i Item) Result(state string) Result { return Result{SKU: i.SKU, IDs: i.IDs, State: state} }

// StockItem is a quantity to show.
type StockItem struct {
	Item
	Quantity int64
}

// PriceItem is a price to show.
type PriceItem struct {
	Item
	Price     money.Amount
	CompareAt *money.Amount
	Currency  string
}

// States of a Result.
const (
	Live    = "live"    // the platform shows it
	Waiting = "waiting" // accepted; Operation is for Poll
	Failed  = "failed"  // refused: Error is the reason, for people
	Gone    = "gone"    // the platform no longer has it
)

// Result is the result for one SKU.
type Result struct {
	SKU       string
	State     string // Live, Waiting, Failed or Gone
	IDs       IDs
	URL       string            // where buyers see it, "" when unknown
	Images    map[string]string // from the service's image ids to the platform's
	Operation string            // for Poll, while Waiting
	Next      string            // of Poll with Waiting: the operation that the SKU waits for from now on
	Review    string            // of Upsert with Live: for Poll, while the platform reviews the change and shows the previous version
	Shown     bool              // with Review: buyers see the new version meanwhile
	Priced    bool              // of Upsert: the price was set too, so SetPrices is not needed
	Error     string            // of Failed and Gone: the reason, without the SKU
	Again     bool              // of Failed: a later try may succeed
	// Rests is when a later try is useful, if the platform takes no more changes of this listing until then. It is
	// set with Failed, and with Live of SetLevels, which has left out the price. Error says why. It is no outage, and
	// others go on.
	Rests time.Time
}

// Rest notes that the platform takes no change of the item until a time.
func (r *Result) Rest(until time.Time, why string) {
	r.State, r.Error, r.Again, r.Rests = Failed, why, true, until
}

// Fail notes why the platform refused the item. An item that the platform does not have is Gone.
func (r *Result) Fail(f *Failure) {
	r.State, r.Error, r.Again, r.Rests = Failed, f.Error(), !f.Lasting(), time.Time{}
	if f.Kind == Missing {
		r.State = Gone
	}
}
