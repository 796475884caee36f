package jsonvalue

import (
	"strconv"
	"strings"
	"testing"
)

// Numbers are one number however they are written, and none of their spellings is too odd to be read or refused.
func TestIntegers(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "0.0": 0, "0e9": 0, "0e99999999999999999999": 0, "1": 1, "1.0": 1, "10e-1": 1, "0.1e1": 1, "1e2": 100, "1E+2": 100,
		"-25": -25, "-2.5e1": -25,
		"999999999999999": 999999999999999, "1.000000000000000000000000000": 1,
	} {
		if n, ok := integer(text); !ok || n != want {
			t.Errorf("%s is read as %d, %v", text, n, ok)
		}
	}
	for _, text := range []string{"1.5", "1e-1", "1e400", "1e99999999999999999999", "1e-99999999999999999999", "0.1e-9223372036854775808",
		"10e9223372036854775807",
		"1e2147483648", "12345678901234567890", "1" + strings.Repeat("0", 70_000)} {
		if n, ok := integer(text); ok {
			t.Errorf("%.40s is read as %d", text, n)
		}
	}
}

// FuzzNumber compares spellings with what the standard library makes of them.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"0", "-1", "1e2", "10e-1", "0.1e-9223372036854775808", "1e400", "123456789012345"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse([]byte(text))
		if err != nil || v.Kind != '0' {
			return
		}
		n, ok := integer(string(v.Raw()))
		float, err := strconv.ParseFloat(string(v.Raw()), 64)
		if ok && (err != nil || float != float64(n)) {
			t.Errorf("%s is read as %d, not %v (%v)", v.Raw(), n, float, err)
		}
		if v.Fingerprint() == "" {
			t.Error("no fingerprint")
		}
	})
}

// A body of very many small values is refused before it takes much memory.
func TestValuesAreBounded(t *testing.T) {
	if _, err := Parse([]byte("[" + strings.Repeat("1,", MaxValues-2) + "1]")); err != nil {
		t.Errorf("%d values: %v", MaxValues, err)
	}
	if _, err := Parse([]byte("[" + strings.Repeat("1,", MaxValues-1) + "1]")); err == nil {
		t.Errorf("%d values are taken", MaxValues+1)
	}
}
