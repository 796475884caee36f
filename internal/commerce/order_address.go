package commerce

import (
	"strings"

	"entrepot/internal/apijson"
	"entrepot/internal/jsonvalue"
)

// addressKeys are the members of every shipping address in reads, with the names accepted for them (interface §2.1).
var addressKeys = []struct {
	name  string
	alias []string
}{
	{"line1", []string{"address1", "street"}}, {"line2", []string{"address2"}}, {"city", nil}, {"postalCode", []string{"zip", "postcode"}},
	{"zip", []string{"postalCode", "postcode"}}, {"country", []string{"countryCode"}},
}

// NormalAddress is a shipping address in the form of reads: all its members as they are, followed by the missing
// normalised ones. "" stays "".
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

// addressText is the text of a member: a string, or a number where text is meant, as for postal codes.
func addressText(v *jsonvalue.Value) string {
	if v != nil && v.Kind == '0' {
		return string(v.Raw())
	}
	return v.Text()
}
