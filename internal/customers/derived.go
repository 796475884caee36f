package customers

import (
	"strings"

	"github.com/google/uuid"

	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/postal"
	"entrepot/internal/search"
)

// Derive builds an address book from the shipping addresses of orders, newest first: one entry for each line1, city and
// zip (interface §2.5), ignoring case and spaces. The id of an entry depends on these alone, and identifies nothing in
// the store.
func Derive(customer id.Customer, shipping []string) []Address {
	book, seen := []Address{}, map[string]bool{}
	for _, text := range shipping {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil {
			continue
		}
		part := func(member string) string { return postal.Text(v, member) }
		a := Address{Type: Shipping, Name: part("name"), Company: part("company"), Line1: part("line1"), Line2: part("line2"),
			City: part("city"), State: part("state"), Zip: part("zip"), Country: part("country"), Phone: part("phone"), Derived: true}
		if code, known := Country(a.Country); known {
			a.Country = code
		}
		place := folded(a.Line1) + "\x00" + folded(a.City) + "\x00" + folded(a.Zip)
		if len(place) == 2 || seen[place] {
			continue
		}
		seen[place] = true
		a.ID = id.Address(uuid.NewSHA1(uuid.NameSpaceOID, []byte(string(customer)+"\x00"+place)).String())
		book = append(book, a)
	}
	return book
}

// folded returns a text in lower case with single spaces and composed accents.
func folded(text string) string { return search.Fold(strings.Join(strings.Fields(text), " ")) }

// countryOf returns the country of an order's free-form address, "" when it names none of ISO 3166-1.
func countryOf(address string) string {
	if address == "" {
		return ""
	}
	v, err := jsonvalue.Parse([]byte(address))
	if err != nil {
		return ""
	}
	code, _ := Country(postal.Text(v, "country"))
	return code
}
