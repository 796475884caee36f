package dashboard

import (
	"strings"

	"entrepot/internal/importer"
	"entrepot/internal/imports"
)

// fileKind is what the pages of imports say of files of one kind.
type fileKind struct {
	kind           imports.Kind
	path           string // of its pages
	section, label string // where they belong
	one, many      string
	exports        string            // the programs whose exports are known
	item           string            // what a row is named by
	row            string            // what the first line is if it is no header
	names          []string          // the fields, in the order of the choices
	fields         map[string]string // what a column can be imported as; the key ends in a dot where several columns can
}

// The kinds.
var (
	productFiles = &fileKind{kind: imports.Products, path: importsPath, section: "/products", label: "Products", one: "product",
		many: "products", exports: "an export of Shopify, WooCommerce, Magento or PrestaShop", item: "SKU", row: "a product",
		names: importer.ProductFields(), fields: productFields}
	orderFiles = &fileKind{kind: imports.Orders, path: orderImportsPath, section: "/orders", label: "Orders", one: "order", many: "orders",
		exports: "an export of Shopify", item: "Order", row: "an order", names: importer.OrderFields(), fields: orderFields}
)

const (
	importsPath      = "/products/import"
	orderImportsPath = "/orders/import"
)

// files is the kind that the request's page is about.
func (r *request) files() *fileKind {
	if strings.HasPrefix(r.http.URL.Path, prefix+orderImportsPath) {
		return orderFiles
	}
	return productFiles
}

func kindOf(i imports.Import) *fileKind {
	if i.Kind == imports.Orders {
		return orderFiles
	}
	return productFiles
}

// importAddress is the address of an import's page.
func importAddress(i imports.Import) string { return prefix + kindOf(i).path + "/" + string(i.ID) }

// called is what people call a field, for example "Stock"; "" for an unknown one.
func (k *fileKind) called(field string) string {
	if end := strings.LastIndex(field, "]."); end >= 0 { // of a line, items[0].sku
		field = field[end+2:]
	}
	return k.fields[k.choice(field)]
}

// choice is the option of a field; for a family only its prefix.
func (k *fileKind) choice(field string) string {
	if dot := strings.Index(field, "."); dot >= 0 && k.fields[field] == "" {
		return field[:dot+1]
	}
	return field
}

// productFields are what a column of a file of products can be imported as.
var productFields = map[string]string{"": "not imported", "sku": "SKU", "name": "Name", "price": "Price", "salePrice": "Sale price",
	"compareAtPrice": "Price before, crossed out", "description": "Description", "status": "Status", "categoryIds": "Ids of categories",
	"categories": "Categories, several", "category": "Category", "images": "Images, by address", "stock.quantity": "Stock",
	"stock.warehouseCode": "Warehouse of the stock", "parent": "SKU of the product it is a variant of", "attributes.": "Attribute",
	"option.": "Option of a variant"}

// orderFields likewise of orders.
var orderFields = map[string]string{"": "not imported", "externalReference": "Number of the order",
	"originalReference": "Number of the order that a credit note cancels", "customerName": "Customer's name",
	"customerEmail": "Customer's e-mail", "customerId": "Customer's number", "customerPhone": "Customer's phone",
	"customerCompany": "Customer's company", "currency": "Currency",
	"initialStatus": "Status", "date": "Date", "notes": "Notes", "shippingAmount": "Shipping cost of the order",
	"discountAmount": "Discount on the order", "taxAmount": "Tax of the order", "taxRate": "Tax rate, in percent", "sku": "SKU",
	"quantity": "Quantity", "unitPrice": "Price of a piece", "lineTotal": "Total of the line", "name": "Name of the line",
	"shippingAddress.line1": "Street and number", "shippingAddress.line2": "Second line of the address", "shippingAddress.city": "City",
	"shippingAddress.state": "State or region", "shippingAddress.postalCode": "Postal code", "shippingAddress.country": "Country",
	"shippingAddress.": "Other part of the shipping address", "billingAddress.": "Part of the billing address",
	"paymentMetadata.": "Data of the payment"}
