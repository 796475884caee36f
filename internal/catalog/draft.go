package catalog

import (
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
)

// Draft is a caller's input for one product (interface §2.7.1). Fields that are not set stay unchanged; a new product
// needs SKU, name and price.
type Draft struct {
	Index       int // place in a bulk request, from 0
	SKU         string
	Name        patch.Field[string]
	Slug        patch.Field[string]
	Description patch.Field[string]
	Status      patch.Field[Status]
	Price       patch.Field[money.Amount]
	CompareAt   patch.Field[money.Amount]
	Trade       TradeDraft
	Attributes  patch.Field[string]   // JSON object
	Categories  patch.Field[[]string] // ids or externalIds
	Images      patch.Field[[]ImageDraft]
	Variants    []VariantDraft
	VariantsSet bool         // the list was given, even if empty
	Replace     bool         // in a change of one product: variants that are not named are removed
	Stock       []StockDraft // of the product's own SKU, each in another warehouse
}

// ImageDraft is one image.
type ImageDraft struct {
	URL      string
	Position int64
}

// VariantDraft is a caller's input for one variant.
type VariantDraft struct {
	SKU        string
	Name       patch.Field[string]
	Price      patch.Field[money.Amount]
	CompareAt  patch.Field[money.Amount]
	Trade      TradeDraft
	Attributes patch.Field[string] // JSON object
	Stock      []StockDraft        // each in another warehouse
	Follows    bool                // the variant was read without a price of its own, and Price may be the product's
}

// StockDraft sets on-hand in one warehouse.
type StockDraft struct {
	Warehouse string // "" for the default one
	Quantity  int64
	Listed    bool // it was given in levels[], otherwise as stock
}

// ItemError is a reason to reject one item of a bulk request (interface §2.7.4).
type ItemError struct {
	Field   string
	Code    string // listed in docs/errors.md
	Message string
}
