package worker

import (
	"context"
	"time"

	"entrepot/internal/catalog"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/sales"
	"entrepot/internal/search"
	"entrepot/internal/stockvalue"
)

// follower keeps up something that is derived from records, for all accounts.
type follower struct {
	what  string // as it is logged
	topic string // on which the store wakes it, "" for none
	rest  time.Duration
	run   func(context.Context, *db.DB) error
}

const foldRest = 10 * time.Second

// followers makes those of a process; each runs in a loop of its own.
func followers() []follower {
	return []follower{
		{"packing the texts of searches", "", measureEvery, new(search.Packer).All},
		{"sorting products", "", catalog.SortRest, catalog.FollowSorts},
		{"listing the customers of segments", "", customers.SegmentRest, new(customers.SegmentFollower).All},
		{"adding up what the stock is worth", "", stockvalue.Rest, new(stockvalue.Follower).All},
		{"adding up what was sold", "", foldRest, new(sales.Folder).All},
	}
}

func (w *Worker) follow(f follower) {
	var woken <-chan struct{}
	if f.topic != "" {
		woken = w.DB.Woken(f.topic)
	}
	for w.pause(woken, max(f.rest, w.Poll)) {
		w.failed(f.what, f.run(w.stopping, w.DB))
	}
}
