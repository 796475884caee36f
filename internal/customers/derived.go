package customers

import (
	"strings"

	"github.com/google/uuid"

	"entrepot/internal/id"
	"entrepot/internal/jsonvalue"
)

// Names of the parts of an order's free-form address; the first that is present counts.
var (
	namesOfName    = []string{"name", "fullName", "recipient"}
	namesOfCompany = []string{"company"}
	namesOfLine1   = []string{"line1", "address1", "street"}
	namesOfLine2   = []string{"line2", "address2"}
	namesOfCity    = []string{"city"}
	namesOfState   = []string{"state", "province", "region"}
	namesOfZip     = []string{"zip", "postalCode", "postcode"}
	namesOfCountry = []string{"country", "countryCode"}
	namesOfPhone   = []string{"phone"}
)

// Derive builds an address book from the shipping addresses of orders, newest first: one entry for each line1, city
// and zip (interface §2.5), ignoring case and spaces. The id of an entry depends on the place alone, and identifies
// nothing in the store.
func Derive(customer id.Customer, shipping []string) []Address {
	book, seen := []Address{}, map[string]bool{}
	for _, text := range shipping {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil {
			continue
		}
		a := Address{Type: Shipping, Name: member(v, namesOfName), Company: member(v, namesOfCompany), Line1: member(v, namesOfLine1),
			Line2: member(v, namesOfLine2), City: member(v, namesOfCity), State: member(v, namesOfState), Zip: member(v, namesOfZip),
			Country: member(v, namesOfCountry), Phone: member(v, namesOfPhone), Derived: true}
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

// folded is a text in lower case with single spaces.
func folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// member is the first text or number among some members of an object.
func member(v *jsonvalue.Value, names []string) string {
	for _, name := range names {
		found := v.Member(name)
		if found == nil {
			continue
		}
		text := found.Text()
		if found.Kind == '0' {
			text = string(found.Raw())
		}
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return ""
}

// countryOf is the country of an order's free-form address, "" when it names none of ISO 3166-1.
func countryOf(address string) string {
	if address == "" {
		return ""
	}
	v, err := jsonvalue.Parse([]byte(address))
	if err != nil {
		return ""
	}
	code, _ := Country(member(v, namesOfCountry))
	return code
}
