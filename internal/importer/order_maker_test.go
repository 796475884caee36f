package importer

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entrepot/internal/base/money"
)

func TestOrderFiles(t *testing.T) {
	mapped := []string{`[Customer Name]|"Guest"=customerName`, "Ship via=paymentMetadata.shipVia", "Cancels=originalReference"}
	for name, o := range map[string]Options{
		"orders":        {File: "orders.csv", Map: mapped, Set: []string{"initialStatus=delivered"}},
		"orders-report": {File: "orders.csv", Map: mapped, CreditNotes: CreditReport},
		"totals": {File: "totals.csv", CreditNotes: CreditCancel, Set: []string{"currency=gbp"}, Map: []string{
			"Order=externalReference", "Total=lineTotal"}},
		"shopifyorders": {File: "shopifyorders.csv"},
		"own-orders":    {File: "own-orders.jsonl", Channel: "0190c0de-0000-7000-8000-0000000000ff"},
	} {
		t.Run(name, func(t *testing.T) {
			o.Kind, o.File = Orders, filepath.Join("testdata", o.File)
			golden(t, name, made(t, o))
		})
	}
}

// However a total is shared out over its pieces, the lines add up to it, rounded once as the service
// rounds a line (interface §1), and no piece is lost.
func TestTotalsAreShared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.IntRange(0, 3).Draw(t, "digits")
		r := &orderRow{
			quantity: rapid.OneOf(rapid.Int64Range(1, 30), rapid.Int64Range(1, 1_000_000)).Draw(t, "quantity"),
			total:    money.Amount(rapid.Int64Range(0, 100_000_0000).Draw(t, "total")), byTotal: true,
		}
		var sum money.Amount
		var pieces int64
		lines := r.lines(digits)
		for _, l := range lines {
			product, ok := l.unitPrice.Times(l.quantity)
			if !ok || l.unitPrice < 0 || l.quantity < 1 {
				t.Fatalf("line %+v", l)
			}
			sum += product.Round(digits)
			pieces += l.quantity
		}
		if sum != r.total.Round(digits) || pieces != r.quantity || len(lines) > 2 {
			t.Fatalf("%d × … = %v became %v over %d pieces in %d lines", r.quantity, r.total, sum, pieces, len(lines))
		}
	})
}

// An order above 500 lines is cut, and every line is in one of the parts.
func TestLongOrders(t *testing.T) {
	var text strings.Builder
	text.WriteString("order,customer,sku,quantity,price,shippingAmount\n")
	for i := range 1203 {
		fmt.Fprintf(&text, "L-1,Ada,S-%d,1,2,9.90\n", i)
	}
	o := Options{Kind: Orders, File: write(t, text.String()), Map: []string{"order=externalReference"}}
	got := made(t, o)
	for want, n := range map[string]int{
		`L-1, 500 rows`: 1, `L-1/2, 500 rows`: 1, `L-1/3, 203 rows`: 1, `"shippingAmount":9.9`: 1, "order_split": 1, `"sku":"S-`: 1203,
	} {
		if have := strings.Count(got, want); have != n {
			t.Errorf("%q is there %d times, want %d", want, have, n)
		}
	}
	o.LongOrders = "report"
	if got := made(t, o); strings.Count(got, "too_many_lines") != 1203 || strings.Contains(got, "rows: {") {
		t.Errorf("report: %.300s", got)
	}
}

// Rows of an order may stand anywhere; the outcome is the same orders.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		refs := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 40).Draw(rt, "refs")
		var text strings.Builder
		text.WriteString("order,customer,sku,quantity,price\n")
		want := map[string]int{}
		for i, n := range refs {
			fmt.Fprintf(&text, "O-%d,Ada,S-%d,1,2\n", n, i)
			want[fmt.Sprintf("O-%d", n)]++
		}
		o := Options{Kind: Orders, File: write(t, text.String()), Map: []string{"order=externalReference"}}
		got := made(t, o)
		for ref, rows := range want {
			if strings.Count(got, fmt.Sprintf("%s, %d rows: ", ref, rows)) != 1 {
				rt.Fatalf("%s with %d rows is not there once:\n%s", ref, rows, got)
			}
		}
	})
}
