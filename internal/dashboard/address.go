package dashboard

import (
	"cmp"
	"strings"

	"golang.org/x/text/language"

	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/postal"
)

// addressNames are the members of an address in the order in which they are written, grouped by line.
var addressNames = [][]string{{"name"}, {"company"}, {"line1"}, {"line2"}, {"postalCode", "city"}, {"state"}}

// addressLines are the lines of a free address as on a parcel; name is the recipient's if the address has none.
func (f format) addressLines(address, name string) (lines []string) {
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
			text := postal.Text(v, member)
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
	if code := postal.Text(v, "country"); code != "" {
		lines = append(lines, f.country(code))
	}
	return lines
}

// country is a country's name in the user's language, or its code where there is none.
func (f format) country(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil || !region.IsCountry() {
		return code
	}
	return cmp.Or(f.words.Country(region), code)
}
