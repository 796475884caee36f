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
		"999999999999999": 999999999999999, "1e15": 1_000_000_000_000_000, "1.000000000000000000000000000": 1,
	} {
		if n, ok := integer(text); !ok || n != want {
			t.Errorf("%s is read as %d, %v", text, n, ok)
		}
	}
	for _, text := range []string{"1.5", "1e-1", "1e400", "1e99999999999999999999", "1e-99999999999999999999", "0.1e-9223372036854775808",
		"10e9223372036854775807",
		"1e2147483648", "1e16", "12345678901234567890", "1" + strings.Repeat("0", 70_000)} {
		if n, ok := integer(text); ok {
			t.Errorf("%.40s is read as %d", text, n)
		}
	}
}

// Two spellings are the same value exactly when nothing but spelling differs.
func TestSpellings(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"b":[1,2.50],"a":"x"}`, `{ "a": "\u0078", "b": [10e-1, 25e-1] }`, true},
		{`1e99999999999`, `-1e99999999999`, false},
		{`[1,2]`, `[2,1]`, false},
		{`{"a":null}`, `{}`, false},
		{`"1"`, `1`, false},
		{`{"a:1e0,b":2}`, `{"a":1,"b":2}`, false},
		{`{"a\":1,\"b":2}`, `{"a":1,"b":2}`, false},
		{`no JSON`, `no JSON`, true},
		{`no JSON`, `no  JSON`, false},
	} {
		if Same(c.a, c.b) != c.same || Same(c.b, c.a) != c.same {
			t.Errorf("%s and %s are the same: %v", c.a, c.b, !c.same)
		}
	}
}

// The depth of a value counts its arrays and objects, and not what is in the innermost one.
func TestDepth(t *testing.T) {
	for text, want := range map[string]int{`1`: 0, `"a"`: 0, `[]`: 1, `{"a":1}`: 1, `{"a":[],"b":[{"c":null}],"d":0}`: 3} {
		v, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Depth(); got != want {
			t.Errorf("%s is %d deep, not %d", text, got, want)
		}
	}
}

// A body is nested at most so deep.
func TestDepthIsBounded(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if _, err := Parse(nested(MaxDepth + 1)); err != nil {
		t.Errorf("%d inside one: %v", MaxDepth, err)
	}
	if _, err := Parse(nested(MaxDepth + 2)); err == nil {
		t.Errorf("%d inside one are taken", MaxDepth+1)
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
