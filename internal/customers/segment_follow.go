package customers

import (
	"context"
	"errors"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/search"
)

// Bounds of the updates of segment lists.
const (
	followAt    = 64  // changes of one kind from which an update is worth its cost
	leastFollow = 256 // customers in one transaction
	mostFollow  = 4096
)

// SegmentRest is how often the lists of segments are looked at.
const SegmentRest = time.Second

// errOtherTurn is the error of a turn if the lists have changed since it was planned.
var errOtherTurn = errors.New("customers: the lists of segments have changed meanwhile")

// SegmentFollower keeps the lists of the segments of every account up to date. It is for one goroutine.
type SegmentFollower struct {
	done map[id.Tenant]segmentsState // whose lists are those of their segments
}

// segmentsState differs between any two states of an account's segments.
type segmentsState struct{ count, changed int64 }

// All brings the lists of every account up to date whose segments are others than before, or where enough customers have changed. It
// serves every tenant.
func (f *SegmentFollower) All(ctx context.Context, store *db.DB) error {
	states := map[id.Tenant]segmentsState{}
	behind := map[id.Tenant]bool{}
	err := store.Peek(ctx, db.Across, func(tx *db.Tx) error {
		err := tx.Each(func(r db.Rows) error {
			var tenant id.Tenant
			var s segmentsState
			err := r.Scan(&tenant, &s.count, &s.changed)
			states[tenant] = s
			return err
		}, `SELECT t.tenant_id, count(s.id), coalesce(max(s.updated_at), 0) FROM
			(SELECT tenant_id FROM segments UNION SELECT tenant_id FROM segment_lists_until) AS t
			LEFT JOIN segments s ON s.tenant_id = t.tenant_id GROUP BY t.tenant_id`)
		if err != nil {
			return err
		}
		return tx.Each(func(r db.Rows) error {
			var tenant id.Tenant
			err := r.Scan(&tenant)
			behind[tenant] = true
			return err
		}, "SELECT u.tenant_id FROM segment_lists_until u WHERE"+
			" EXISTS (SELECT 1 FROM segment_changes e WHERE e.tenant_id = u.tenant_id"+laterThan+
			" OR EXISTS (SELECT 1 FROM events e WHERE e.tenant_id = u.tenant_id"+search.Customers.InLog()+laterThan+
			" OR EXISTS (SELECT 1 FROM events e WHERE e.tenant_id = u.tenant_id"+search.Orders.InLog()+laterThan, followAt-1)
	})
	done := map[id.Tenant]segmentsState{}
	for tenant, state := range states {
		if was, known := f.done[tenant]; known && was == state && !behind[tenant] {
			done[tenant] = state
			continue
		}
		if err == nil {
			err = FollowSegments(ctx, store, tenant)
		}
		if err == nil {
			done[tenant] = state
		}
		if errors.Is(err, errOtherTurn) { // another node does it, and this one looks again
			err = nil
		}
	}
	f.done = done
	return err
}

// laterThan ends EXISTS for enough changes e that the lists of an account u do not include.
const laterThan = " AND e.stamp > u.stamp ORDER BY e.stamp LIMIT 1 OFFSET $1::BIGINT)"

// FollowSegments brings the lists of one account's segments up to date, in short transactions: it begins and ends lists, and applies what
// has changed. Errors: one if another process does the same meanwhile.
func FollowSegments(ctx context.Context, store *db.DB, tenant id.Tenant) error {
	stride := store.NewBatchSize(leastFollow, mostFollow)
	for {
		more, took, err := followTurn(ctx, store, tenant, stride.Size)
		if err != nil || !more {
			return err
		}
		stride.Next(ctx, took)
	}
}

// FollowSegmentsSurely is FollowSegments that goes on beside another process: then the lists have every change from before the call.
func FollowSegmentsSurely(ctx context.Context, store *db.DB, tenant id.Tenant) error {
	for {
		if err := FollowSegments(ctx, store, tenant); !errors.Is(err, errOtherTurn) {
			return err
		}
	}
}

// followTurn does one turn: what is to be done is found on a snapshot, beside all who write, and stored by a short transaction, if the
// lists are still as they were then. Changes since the snapshot have later stamps than those that the turn includes.
func followTurn(ctx context.Context, store *db.DB, tenant id.Tenant, size int) (more bool, took time.Duration, err error) {
	var t *turn
	err = store.Peek(ctx, tenant, func(tx *db.Tx) (err error) {
		t, err = planTurn(tx, size)
		return err
	})
	if err != nil || !t.any() {
		return false, 0, err
	}
	err = store.WriteBulk(ctx, tenant, func(tx *db.Tx) error {
		begun := store.Now()
		t.store(tx)
		err := tx.Flush()
		took = store.Now().Sub(begun)
		return err
	})
	return t.more, took, err
}
