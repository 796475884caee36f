package connector

import (
	"fmt"
	"testing"
)

// Variants keep their trade numbers as long as these alone tell two of them apart, and the caller's products stay as they are.
func TestWhatVariantsAreChosenBy(t *testing.T) {
	form := func(values ...string) (v Variant) {
		for i, name := range []string{"EAN", "Size"}[:len(values)] {
			v.Attributes = append(v.Attributes, Attribute{name, values[i]})
		}
		return v
	}
	for name, c := range map[string]struct {
		variants []Variant
		want     string
	}{
		"sizes":         {[]Variant{form("1", "S"), form("2", "M")}, "[[{Size S}] [{Size M}]]"},
		"one size":      {[]Variant{form("1", "S"), form("2", "s")}, "[[{EAN 1} {Size S}] [{EAN 2} {Size s}]]"},
		"nothing else":  {[]Variant{form("1"), form("2")}, "[[{EAN 1}] [{EAN 2}]]"},
		"none at all":   {nil, "[]"},
		"a single form": {[]Variant{form("1", "S")}, "[[{Size S}]]"},
	} {
		given := []Product{{Variants: c.variants}}
		before := fmt.Sprint(given)
		list := []([]Attribute){}
		for _, v := range Choosable(given)[0].Variants {
			list = append(list, v.Attributes)
		}
		if got := fmt.Sprint(list); got != c.want || fmt.Sprint(given) != before {
			t.Errorf("%s: %s, want %s; given %s, before %s", name, got, c.want, fmt.Sprint(given), before)
		}
	}
}
