package dashboard

import (
	"strings"
	"testing"

	"entrepot/internal/verify"
)

// A merge moves what its preview said; a person is erased when the e-mail address is typed, the page is the receipt, and neither a record
// nor a byte of the store has the person any more.
func TestStoryOfAPersonWhoIsForgotten(t *testing.T) {
	s := newSite(t, "sqlite")
	s.deliver(t)
	c := s.shopper(t)
	c.articles()
	person := map[string]any{"customerName": "Zoë Çelik", "customerEmail": "zoe@vanish.example"}
	for _, email := range []string{"zoe@vanish.example", "zoe@vanish.example", "z.celik@vanish.example"} {
		person["customerEmail"] = email
		c.order("PROCESSING", person, 1)
	}
	b := s.window(t, s.owner)
	b.open("/customers?search=z.celik")
	b.click("tbody a.hit")
	b.until("!!document.querySelector('[name=with]')")
	for _, with := range []string{"nobody@vanish.example", "z.celik@vanish.example"} { // nobody, and the customer itself
		b.fill("[name=with]", with)
		b.press("Compare")
		b.shows("is no other customer's e-mail address or id")
		b.until("document.querySelector('[name=with]').getAttribute('aria-invalid') === 'true'")
	}
	b.fill("[name=with]", "zoe@vanish.example")
	b.press("Compare")
	b.shows("2 orders move")
	together := eval[string](b, `[...document.querySelectorAll("tr")].map(r => [...r.cells].map(c => c.innerText).join("|")).join("\n")`)
	for _, row := range []string{"Orders|1|2|3", "Spent|€9.50|€19.00|€28.50"} {
		if !strings.Contains(together, row) {
			t.Errorf("the preview has no %q: %s", row, together)
		}
	}
	b.press("Merge records")
	b.shows("Merged the records and moved 2 orders")
	b.shows("3 orders")
	b.shows("€28.50")
	merged := eval[string](b, "location.pathname")
	b.open("/customers/" + c.list("/customers?includeInactive=true&email=zoe@vanish.example")[0]["id"].(string))
	b.shows("Merged into another record")
	b.open(strings.TrimPrefix(merged, prefix))

	b.press("Erase for good…")
	b.fill("#erase-customer [name=typed]", "zoe@vanish.example")
	b.click("#erase-customer button.primary")
	b.shows("must be the e-mail address of this customer")
	b.until("document.activeElement.name === 'typed'")
	b.fill("[name=typed]", "z.celik@vanish.example")
	b.press("Erase for good")
	b.shows("Erased for good")
	b.shows("3 anonymous orders")
	if eval[bool](b, "/Çelik|celik|zoe@/i.test(document.documentElement.outerHTML)") {
		t.Error("the receipt names the person")
	}
	if b.is("!!document.querySelector('#erase-customer, form[action$=\"/erase\"]')") {
		t.Error("an erased customer can be erased again")
	}

	proof := &verify.Proof{}
	for proof.Pending = 1; proof.Pending > 0; {
		if *proof = (verify.Proof{}); t.Context().Err() != nil {
			t.Fatal("bytes of what was erased are not overwritten")
		}
		if err := verify.CheckRecords(t.Context(), s.DB, proof, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := verify.FindTexts(t.Context(), s.DB, proof, "Zoë Çelik", "zoe@vanish.example", "z.celik@vanish.example"); err != nil ||
		!proof.Clean() || proof.Customers == 0 || proof.Orders != 3 {
		t.Errorf("%v %+v", err, proof)
	}
}
