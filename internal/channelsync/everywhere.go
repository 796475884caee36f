package channelsync

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// The statements of this file serve every tenant: they are what /metrics shows of all channels with a platform that
// are not inactive, but those of sandboxes.

// Progress is how far a channel is synchronised. Times are microseconds since 1970.
type Progress struct {
	Tenant   id.Tenant
	Channel  id.Channel
	Platform string
	PulledAt int64 // when orders were pulled last; before the first pull, when the channel was created
	Pushing  int64 // since when the oldest push that has not ended waits, runs or fails; 0 for none
}

// pushes are the types of jobs that bring changes to a platform (package jobs).
var pushes = []string{"product_push", "stock_push", "status_push"}

// Everywhere reads the progress of channels, in the order of accounts and channels.
func Everywhere(tx *db.Tx) ([]Progress, error) {
	list, err := db.List(tx, func(r db.Rows) (p Progress, err error) {
		var s State
		err = r.Scan(&p.Tenant, &p.Channel, &p.Platform, &p.PulledAt, &s.Failing)
		for _, kind := range pushes {
			p.Pushing = earlier(p.Pushing, s.Since(kind))
		}
		return p, err
	}, `SELECT c.tenant_id, c.id, c.platform, coalesce(s.pulled_at, c.created_at), coalesce(s.failing, '{}')
		FROM channels c JOIN tenants t ON t.tenant_id = c.tenant_id AND NOT t.sandbox
		LEFT JOIN channel_syncs s ON s.tenant_id = c.tenant_id AND s.channel_id = c.id
		WHERE c.platform <> 'CUSTOM' AND c.status <> 'inactive' ORDER BY c.tenant_id, c.id`)
	if err != nil {
		return nil, err
	}
	open := map[id.Channel]int64{}
	err = tx.Each(func(r db.Rows) error {
		var channel id.Channel
		var since int64
		err := r.Scan(&channel, &since)
		open[channel] = since
		return err
	}, `SELECT channel_id, min(created_at) FROM jobs WHERE due_at IS NOT NULL AND channel_id IS NOT NULL
		AND type IN ('product_push', 'stock_push', 'status_push') GROUP BY channel_id`)
	for i := range list {
		list[i].Pushing = earlier(list[i].Pushing, open[list[i].Channel])
	}
	return list, err
}

// earlier is the earlier of two times, of which 0 is none.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
