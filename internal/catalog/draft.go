package catalog

import (
	"entrepot/internal/money"
	"entrepot/internal/patch"
)

// Draft is what a caller says of one product (interface §2.7.1). What is not set stays as it is; on a product that is
// new, SKU, name and price must be there.
type Draft struct {
	Index       int // place in a bulk request, from 0
	SKU         string
	Name        patch.Field[string]
	Slug        patch.Field[string]
	Description patch.Field[string]
	Status      patch.Field[Status]
	Price       patch.Field[money.Amount]
	CompareAt   patch.Field[money.Amount]
	Attributes  patch.Field[string]   // JSON object
	Categories  patch.Field[[]string] // ids or externalIds
	Images      patch.Field[[]ImageDraft]
	Variants    []VariantDraft
	VariantsSet bool // the list was there, even empty
	Stock       *StockDraft
}

// ImageDraft is one image.
type ImageDraft struct {
	URL      string
	Position int64
}

// VariantDraft is what a caller says of one variant.
type VariantDraft struct {
	SKU        string
	Name       patch.Field[string]
	Price      patch.Field[money.Amount]
	CompareAt  patch.Field[money.Amount]
	Attributes patch.Field[string] // JSON object
	Stock      *int64              // on-hand in the default warehouse
}

// StockDraft sets a product's on-hand.
type StockDraft struct {
	Warehouse string // "" for the default one
	Quantity  int64
}

// ItemError says why one item of a bulk request is rejected (interface §2.7.4).
type ItemError struct {
	Field   string
	Code    string // listed in docs/errors.md
	Message string
}
