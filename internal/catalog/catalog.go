// Package catalog holds products and categories (interface §2.7, §4.2, §4.3).
//
//	Product   has a SKU, a price, images and up to 50 variants; Draft is a caller's input for one
//	Variant   a form of a product with a SKU of its own; SKUs of products and variants are unique per account
//	Link      a product's membership in a category, stored even before that category exists
//	Category  a node of the tree, which callers identify by externalId
//	Lookup    the stored records that drafts name; Diff computes what a draft changes (a pure rule)
//
// Every write that changes something stamps the product or category with the tenant's change clock: the stamp is its
// position in the change feed. Deleted ones stay for a while as tombstones.
package catalog

import (
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/search"
)

// Status says whether a product is for sale.
type Status string

// The statuses (interface §2.7.1).
const (
	DraftStatus Status = "DRAFT"
	Active      Status = "ACTIVE"
	Inactive    Status = "INACTIVE"
	Archived    Status = "ARCHIVED"
)

// Statuses lists them.
var Statuses = []Status{DraftStatus, Active, Inactive, Archived}

// Product is one article. Texts called JSON are stored in the form in which they are sent.
type Product struct {
	ID          id.Product
	SKU         string
	Name        string
	Slug        string
	Description string // "" for none
	Status      Status
	Price       money.Amount
	CompareAt   *money.Amount
	Trade
	Media      string // JSON: [{id, url, position}]
	Attributes string // JSON object: code to value
	Variants   []Variant
	Links      []Link
	CreatedAt  int64 // microseconds since 1970, as all times
	UpdatedAt  int64
	ChangedAt  int64 // stamp of the tenant's change clock
	DeletedAt  int64 // 0 unless deleted
}

// Variant is one form of a product.
type Variant struct {
	ID        id.Variant
	SKU       string
	Name      string
	Price     *money.Amount // nil: the product's
	CompareAt *money.Amount
	Trade
	Attributes string // JSON object: code to value
	Position   int64
}

// PriceIn returns the variant's price: its own, or else the product's.
func (v Variant) PriceIn(p Product) money.Amount {
	if v.Price != nil {
		return *v.Price
	}
	return p.Price
}

// Link puts a product into a category.
type Link struct {
	Reference string      // the category's id or externalId, as given
	Category  id.Category // "" until that category exists
}

// CategoryIDs returns the categories that exist, in the order given.
func (p Product) CategoryIDs() []id.Category {
	list := make([]id.Category, 0, len(p.Links))
	for _, l := range p.Links {
		if l.Category != "" {
			list = append(list, l.Category)
		}
	}
	return list
}

// SKUs returns all SKUs of the product, its own first.
func (p Product) SKUs() []string {
	list := make([]string, 0, 1+len(p.Variants))
	list = append(list, p.SKU)
	for _, v := range p.Variants {
		list = append(list, v.SKU)
	}
	return list
}

// search returns the folded text that the search of a list matches: SKU, name, and the GTINs of product and variants.
func (p Product) search() string {
	text := p.SKU + " " + p.Name
	if p.GTIN != "" {
		text += " " + p.GTIN
	}
	for i := range p.Variants {
		if gtin := p.Variants[i].GTIN; gtin != "" {
			text += " " + gtin
		}
	}
	return search.Fold(text)
}
