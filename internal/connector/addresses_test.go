package connector_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/connector"
)

// All values are named once, in their order, in as few addresses as can take them, whatever signs they consist of.
func TestValuesInAddresses(t *testing.T) {
	long := func(text string, n int) (list []string) {
		for i := range n {
			list = append(list, strings.Repeat(text, 64)+fmt.Sprint(i))
		}
		return list
	}
	for name, c := range map[string]struct {
		values []string
		pieces int
	}{"none": {nil, 0}, "one": {[]string{"A"}, 1}, "as many as allowed": {long("", 40), 1}, "one more": {long("", 41), 2},
		"letters of three bytes, written as nine": {long("商", 40), 7},
		"one that is too long by itself":          {[]string{"A", strings.Repeat("商", 600), "B"}, 3}} {
		pieces := connector.InAddresses(c.values, 40)
		if len(pieces) != c.pieces || !slices.Equal(slices.Concat(pieces...), c.values) {
			t.Errorf("%s: %d pieces of %d values", name, len(pieces), len(slices.Concat(pieces...)))
		}
		for _, p := range pieces {
			if len(p) > 40 || len(p) > 1 && len(url.QueryEscape(strings.Join(p, ","))) > 4000 {
				t.Errorf("%s: %d values in one address", name, len(p))
			}
		}
	}
}
