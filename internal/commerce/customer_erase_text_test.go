package commerce

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"entrepot/internal/base/postal"
)

// Whatever a text holds, what is known of the person is gone from it afterwards, it is JSON still, and a second time changes nothing.
func TestAnonymiserLeavesNothing(t *testing.T) {
	known := []string{"Ada Lovelace", "ada@x.example", "+44 20 1234567", "Zoë Çelik"}
	a := &anonymiser{}
	a.collect(known...)
	leaf := rapid.OneOf(rapid.SampledFrom(append([]string{"", "mug", "ADA@X.example", "for ada lovelace!", "zOË ÇELIK", "44 20 1234567",
		`"quoted"`, "Rose", "https://t.example/?to=ada%40x.EXAMPLE&name=Ada+Lovelace&tel=%2B44%2020%201234567", "Zoe\u0308 C\u0327elik",
		"zo%C3%AB+%C3%87elik", "ZO%C3%8B%20%c3%87ELIK"}, known...)), rapid.String())
	names := rapid.SampledFrom([]string{"customerName", "customerEmail", "notes", "note", "shippingAddress", "items", "sku", "email",
		"metadata", "id", "total"})
	rapid.Check(t, func(t *rapid.T) {
		var value func(depth int) any
		value = func(depth int) any {
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				if depth > 0 {
					object := map[string]any{}
					for range rapid.IntRange(0, 4).Draw(t, "members") {
						object[names.Draw(t, "name")] = value(depth - 1)
					}
					return object
				}
			case 1:
				if depth > 0 {
					list := []any{}
					for range rapid.IntRange(0, 3).Draw(t, "elements") {
						list = append(list, value(depth-1))
					}
					return list
				}
			case 2:
				return rapid.SampledFrom([]any{nil, true, false, 1, 2.5, json.Number("12345678901234567890.10")}).Draw(t, "scalar")
			}
			return leaf.Draw(t, "text")
		}
		text, err := json.Marshal(map[string]any{"data": value(4)})
		if err != nil {
			t.Fatal(err)
		}
		for _, members := range []map[string]member{orderMembers, customerMembers, addressMembers, nil} {
			once := a.json(string(text), members)
			if !json.Valid([]byte(once)) {
				t.Fatalf("%s became %s", text, once)
			}
			if twice := a.json(once, members); twice != once {
				t.Fatalf("%s became %s, and then %s", text, once, twice)
			}
			plain, err := url.QueryUnescape(once)
			if err != nil {
				plain = once
			}
			for _, word := range append([]string{"44 20 1234567"}, known...) {
				if both := norm.NFC.String(strings.ToLower(once + plain)); strings.Contains(both, strings.ToLower(word)) {
					t.Fatalf("%s became %s, which has %s", text, once, word)
				}
			}
		}
	})
}

func TestAnonymiserSpares(t *testing.T) {
	a := &anonymiser{}
	a.collect("Rose", "12345", "", "  ", "Al")
	for _, text := range []string{`{"name":"Rose vase","sku":"12345","metadata":{"x":1.50,"y":[true,null]}}`, `[]`, `"Al"`} {
		if got := a.json(text, nil); got != text {
			t.Errorf("%s became %s", text, got)
		}
	}
	for text, want := range map[string]string{`{"line1":"1 St","country":"FR","zip":"1"}`: `{"country":"FR"}`,
		`{"countryCode":"DE"}`: `{"country":"DE"}`, `{"country":{"name":"x"}}`: `{}`,
		`{"country":"` + strings.Repeat("x", 61) + `"}`: `{}`, ``: ``} {
		if got := addressOf(text); got != want {
			t.Errorf("%s became %s, not %s", text, got, want)
		}
	}
	for _, text := range []string{"", "{}", `{"country":"FR"}`, postal.Normal(`{"country":"FR"}`), postal.Normal("{}")} {
		if !OnlyCountry(text) {
			t.Errorf("%s counts as more than a country", text)
		}
	}
	for _, text := range []string{`{"country":"FR","city":"Paris"}`, postal.Normal(`{"city":"Paris"}`)} {
		if OnlyCountry(text) {
			t.Errorf("%s counts as only a country", text)
		}
	}
}
