package dashboard

import "testing"

// Where orders are cards, each shows when it was placed and by which channel, below its buyer.
func TestOrderCardsShowDateAndChannel(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	b.look(1000, "light")
	b.open("/orders")
	if bare := eval[[]string](b, `[...document.querySelectorAll('table.rows tbody tr')].filter(row => {
		const who = row.querySelector('[data-at=who]').getBoundingClientRect(), all = row.getBoundingClientRect();
		const seen = css => { const box = row.querySelector(css).getBoundingClientRect();
			return box.width > 0 && box.top >= who.bottom && box.bottom <= all.bottom && box.right <= all.right };
		return getComputedStyle(row).display !== 'grid' || !seen('[data-at=when] time') ||
			row.querySelector('[data-at=where]').innerText !== '' && !seen('[data-at=where]') })
		.map(row => row.innerText)`); len(bare) > 0 {
		t.Errorf("cards without date or channel: %q", bare)
	}
	if rows := eval[int](b, "document.querySelectorAll('table.rows tbody tr').length"); rows == 0 {
		t.Error("no orders are shown")
	}
}
