package commerce

import (
	"strings"

	"entrepot/internal/apijson"
	"entrepot/internal/jsonvalue"
)

// addressKeys are the members every read of a shipping address has, with the names they may come under (interface §2.1).
var addressKeys = []struct {
	name  string
	alias []string
}{
	{"line1", []string{"address1", "street"}}, {"line2", []string{"address2"}}, {"city", nil}, {"postalCode", []string{"zip", "postcode"}},
	{"zip", []string{"postalCode", "postcode"}}, {"country", []string{"countryCode"}},
}

// NormalAddress gives a shipping address as reads show it: every member it came with, in its place, and the normalised ones
// added behind. "" stays "".
func NormalAddress(text string) string {
	if text == "" {
		return ""
	}
	v, err := jsonvalue.Parse([]byte(text))
	if err != nil || v.Names() == nil && text != "{}" {
		return text
	}
	var extra strings.Builder
	for _, key := range addressKeys {
		if v.Member(key.name) != nil {
			continue
		}
		value := "null"
		for _, alias := range key.alias {
			if text := addressText(v.Member(alias)); text != "" {
				value = string(apijson.AppendText(nil, text))
				break
			}
		}
		extra.WriteString(`,"` + key.name + `":` + value)
	}
	if extra.Len() == 0 {
		return text
	}
	body := strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(text), "}"), " \t\r\n")
	if body == "{" {
		return "{" + extra.String()[1:] + "}"
	}
	return body + extra.String() + "}"
}

// addressText is what a member says: a string, or a number that was meant as one, as postal codes often are.
func addressText(v *jsonvalue.Value) string {
	if v != nil && v.Kind == '0' {
		return string(v.Raw())
	}
	return v.Text()
}
