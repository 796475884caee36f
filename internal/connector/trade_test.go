package connector

import (
	"fmt"
	"testing"

	"entrepot/internal/base/money"
)

func TestWeightIn(t *testing.T) {
	for unit, want := range map[string]string{"kg": "0.35", "KILOGRAM": "0.35", "g": "350", "lbs": "0.7716", "oz": "12.3459", "stone": "", "": ""} {
		weight := money.Amount(3500)
		if got := WeightIn(&weight, unit); got != want {
			t.Errorf("%s: %q, not %q", unit, got, want)
		}
	}
	if less := money.Amount(-500); WeightIn(&less, "kg") != "-0.05" || WeightIn(nil, "kg") != "" {
		t.Error(WeightIn(&less, "kg"))
	}
}

// The GTIN comes before the numbers among the attributes, by the name that platforms have for its length; an ISBN stays.
func TestNumbersOfAForm(t *testing.T) {
	attributes := []Attribute{{"EAN", "4006381333948"}, {"ISBN", "9783161484100"}}
	for gtin, want := range map[string]string{"": "[{EAN 4006381333948} {ISBN 9783161484100}]", "96385074": "[{EAN 96385074} {ISBN 9783161484100}]",
		"036000291452": "[{UPC 036000291452} {ISBN 9783161484100}]", "04006381333931": "[{EAN 4006381333931} {ISBN 9783161484100}]",
		"10614141000415": "[{GTIN 10614141000415} {ISBN 9783161484100}]"} {
		p := Product{SKU: "A", Trade: Trade{GTIN: gtin}, Attributes: attributes}
		if got := fmt.Sprint(p.Forms()[0].Numbers(&p)); got != want {
			t.Errorf("%s: %s, not %s", gtin, got, want)
		}
	}
}
