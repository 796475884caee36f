package dashboard

import (
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/webhooks"
)

// sidebarRoutes is the page from which open pages refresh the sidebar's counts.
var sidebarRoutes = []*route{{method: "GET", path: "/counts", serve: (*Dashboard).showCounts}}

// waiting is the open work of an item of the sidebar.
type waiting struct {
	scope string
	words string
	bad   bool // it is about failures
	read  func(tx *db.Tx, r *request) (int64, error)
}

// waits is the open work by the item's path. All of it comes from stored counts or few rows, so that every page can
// show it: one message reads it.
var waits = map[string]waiting{
	"/orders": {scope: "read:orders", words: "to ship", read: func(tx *db.Tx, _ *request) (n int64, err error) {
		n, _, err = orders.ToShip(tx)
		return n, err
	}},
	"/stock": {scope: "read:inventory", words: "low", bad: true, read: func(tx *db.Tx, _ *request) (n int64, err error) {
		kept, err := db.PrefetchTallies(tx, "low").Wait()
		for _, low := range kept["low"] {
			n += low
		}
		return n, err
	}},
	"/channels": {scope: "read:channels", words: "to reconnect", bad: true, read: func(tx *db.Tx, _ *request) (int64, error) {
		return channels.CountIn(tx, channels.NeedsReauth, channels.Expiring, channels.Error)
	}},
	"/jobs": {scope: "read:channels", words: "failed", bad: true, read: func(tx *db.Tx, r *request) (int64, error) {
		return jobs.CountFailed(tx, r.format.now.Add(-failedFor).UnixMicro())
	}},
	"/webhooks": {scope: "read:webhooks", words: "failing", bad: true,
		read: func(tx *db.Tx, _ *request) (int64, error) { return webhooks.CountFailing(tx) }},
}

// readWaiting reads the amount of open work, by the item's path, that the user may see.
func (r *request) readWaiting() (map[string]int64, error) {
	counts := map[string]int64{}
	err := r.read(func(tx *db.Tx) error {
		var reads []func(*db.Tx) error
		for path, w := range waits {
			if r.caller().May(w.scope) {
				reads = append(reads, func(tx *db.Tx) error {
					n, err := w.read(tx, r)
					counts[path] = n
					return err
				})
			}
		}
		tx.Last()
		return tx.Together(reads...)
	})
	return counts, err
}

// count sets the count of an item.
func (item *navItem) count(r *request, counts map[string]int64) {
	if n := counts[item.Path]; n > 0 {
		w := waits[item.Path]
		item.Count, item.Waits, item.Bad = r.format.Count(n), w.words, w.bad
	}
}

// showCounts serves GET /counts: the sidebar for the section at, and nothing else.
func (d *Dashboard) showCounts(r *request) (answer, error) {
	return show(screen{Template: "counts", Title: "Open work", Section: r.http.URL.Query().Get("at")}), nil
}
