package dashboard

import "testing"

// Where orders are cards, each shows when it was placed and by which channel, beside its buyer.
func TestOrderCardsShowDateAndChannel(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	b.look(1000, "light")
	b.open("/orders")
	if bare := eval[[]string](b, `[...document.querySelectorAll('table.rows tbody tr')].filter(row => {
		const who = row.querySelector('[data-at=who]'), time = who.querySelector('time');
		return getComputedStyle(row).display !== 'grid' || !time || time.getClientRects().length === 0 ||
			time.getBoundingClientRect().right > who.getBoundingClientRect().right ||
			!who.innerText.includes(row.querySelector('td:nth-last-child(2)').textContent) })
		.map(row => row.innerText)`); len(bare) > 0 {
		t.Errorf("cards without date or channel: %q", bare)
	}
	if rows := eval[int](b, "document.querySelectorAll('table.rows tbody tr').length"); rows == 0 {
		t.Error("no orders are shown")
	}
}
