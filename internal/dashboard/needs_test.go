package dashboard

import (
	"net/http/httptest"
	"testing"
	"time"

	"entrepot/internal/accounts"
)

// What needs people names low levels of which something is left; those that are oversold are named by themselves.
func TestLowStock(t *testing.T) {
	f := newFormat(httptest.NewRequest("GET", "/", nil), &accounts.Account{}, &accounts.User{}, time.Now())
	v := overviewView{low: 3, Low: []lowRow{{SKU: "SOLD", Available: "−2", Oversold: true}, {SKU: "LAMP", Available: "3"}}}
	if needs := v.lowStock(f, 1); len(needs) != 1 || needs[0].Head != "3 stock levels low" || needs[0].Text != "LAMP 3" {
		t.Errorf("%+v", needs)
	}
	v.Low = v.Low[:1]
	if needs := v.lowStock(f, 3); needs != nil {
		t.Errorf("only oversold: %+v", needs)
	}
	if needs := v.lowStock(f, 1); len(needs) != 1 || needs[0].Head != "3 stock levels low" {
		t.Errorf("others are low, too: %+v", needs)
	}
}

// The payment's members that are null are not shown; what is no object of plain values is shown as JSON.
func TestPaymentPairs(t *testing.T) {
	for text, names := range map[string]string{
		`{"method":"card","gateways":null,"fee":1.5}`: "method=card fee=1.5 ",
		`{"gateways":null}`:                           "",
	} {
		list, got := paymentPairs(text), ""
		for _, p := range list {
			got += p.Name + "=" + p.Value + " "
		}
		if list == nil || got != names {
			t.Errorf("%s: %q", text, got)
		}
	}
	for _, text := range []string{`[1]`, `{"a":{"b":1}}`, `"card"`} {
		if list := paymentPairs(text); list != nil {
			t.Errorf("%s: %v", text, list)
		}
	}
}
