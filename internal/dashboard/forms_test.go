package dashboard

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"entrepot/internal/base/apijson"
)

// sent is a form that was sent with values, of the fields given.
func sent(values url.Values, fields ...field) *form {
	hr := httptest.NewRequest("POST", prefix+"/x", strings.NewReader(values.Encode()))
	hr.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if err := hr.ParseForm(); err != nil {
		panic(err)
	}
	r := &request{http: hr}
	return r.form("/x", fields...)
}

// A form becomes the document that the API would be sent.
func TestFormsBecomeDocuments(t *testing.T) {
	for _, c := range []struct {
		name   string
		fields []field
		values url.Values
		want   string
	}{
		{"text", []field{{Name: "a"}}, url.Values{"a": {"x"}}, `{"a":"x"}`},
		{"undeclared", []field{{Name: "a"}}, url.Values{"a": {"x"}, "role": {"owner"}}, `{"a":"x"}`},
		{"blank", []field{{Name: "a"}}, url.Values{"a": {" "}}, `{}`},
		{"blank that clears", []field{{Name: "a", ClearBlank: true}}, url.Values{"a": {""}}, `{"a":null}`},
		{"missing", []field{{Name: "a", ClearBlank: true}}, url.Values{}, `{}`},
		{"numbers", []field{{Name: "n", Kind: "int"}, {Name: "m", Kind: "decimal"}, {Name: "c", Kind: "decimal"}},
			url.Values{"n": {"3"}, "m": {"12.50"}, "c": {"12,50"}}, `{"n":3,"m":12.50,"c":12.50}`},
		{"no numbers", []field{{Name: "n", Kind: "int"}, {Name: "m", Kind: "decimal"}},
			url.Values{"n": {"3 x"}, "m": {"1,234,5"}}, `{"n":"3 x","m":"1,234,5"}`},
		{"yes and no", []field{{Name: "a", Kind: "checkbox"}, {Name: "b", Kind: "checkbox"}}, url.Values{"a": {"true"}}, `{"a":true,"b":false}`},
		{"several", []field{{Name: "a", Kind: "checks"}, {Name: "b", Kind: "checks"}}, url.Values{"a": {"x", "y"}}, `{"a":["x","y"],"b":[]}`},
		{"nested", []field{{Name: "items[0].sku"}, {Name: "items[0].quantity", Kind: "int"}, {Name: "items[1].sku"}, {Name: "to.city"}},
			url.Values{"items[0].sku": {"A"}, "items[0].quantity": {"2"}, "items[1].sku": {"B"}, "to.city": {"Leipzig"}},
			`{"items":[{"sku":"A","quantity":2},{"sku":"B"}],"to":{"city":"Leipzig"}}`},
		{"ten lines", []field{{Name: "i[10].a"}, {Name: "i[9].a"}, {Name: "i[0].a"}},
			url.Values{"i[10].a": {"k"}, "i[9].a": {"j"}, "i[0].a": {"a"}}, `{"i":[{"a":"a"},{"a":"j"},{"a":"k"}]}`},
		{"no text", []field{{Name: "a"}}, url.Values{"a": {"\xff<b>\"\\"}}, `{"a":"\ufffd\u003cb\u003e\"\\"}`},
	} {
		if got := string(sent(c.values, c.fields...).document().Raw()); got != strings.ReplaceAll(c.want, `\ufffd`, "\ufffd") {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Whatever is sent, a form can be read.
func FuzzForms(f *testing.F) {
	f.Add("a=x&items%5B0%5D.n=1", "items[0].n")
	f.Add("a=%ff&b=1", "b..c[1]x")
	f.Fuzz(func(t *testing.T, body, name string) {
		values, err := url.ParseQuery(body)
		if err != nil {
			return
		}
		sent(values, field{Name: "a"}, field{Name: "items[0].n", Kind: "int"}, field{Name: "items[1].n", Kind: "checks"},
			field{Name: "b", Kind: "decimal"}).Object().Text("a", apijson.Text{})
	})
}

// An error is shown beside its input, with a link to it in the summary, and everything that was typed stays.
func TestErrorsStandBesideTheirInputs(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	out := b.post("/_parts/form", url.Values{"name": {"<x>"}, "price": {"12,50"}, "kind": {"b"}, "scopes": {"a"}, "strict": {"true"},
		"note": {"line\nline"}})
	if out.status != http.StatusUnprocessableEntity {
		t.Fatalf("%d", out.status)
	}
	for _, want := range []string{`value="&lt;x&gt;" required aria-invalid="true" aria-describedby="parts-form-name-error"`,
		`id="parts-form-name-error"`, `href="#parts-form-name"`, "Text must be at least 3 characters long", "Elsewhere is wrong too",
		"2 things are wrong", `value="12,50"`, `value="b" selected`, `value="a" checked`, `name="strict" value="true" checked`, "line\nline"} {
		if !strings.Contains(out.body, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// What another record has already is said beside the input, too, where the cursor is then; what was typed stays.
func TestWhatIsTakenIsSaidBesideItsInput(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	c := s.shopper(t)
	first := func(path, name string) string { return c.list(path)[0][name].(string) }
	b := s.as(s.owner)
	for _, one := range []struct {
		page, input, taken string
		others             []string
	}{
		{"/customers/new", "email", first("/customers", "email"), nil},
		{"/products/new", "sku", first("/products", "sku"), []string{"name", "Mug", "price", "1"}},
		{"/settings/users/new", "email", s.owner.Email, []string{"name", "Vera", "password", password}},
		{"/stock/warehouses", "code", first("/warehouses", "code"), []string{"name", "Depot"}},
		{"/attributes", "code", first("/attributes", "code"), []string{"label", "Stuff"}},
	} {
		out := b.sendForm(t, b.get(one.page), one.page, append(one.others, one.input, one.taken)...)
		id := inputID(strings.ReplaceAll(strings.Trim(one.page, "/"), "/", "-"), one.input)
		if out.status != http.StatusConflict || !strings.Contains(out.body, `id="`+id+`-error"`) ||
			!strings.Contains(out.body, `value="`+one.taken+`"`) {
			t.Errorf("%s: %d %.900s", one.page, out.status, out.words())
		}
	}
}
