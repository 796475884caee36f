package importer

// shopifyOrderFormat is Shopify's order export: one row a line item, what concerns the whole order on
// the first of them. It writes an apostrophe before postal codes, so that spreadsheets keep their zeros.
var shopifyOrderFormat = format{
	name: "shopify",
	columns: [][2]string{
		{"Name", "externalReference"}, {"Email", "customerEmail"}, {"Billing Name|Shipping Name", "customerName"},
		{"Currency", "currency"}, {"Created at", "date"}, {"Notes", "notes"}, {"Tags", "tags"},
		{`Fulfillment Status~/^(fulfilled|partial|restocked)$/|Financial Status`, "initialStatus"},
		{"Shipping", "shippingAmount"}, {"Discount Amount", "discountAmount"}, {"Taxes", "taxAmount"}, {"Subtotal", "subtotal"},
		{"Total", "total"}, {"Duties", "dutiesAmount"}, {"Lineitem discount", "lineDiscount"},
		{"Refunded Amount", "refundedAmount"}, {"Cancelled at", "cancelledAt"}, {"Financial Status", "paymentStatus"},
		{"Lineitem sku", "sku"}, {"Lineitem name", "name"}, {"Lineitem quantity", "quantity"}, {"Lineitem price", "unitPrice"},
		{"Shipping Name", "shippingAddress.name"}, {"Shipping Company", "shippingAddress.company"},
		{"Shipping Address1", "shippingAddress.line1"}, {"Shipping Address2", "shippingAddress.line2"},
		{"Shipping City", "shippingAddress.city"}, {"Shipping Zip~/^'?(.*)/", "shippingAddress.postalCode"},
		{"Shipping Province", "shippingAddress.state"}, {"Shipping Country", "shippingAddress.country"},
		{"Shipping Phone", "shippingAddress.phone"},
		{"Billing Name", "billingAddress.name"}, {"Billing Address1", "billingAddress.line1"},
		{"Billing Address2", "billingAddress.line2"}, {"Billing City", "billingAddress.city"},
		{"Billing Zip~/^'?(.*)/", "billingAddress.postalCode"}, {"Billing Country", "billingAddress.country"},
		{"Phone|Billing Phone|Shipping Phone", "customerPhone"}, {"Billing Phone|Shipping Phone", "customerPhone"}, {"Phone", "customerPhone"},
		{"Billing Company", "customerCompany"}, {"Payment Method", "paymentMetadata.paymentMethod"},
	},
	statuses: map[string]string{"restocked": "CANCELLED", "refunded": "CANCELLED"}, // refunded without being shipped
	known:    func(header []string) bool { return hasColumns(header, "Name", "Lineitem quantity", "Lineitem price") },
}
