package importer

// prestashopFormat is PrestaShop's list of products as its back office exports it, and the table that
// its import takes. Prices are without tax. A product without reference gets "ps-" and its id as SKU.
var prestashopFormat = format{
	name: "prestashop", between: ",;", nesting: ">",
	columns: [][2]string{
		{`Reference #|"ps-"+[Product ID]`, "sku"}, {`Reference|"ps-"+[Product ID]`, "sku"}, {"Name *", "name"}, {"Name", "name"},
		{"Price tax excluded", "price"}, {"Price (tax excl.)", "price"}, {"Description|Short description", "description"},
		{"Description", "description"},
		{"Active (0/1)", "status"}, {"Status", "status"}, {"Categories (x,y,z...)", "categories"}, {"Category", "category"},
		{"Image URLs (x,y,z...)", "images"}, {"Image", "images"}, {"Quantity", "stock.quantity"},
		{"Wholesale price", "cost"}, {"Weight", "weight"},
		{"Manufacturer", "attributes.manufacturer"}, {"Supplier", "attributes.supplier"}, {"Tags (x,y,z...)", "attributes.tags"},
		{"EAN13", "attributes.ean"}, {"UPC", "attributes.upc"}, {"ISBN", "attributes.isbn"}, {"MPN", "attributes.mpn"},
		{"Weight", "attributes.weight"}, {"Width", "attributes.width"}, {"Height", "attributes.height"}, {"Depth", "attributes.depth"},
	},
	known: func(header []string) bool {
		return hasColumns(header, "Product ID", "Reference", "Price (tax excl.)") || hasColumns(header, "Product ID", "Name *")
	},
	words: prestashopWords,
	reads: columnsNamed(`Product ID|Position`),
}
