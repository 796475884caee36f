package postal

import (
	"testing"

	"entrepot/internal/base/jsonvalue"
)

// Every name of a member is read, the member's own first.
func TestText(t *testing.T) {
	for _, c := range []struct{ address, member, want string }{
		{`{"fullName":" Ada "}`, "name", "Ada"},
		{`{"recipient":"Ada","name":""}`, "name", "Ada"},
		{`{"street":"b","address1":"a"}`, "line1", "a"},
		{`{"line1":"c","address1":"a"}`, "line1", "c"},
		{`{"region":"Bern"}`, "state", "Bern"},
		{`{"postcode":3000}`, "zip", "3000"},
		{`{"zip":"1","postalCode":"2"}`, "zip", "1"},
		{`{"zip":"1","postalCode":"2"}`, "postalCode", "2"},
		{`{"countryCode":"CH"}`, "country", "CH"},
		{`{"city":null}`, "city", ""},
		{`[]`, "city", ""},
	} {
		v, err := jsonvalue.Parse([]byte(c.address))
		if err != nil {
			t.Fatal(err)
		}
		if got := Text(v, c.member); got != c.want {
			t.Errorf("%s: %s is %q, not %q", c.address, c.member, got, c.want)
		}
	}
}

// A normalised address keeps its members and their bytes, and gets the missing ones.
func TestNormal(t *testing.T) {
	for _, c := range []struct{ address, want string }{
		{"", ""},
		{"{}", `{"line1":null,"line2":null,"city":null,"postalCode":null,"zip":null,"country":null}`},
		{`{ "street": "Rue 1", "zip": 75002 }`,
			`{ "street": "Rue 1", "zip": 75002,"line1":"Rue 1","line2":null,"city":null,"postalCode":"75002","country":null}`},
		{`{"line1":null,"street":"s","line2":"","city":"c","postcode":"p","countryCode":"FR"}`,
			`{"line1":null,"street":"s","line2":"","city":"c","postcode":"p","countryCode":"FR","postalCode":"p","zip":"p","country":"FR"}`},
		{`"not an object"`, `"not an object"`},
	} {
		if got := Normal(c.address); got != c.want {
			t.Errorf("%s becomes\n%s\nnot\n%s", c.address, got, c.want)
		}
		if once := Normal(c.address); Normal(once) != once {
			t.Errorf("%s changes again", once)
		}
	}
}
