package catalog

import (
	"entrepot/internal/apijson"
	"entrepot/internal/money"
)

// Draft is what a caller says of one product (interface §2.7.1). What is not set stays as it is; on a product that is
// new, SKU, name and price must be there.
type Draft struct {
	Index       int // place in a bulk request, from 0
	SKU         string
	Name        apijson.Field[string]
	Slug        apijson.Field[string]
	Description apijson.Field[string]
	Status      apijson.Field[Status]
	Price       apijson.Field[money.Amount]
	CompareAt   apijson.Field[money.Amount]
	Attributes  apijson.Field[string]   // JSON object
	Categories  apijson.Field[[]string] // ids or externalIds
	Images      apijson.Field[[]ImageDraft]
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
	Name       apijson.Field[string]
	Price      apijson.Field[money.Amount]
	CompareAt  apijson.Field[money.Amount]
	Attributes apijson.Field[string] // JSON object
	Stock      *int64                // on-hand in the default warehouse
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
