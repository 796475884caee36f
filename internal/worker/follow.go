package worker

import "entrepot/internal/view"

// follow updates a view of all accounts.
func (w *Worker) follow(v *view.View) {
	for w.pause(nil, max(v.Every, w.Poll)) {
		w.failed("updating the view "+v.Name, v.Follow(w.stopping, w.DB))
	}
}
