package worker

import (
	"entrepot/internal/orders"
	"entrepot/internal/view"
)

// follow updates a view of all accounts.
func (w *Worker) follow(v *view.View) {
	for w.pause(nil, max(v.Every, w.Poll)) {
		w.failed("updating the view "+v.Name, v.Follow(w.stopping, w.DB))
	}
}

// followLists reads the columns by which orders are listed into the memory of the node.
func (w *Worker) followLists() {
	for woken := w.DB.Woken(orders.ListsTopic); w.pause(woken, max(measureEvery, w.Poll)); {
		w.failed("reading by what orders are listed", orders.FollowColumns(w.stopping, w.DB))
	}
}
