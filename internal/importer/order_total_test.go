package importer

import (
	"fmt"
	"strings"
	"testing"
)

// shopifyOrder is an order of Shopify's export with one line of 2 × 12.50.
func shopifyOrder(cells string) string {
	return "Name,Email,Financial Status,Fulfillment Status,Currency,Subtotal,Shipping,Taxes,Total,Discount Amount,Duties,Refunded Amount," +
		"Cancelled at,Lineitem discount,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Billing Name,Created at\n" +
		"#1,ann@example.com," + cells + ",2,Mug,12.50,MUG,Ann,2026-03-05 09:59:00 +0100\n"
}

// The total of an order is the file's, whether its taxes are inside the prices or on top.
func TestTotalsOfShopify(t *testing.T) {
	for name, c := range map[string]struct{ cells, want, lacks string }{
		"tax inside":          {"paid,,EUR,25.00,4.90,4.77,29.90,0.00,,,,", `"shippingAmount":4.9,"discountAmount":0`, `"taxAmount":`},
		"tax inside is named": {"paid,,EUR,25.00,4.90,4.77,29.90,0.00,,,,", `"includedTax":"4.77"`, "refused"},
		"tax on top":          {"paid,,EUR,25.00,4.90,2.06,31.96,0.00,,,,", `"discountAmount":0,"taxAmount":2.06`, "includedTax"},
		"discount":            {"paid,,EUR,20.00,4.90,4.00,24.90,5.00,,,,", `"discountAmount":5`, `"taxAmount":`},
		"free shipping":       {"paid,,EUR,25.00,0.00,4.00,25.00,4.90,,,,", `"discountAmount":0`, "refused"},
		"shipping discounted": {"paid,,EUR,25.00,4.90,4.00,25.00,4.90,,,,", `"discountAmount":4.9`, "refused"},
		"discount of a line":  {"paid,,EUR,24.00,0.00,4.00,28.00,0.00,,,,1.00", `"discountAmount":1,"taxAmount":4`, "refused"},
		"duties":              {"paid,,EUR,25.00,0.00,2.00,30.00,0.00,3.00,,,", `"taxAmount":5`, "refused"},
		"fits neither":        {"paid,,EUR,25.00,4.90,4.77,31.00,0.00,,,,", "total_differs", "rows: {"},
		"removed line":        {"paid,,EUR,12.50,4.90,0.00,17.40,0.00,,,,", "total_differs", "rows: {"},
		"cancelled": {"voided,,EUR,25.00,0,0,25.00,0,,0,2026-03-06 09:00:00 +0100,",
			`"initialStatus":"CANCELLED"`, `"refundedAmount":`},
		"paid and cancelled": {"refunded,,EUR,25.00,0,0,25.00,0,,25.00,2026-03-06 09:00:00 +0100,",
			`"refundedAmount":25`, "RETURNED"},
		"restocked":           {"paid,restocked,EUR,25.00,0,0,25.00,0,,0,,", `"initialStatus":"CANCELLED"`, `"refundedAmount":`},
		"refunded, shipped":   {"refunded,fulfilled,EUR,25.00,0,0,25.00,0,,,,", `"initialStatus":"RETURNED"`, "CANCELLED"},
		"the refund of it":    {"refunded,fulfilled,EUR,25.00,0,0,25.00,0,,,,", `"refundedAmount":25`, "CANCELLED"},
		"refunded, unshipped": {"refunded,unfulfilled,EUR,25.00,0,0,25.00,0,,25.00,,", `"initialStatus":"CANCELLED"`, "RETURNED"},
		"refunded in part":    {"partially_refunded,fulfilled,EUR,25.00,0,0,25.00,0,,10.00,,", `"initialStatus":"SHIPPED"`, "RETURNED"},
		"that part":           {"partially_refunded,fulfilled,EUR,25.00,0,0,25.00,0,,10.00,,", `"refundedAmount":10`, "RETURNED"},
	} {
		got := made(t, Options{Kind: Orders, File: write(t, shopifyOrder(c.cells))})
		if !strings.Contains(got, c.want) || strings.Contains(got, c.lacks) {
			t.Errorf("%s: want %s and no %s:\n%s", name, c.want, c.lacks, got)
		}
	}
}

// A total that a person maps decides likewise in other files.
func TestTotalsOfOtherFiles(t *testing.T) {
	text := "order,customer,sku,quantity,price,shippingAmount,taxAmount,Sum\n"
	for i, row := range []string{"10,0,1.60,10", "10,0,2,12", "10,0,2,13"} {
		text += fmt.Sprintf("O-%d,Ada,S,1,%s\n", i, row)
	}
	got := made(t, Options{Kind: Orders, File: write(t, text), Map: []string{"order=externalReference", "Sum=total"}})
	for want, n := range map[string]int{`"includedTax":"1.6"`: 1, `"taxAmount":2`: 1, "total_differs": 1} {
		if have := strings.Count(got, want); have != n {
			t.Errorf("%s is there %d times, want %d:\n%s", want, have, n, got)
		}
	}
}
