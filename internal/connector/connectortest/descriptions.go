package connectortest

import (
	"strings"
	"testing"

	"entrepot/internal/connector"
)

// Descriptions checks that a product without a description leaves the shop's description alone, unless an earlier
// push wrote it; then it goes when the product loses it. shown is the description in the shop.
func Descriptions(t *testing.T, session connector.Session, p connector.Product, shown func() string) {
	t.Helper()
	push := func(description, described string) {
		t.Helper()
		p.Description = description
		for _, r := range Must(session.Upsert(t.Context(), []connector.Product{p}))(t) {
			if r.State != connector.Live && r.State != connector.Waiting {
				t.Fatalf("%+v", r)
			}
			if r.SKU == p.SKU {
				p.Known = r.IDs
			}
		}
		p.Known.Other = map[string]string{connector.DescribedID: described}
	}
	const theirs = "<p>written in the shop</p>"
	push(theirs, "")
	for range 2 {
		push("", "")
		if got := shown(); got != theirs {
			t.Fatalf("without a description here the shop has %q", got)
		}
	}
	push("<p>written here</p>", "1")
	push("", "")
	if got := shown(); strings.Contains(got, "written") {
		t.Errorf("what was written here and is not any more is in the shop: %q", got)
	}
}
