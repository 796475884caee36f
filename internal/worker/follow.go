package worker

import (
	"context"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/search"
	"entrepot/internal/view/all"
)

// follower keeps up something that is derived from records, for all accounts.
type follower struct {
	what string // as it is logged
	rest time.Duration
	run  func(context.Context, *db.DB) error
}

// followers makes those of a process; each runs in a loop of its own.
func followers() []follower {
	list := []follower{
		{"packing the texts of searches", measureEvery, new(search.Packer).All},
	}
	for _, v := range all.Views {
		list = append(list, follower{"updating the view " + v.Name, v.Every, v.Follow})
	}
	return list
}

func (w *Worker) follow(f follower) {
	for w.pause(nil, max(f.rest, w.Poll)) {
		w.failed(f.what, f.run(w.stopping, w.DB))
	}
}
