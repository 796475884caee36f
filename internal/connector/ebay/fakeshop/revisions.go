package fakeshop

import (
	"net/http"
	"time"
)

// MostRevisions is how often a listing may be changed in a day of eBay, in whatever request.
const MostRevisions = 250

// revised counts a change of the listing of a SKU; refused says that it has had too many today, and is not changed.
func (a *Account) revised(sku string) (refused bool) {
	o := a.offers[sku]
	if o == nil || !o.shown() {
		return false
	}
	if day := a.Now().In(time.FixedZone("PST", -8*60*60)).Format(time.DateOnly); day != a.day {
		a.day, a.revisions = day, map[string]int{}
	}
	if a.revisions[o.listing] >= MostRevisions {
		return true
	}
	a.revisions[o.listing]++
	return false
}

// tooMany refuses a change. eBay documents no code for it.
func tooMany() (int, object) {
	return http.StatusBadRequest, problem(25019, "Cannot revise listing. The listing has been revised too many times today.")
}

// Revisions returns how often the listing of a SKU was changed today.
func (a *Account) Revisions(sku string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o := a.offers[sku]; o != nil {
		return a.revisions[o.listing]
	}
	return 0
}
