package dashboard

import (
	"strings"

	"entrepot/internal/jsonvalue"
)

// addressNames are the members of an address in the order in which they are written, grouped by line.
var addressNames = [][]string{{"name"}, {"company"}, {"line1"}, {"line2"}, {"postalCode", "city"}, {"state"}}

// addressLines are the lines of a free address as on a parcel; name is the recipient's if the address has none.
func addressLines(address, name string) (lines []string) {
	if address == "" {
		return nil
	}
	v, err := jsonvalue.Parse([]byte(address))
	if err != nil {
		return []string{address}
	}
	for _, names := range addressNames {
		var words []string
		for _, member := range names {
			text := addressText(v, member)
			if member == "name" && text == "" {
				text = name
			}
			if text != "" {
				words = append(words, text)
			}
		}
		if len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	if code := addressText(v, "country"); code != "" {
		lines = append(lines, countryName(code))
	}
	return lines
}

// aliases are other names of members, as the API reads them.
var addressAliases = map[string][]string{"line1": {"address1", "street"}, "line2": {"address2"}, "postalCode": {"zip", "postcode"},
	"country": {"countryCode"}}

func addressText(v *jsonvalue.Value, member string) string {
	for _, name := range append([]string{member}, addressAliases[member]...) {
		found := v.Member(name)
		text := found.Text()
		if found != nil && found.Kind == '0' {
			text = string(found.Raw())
		}
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return ""
}
