package apijson

import (
	"maps"
	"net/url"
	"slices"
	"testing"
)

// No parameter is left out, however it is written; what url.ParseQuery reads is read as it does.
func TestValues(t *testing.T) {
	for raw, want := range map[string]url.Values{
		"":                       {},
		"a=1&b=%C3%A9+%2B&a=2&&": {"a": {"1", "2"}, "b": {"é +"}},
		"a":                      {"a": {""}},
		"search=50%":             {"search": {"50%"}},
		"search=%zz%41%4":        {"search": {"%zzA%4"}},
		"search=a;b&limit=1":     {"search": {"a;b"}, "limit": {"1"}},
		"%=%%25":                 {"%": {"%%"}},
		"created%5Bgte%5D=x=y":   {"created[gte]": {"x=y"}},
	} {
		if got := Values(raw); !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}

func FuzzValues(f *testing.F) {
	f.Add("a=1&b=%C3%A9+%2B&a=2&c;d=%zz")
	f.Fuzz(func(t *testing.T, raw string) {
		got := Values(raw)
		if want, err := url.ParseQuery(raw); err == nil && !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	})
}
