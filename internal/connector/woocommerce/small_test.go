package woocommerce

import "testing"

// A tracking number counts as pushed only if a note has it whole.
func TestNumbersInNotes(t *testing.T) {
	for _, c := range []struct {
		text, mark string
		want       bool
	}{
		{"Shipped with DHL, tracking number JD10", "JD1", false}, {"Shipped with DHL, tracking number JD1", "JD1", true},
		{"JD10, JD1: https://dhl.example/JD1", "JD1", true}, {"XJD1", "JD1", false}, {"Stock levels reduced: Mug (M-1) 12→11", "1", true},
		{"Stock levels reduced: Mug 12→10", "1", false}, {"ÄJD1", "JD1", false}, {"", "JD1", false},
		{"https://dhl.example/1?x=2", "https://dhl.example/1", true},
	} {
		if got := names(c.text, c.mark); got != c.want {
			t.Errorf("%q in %q: %v", c.mark, c.text, got)
		}
	}
}

// A site without a time zone has an offset in hours.
func TestOffsets(t *testing.T) {
	for hours, want := range map[flexible]string{"2": "+02:00", "5.5": "+05:30", "-3.5": "-03:30", "0": "+00:00", "": "", "x": "", "99": ""} {
		if got := offset(hours); got != want {
			t.Errorf("%q is %q, want %q", hours, got, want)
		}
	}
}

// A quantity may be written with decimals; one that the shop does not count is none.
func TestQuantities(t *testing.T) {
	for text, want := range map[flexible]int64{"7": 7, "7.0": 7, "7.9": 7, "-2": -2, "-1.5": -2} {
		if got, known := (found{Quantity: text}).quantity(); got != want || !known {
			t.Errorf("%q is %d, %v", text, got, known)
		}
	}
	if _, known := (found{}).quantity(); known {
		t.Error("no quantity is one")
	}
}
