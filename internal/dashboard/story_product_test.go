package dashboard

import "testing"

// The merchant makes six variants of two options, sees an error where it is, corrects it, and saves all with one button: six clicks. What is
// not saved is guarded.
func TestStoryOfAProduct(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		p := s.product(`{"sku":"TEE","name":"Tee","price":20}`)
		b := s.window(t, s.owner)
		b.open("/products/" + string(p.ID))
		leaves := func() bool {
			return eval[bool](b, "dispatchEvent(new Event('beforeunload', { cancelable: true }))")
		}
		if !leaves() {
			t.Error("a page on which nothing was typed is guarded")
		}
		b.clickOn("#card-variants .make summary")
		b.fill("[name='make[0].name']", "Size")
		b.fill("[name='make[0].values']", "S, M, L")
		b.fill("[name='make[1].name']", "Colour")
		b.fill("[name='make[1].values']", "red, blue")
		if leaves() {
			t.Error("what was typed is not guarded")
		}
		b.press("Add the missing rows")
		b.until("document.querySelectorAll('#card-variants tbody tr:not(.extra)').length === 6")
		if leaves() {
			t.Error("new rows are not guarded")
		}
		b.fill("[name=gtin]", "4006381333932")
		b.press("Save")
		b.shows("Must end in the check digit 1, not 2")
		b.until("document.activeElement.name === 'gtin'")
		b.fill("[name=gtin]", "4006381333931")
		b.fill("[name=weight]", "0.2")
		b.press("Preview the description")
		b.fill("[name=description]", "<b>Soft</b>")
		b.press("Preview the description")
		b.until("document.querySelector('iframe.preview')?.srcdoc === '<b>Soft</b>'")
		b.press("Save")
		b.shows("Saved")
		b.until("!document.querySelector('iframe.preview')")
		if !leaves() {
			t.Error("a saved page is guarded")
		}
		if now, _ := s.stored(p.ID); len(now.Variants) != 6 || now.GTIN != "4006381333931" || now.Description != "<b>Soft</b>" {
			t.Errorf("stored %+v", now)
		}
	})
}
