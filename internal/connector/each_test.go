package connector_test

import (
	"fmt"
	"slices"
	"testing"

	"entrepot/internal/connector"
)

// Items of one product are taken off by one call, what is not there is off sale, what is refused says so, and the round ends at a failure
// that a later try may mend.
func TestUnpublishEach(t *testing.T) {
	item := func(sku, product string) connector.Item {
		return connector.Item{SKU: sku, IDs: connector.IDs{Product: product}}
	}
	items := []connector.Item{item("A-S", "1"), item("A-M", "1"), item("B", ""), item("C", "3"), item("D", "4"),
		item("E", "5"), item("F", "6")}
	var called []string
	results, err := connector.UnpublishEach(items, func(it connector.Item) string { return it.IDs.Product }, func(id string) error {
		called = append(called, id)
		switch id {
		case "3":
			return connector.Failf(connector.Missing, "no such product")
		case "4":
			return connector.Failf(connector.Rejected, "it is frozen")
		case "5":
			return fmt.Errorf("unpublishing: %w", connector.Failf(connector.Temporary, "no answer"))
		}
		return nil
	})
	if !connector.Is(err, connector.Temporary) || !slices.Equal(called, []string{"1", "3", "4", "5"}) {
		t.Errorf("called %v: %v", called, err)
	}
	var got []string
	for _, r := range results {
		got = append(got, r.SKU+" "+r.State+" "+r.Error)
	}
	want := []string{"A-S gone ", "A-M gone ", "B gone ", "C gone ", "D failed D: it is frozen"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
