package dashboard

import (
	"cmp"
	"strings"

	"entrepot/internal/importer"
	"entrepot/internal/imports"
)

// fileKind has the texts of the pages of imports for files of one kind.
type fileKind struct {
	kind           imports.Kind
	path           string // of its pages
	section, label string // where they belong
	scope          string // the right that they need, without "read:" or "write:"
	one, many      string
	whole          string            // what is imported, if it is not called many
	about          string            // what the file holds, for a kind that is not plain
	exports        string            // the programs whose exports are known
	item           string            // what a row is named by
	row            string            // what the first line is if it is no header
	names          []string          // the fields, in the order of the choices
	fields         map[string]string // what a column can be imported as; the key ends in a dot where several columns can
}

// The kinds.
var (
	productFiles = &fileKind{kind: imports.Products, path: importsPath, section: "/products", label: "Products", scope: "products",
		one:  "product",
		many: "products", exports: "an export of Shopify, WooCommerce, Magento or PrestaShop", item: "SKU", row: "a product",
		names: importer.Products.Fields(), fields: productFields}
	orderFiles = &fileKind{kind: imports.Orders, path: orderImportsPath, section: "/orders", label: "Orders", scope: "orders", one: "order",
		many:    "orders",
		exports: "an export of Shopify", item: "Order", row: "an order", names: importer.Orders.Fields(), fields: orderFields}
	priceFiles = &fileKind{kind: imports.Prices, path: priceImportsPath, section: "/products", label: "Products", scope: "products",
		one: "price", many: "prices", item: "SKU", row: "a price", names: importer.Prices.Fields(), fields: priceFields,
		about: "A price list has one row for each SKU: the SKU, its price and, if you like, the price before and the currency. " +
			"Products that exist get these prices; nothing else of them changes, and none are created."}
	stockFiles = &fileKind{kind: imports.Stock, path: stockImportsPath, section: "/stock", label: "Stock", scope: "inventory",
		one: "quantity", many: "quantities", whole: "stock", item: "SKU", row: "a quantity", names: importer.Stock.Fields(), fields: stockFields,
		about: "A stock list has one row for each SKU: the SKU, how many are on hand and, if you like, the code of the warehouse. " +
			"What is on hand becomes what the list says; orders that wait stay reserved."}
	shipmentFiles = &fileKind{kind: imports.Shipments, path: shipmentImportsPath, section: "/orders", label: "Orders", scope: "orders",
		one: "tracking number", many: "tracking numbers", item: "Order", row: "a shipment", names: importer.Shipments.Fields(),
		fields: shipmentFields,
		about: "One row for each order: its number here, its reference or the shop's number, the tracking number and, if you like, carrier, " +
			"link and date. What remains of each order is shipped; a carrier that is missing is recognised from the number."}
	fileKinds = []*fileKind{productFiles, orderFiles, priceFiles, stockFiles, shipmentFiles}
)

const (
	importsPath      = "/products/import"
	orderImportsPath = "/orders/import"
	priceImportsPath = "/prices/import"
	stockImportsPath = "/inventory/import" // below /stock it would hide a SKU

	shipmentImportsPath = "/shipments/import"
)

// files is the kind that the request's page is about.
func (r *request) files() *fileKind {
	for _, k := range fileKinds {
		if strings.HasPrefix(r.http.URL.Path, prefix+k.path) {
			return k
		}
	}
	return productFiles
}

func kindOf(i imports.Import) *fileKind {
	for _, k := range fileKinds {
		if k.kind == i.Kind {
			return k
		}
	}
	return productFiles
}

// title is that of the pages.
func (k *fileKind) title(r *request) string { return r.say("Import %s", cmp.Or(k.whole, k.many)) }

// isList reports whether the files have figures of products that exist.
func (k *fileKind) isList() bool { return k == priceFiles || k == stockFiles }

// importAddress is the address of an import's page.
func importAddress(i imports.Import) string { return prefix + kindOf(i).path + "/" + string(i.ID) }

// called is people's name of a field, for example "Stock"; "" for an unknown one.
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

// productFields are the fields that a column of a file of products can be imported as.
var productFields = map[string]string{"": "not imported", "sku": "SKU", "name": "Name", "price": "Price", "salePrice": "Sale price",
	"saleFrom": "First day of the sale price", "saleUntil": "Last day of the sale price",
	"compareAtPrice": "Price before, crossed out", "description": "Description", "status": "Status", "categoryIds": "Ids of categories",
	"categories": "Categories, several", "category": "Category", "images": "Images, by address", "stock.quantity": "Stock",
	"stock.warehouseCode": "Warehouse of the stock", "parent": "SKU of the product it is a variant of", "attributes.": "Attribute",
	"gtin": "GTIN (EAN, UPC)", "weight": "Weight in kilograms", "cost": "Cost", "taxClass": "Tax class", "countryOfOrigin": "Country of origin",
	"option.": "Option of a variant"}

// priceFields likewise of a price list, and stockFields of a stock list.
var (
	priceFields = map[string]string{"": "not imported", "sku": "SKU", "price": "Price", "compareAtPrice": "Price before, crossed out",
		"currency": "Currency"}
	stockFields = map[string]string{"": "not imported", "sku": "SKU", "quantity": "On hand", "warehouseCode": "Warehouse, by its code"}
)

// shipmentFields likewise of tracking numbers.
var shipmentFields = map[string]string{"": "not imported", "order": "Order, by its number or reference", "trackingNumber": "Tracking number",
	"carrier": "Carrier", "trackingUrl": "Tracking link", "shippedAt": "Shipping date"}

// orderFields likewise of orders.
var orderFields = map[string]string{"": "not imported", "externalReference": "Number of the order",
	"originalReference": "Number of the order that a credit note cancels", "customerName": "Customer's name",
	"customerEmail": "Customer's e-mail", "customerId": "Customer's number", "customerPhone": "Customer's phone",
	"customerCompany": "Customer's company", "currency": "Currency",
	"initialStatus": "Status", "date": "Date", "notes": "Notes", "tags": "Tags, separated by commas", "shippingAmount": "Shipping cost of the order",
	"discountAmount": "Discount on the order", "taxAmount": "Tax of the order", "taxRate": "Tax rate, in percent",
	"subtotal": "Sum of the lines", "total": "Total of the order", "dutiesAmount": "Duties of the order",
	"refundedAmount": "Refunded amount", "cancelledAt": "Date of the cancellation", "paymentStatus": "Status of the payment",
	"lineDiscount": "Discount on the line", "sku": "SKU",
	"quantity": "Quantity", "unitPrice": "Price of a piece", "lineTotal": "Total of the line", "name": "Name of the line",
	"shippingAddress.line1": "Street and number", "shippingAddress.line2": "Second line of the address", "shippingAddress.city": "City",
	"shippingAddress.state": "State or region", "shippingAddress.postalCode": "Postal code", "shippingAddress.country": "Country",
	"shippingAddress.": "Other part of the shipping address", "billingAddress.": "Part of the billing address",
	"paymentMetadata.": "Data of the payment"}
