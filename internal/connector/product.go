package connector

import "entrepot/internal/money"

// NotOurs is the quantity of what the service has no say about: the platform's number stays.
const NotOurs = -1

// Product is a product as a platform shall show it. Names, texts and prices are what the channel's rules made of the catalog's.
type Product struct {
	ID          string // ours
	SKU         string
	Name        string
	Slug        string
	Description string // HTML
	OnSale      bool   // false: it is kept, but not shown to buyers
	Price       money.Amount
	CompareAt   *money.Amount // the price before a reduction; nil or not above Price: no reduction
	Currency    string
	Categories  []Category
	Images      []Image
	Attributes  []Attribute
	Variants    []Variant // empty: the product itself is sold
	Quantity    int64     // what can be sold, not below 0, or NotOurs; of a product without variants
	Known       IDs       // what the platform called it the last time, zero when it was never there
	Dropped     []Item    // variants that were pushed once and are no longer its own
}

// Variant is one form of a product.
type Variant struct {
	SKU        string
	Name       string
	Price      money.Amount
	CompareAt  *money.Amount
	Attributes []Attribute // what makes it differ from the others; never empty
	Quantity   int64
	Known      IDs
}

// Forms are what is sold of a product: its variants, or itself as the only one, without attributes of its own.
func (p *Product) Forms() []Variant {
	if len(p.Variants) > 0 {
		return p.Variants
	}
	return []Variant{{SKU: p.SKU, Name: p.Name, Price: p.Price, CompareAt: p.CompareAt, Quantity: p.Quantity, Known: p.Known}}
}

// Attribute is one property, by its label. Those of all variants of a product have the same names, in the same order.
type Attribute struct{ Name, Value string }

// Category is a category with those above it.
type Category struct {
	ID     string // ours
	Name   string
	Slug   string
	Parent *Category // nil at the top
}

// Image is a picture that anybody can fetch.
type Image struct {
	ID    string // ours
	URL   string
	Known string // the platform's id of it, "" when it was never sent
}

// IDs is what a platform calls something with a SKU. Other is for platforms that need more than two: inventory item, offer, listing.
type IDs struct {
	Product string            `json:"product,omitempty"`
	Variant string            `json:"variant,omitempty"` // "" for a product without variants
	Other   map[string]string `json:"other,omitempty"`
}

// Item names something with a SKU.
type Item struct {
	SKU string
	IDs IDs
}

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

// Outcome words of a Result.
const (
	Live    = "live"    // the platform shows it
	Waiting = "waiting" // accepted; Operation says what to ask for
	Failed  = "failed"  // refused: Error says why, for people
	Gone    = "gone"    // the platform no longer has it
)

// Result is what became of one SKU.
type Result struct {
	SKU       string
	State     string // Live, Waiting, Failed or Gone
	IDs       IDs
	URL       string            // where buyers see it, "" when unknown
	Images    map[string]string // our image id to the platform's
	Operation string            // what Poll is asked with, while Waiting
	Review    string            // of Upsert, Live: what Poll is asked with, while the platform examines the change and shows what was before
	Priced    bool              // of Upsert: the price went with it, so it need not be set apart
	Error     string
	Again     bool // of Failed: trying it again later may help
}
