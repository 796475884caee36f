package connector_test

import (
	"fmt"
	"slices"
	"strconv"
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
	want := []string{"A-S gone ", "A-M gone ", "B gone ", "C gone ", "D failed it is frozen"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// A product at which the platform breaks does not keep off sale those behind it, whatever its place. Two in a row mean that the platform is
// away: the rest waits, and if nothing was done, the failure is the call's.
func TestUpsertEach(t *testing.T) {
	away, refused := connector.Failf(connector.Temporary, "away"), connector.Failf(connector.Rejected, "no")
	revoked := connector.Failf(connector.Unauthorized, "revoked")
	for _, c := range []struct {
		name     string
		failures []error // of the products, nil for none
		want     []string
		fails    bool
	}{
		{"all is well", []error{nil, nil}, []string{"live", "live"}, false},
		{"the first breaks it", []error{away, nil, refused}, []string{"failed again", "live", "failed"}, false},
		{"the only one breaks it", []error{away}, nil, true},
		{"it is away", []error{away, away, nil}, nil, true},
		{"it goes away", []error{nil, away, away, nil}, []string{"live", "failed again", "failed again", "failed again"}, false},
		{"now and then", []error{away, nil, away, nil}, []string{"failed again", "live", "failed again", "live"}, false},
		{"credentials are refused", []error{revoked, nil}, nil, true},
		{"credentials are revoked", []error{nil, revoked, nil}, []string{"live", "failed again", "failed again"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			products := make([]connector.Product, len(c.failures))
			for i := range products {
				products[i].SKU = fmt.Sprint(i)
			}
			results, err := connector.UpsertEach(products, func(p *connector.Product) ([]connector.Result, error) {
				i, _ := strconv.Atoi(p.SKU)
				return []connector.Result{{SKU: p.SKU, State: connector.Live}}, c.failures[i]
			})
			var got []string
			for _, r := range results {
				state := r.State
				if r.Again {
					state += " again"
				}
				got = append(got, state)
			}
			if !slices.Equal(got, c.want) || (err != nil) != c.fails {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
