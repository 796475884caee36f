package dashboard

import (
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/postal"
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
		lines = append(lines, countryName(code))
	}
	return lines
}

// countryName is a country's English name, or its code where there is none.
func countryName(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	if name := display.English.Regions().Name(region); name != "" && !strings.HasPrefix(name, "Unknown") {
		return name
	}
	return code
}
