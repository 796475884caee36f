package prestashop_test

import (
	"slices"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
)

// Orders that were deleted in the shop are found missing, and no others.
func TestDeletedOrdersAreMissing(t *testing.T) {
	s := newShop(t)
	a, b, c := s.Buy("a@example.com", true), s.Buy("b@example.com", true), s.Buy("c@example.com", false)
	s.Delete(b)
	gone := connectortest.Must(s.session.(connector.OrderFinder).Vanished(t.Context(), []string{a, b, c, "99"}))(t)
	if !slices.Equal(gone, []string{b, "99"}) {
		t.Errorf("%v are gone", gone)
	}
}
