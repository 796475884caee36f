package webhooks

import (
	"errors"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Due is the topic on which the store wakes loops when deliveries are due.
const Due = "deliveries"

// Bounds of one step of dispatch.
const (
	stepDeliveries = 1024 // enough to share a commit, few enough not to delay other writers
	stepEvents     = 2000 // events that no endpoint wants cost little
	fewEvents      = 16   // that are read at least
)

// ErrMeanwhile is returned by a step that another node did first.
var ErrMeanwhile = errors.New("webhooks: another node was first")

// Work is the work of the dispatcher.
type Work struct {
	Waiting []id.Tenant  // accounts with endpoints and events that are not dispatched yet
	Replays []OpenReplay // not completed yet
}

// None reports whether there is nothing to do.
func (w Work) None() bool { return len(w.Waiting)+len(w.Replays) == 0 }

// FindWork looks for events to dispatch and replays to continue. It serves every tenant; accounts without endpoints
// are left out.
func FindWork(tx *db.Tx) (w Work, err error) {
	tx.Last()
	waiting := tx.Prefetch(func(r db.Rows) error {
		var t id.Tenant
		err := r.Scan(&t)
		w.Waiting = append(w.Waiting, t)
		return err
	}, `SELECT q.tenant_id FROM (SELECT DISTINCT tenant_id FROM queues) q JOIN dispatch_cursors c ON c.tenant_id = q.tenant_id
		JOIN change_clocks k ON k.tenant_id = q.tenant_id WHERE k.last > c.stamp`)
	replays := tx.Prefetch(func(r db.Rows) error {
		var k OpenReplay
		err := r.Scan(&k.Tenant, &k.ID)
		w.Replays = append(w.Replays, k)
		return err
	}, "SELECT tenant_id, id FROM replays ORDER BY id LIMIT 100")
	err = db.WaitAll([]*db.PendingRead{waiting, replays}) // fills w
	return w, err
}

// Step is a range of an account's events and the deliveries made from them.
type Step struct {
	More       bool // there are events after it
	from, to   int64
	deliveries []Delivery
}

// Len is how many deliveries the step creates.
func (s *Step) Len() int { return len(s.deliveries) }

// ReadStep reads the events after the account's cursor, on a snapshot. Stamps grow in commit order, so no later commit
// adds an event below the newest stamp of the snapshot.
func ReadStep(tx *db.Tx) (*Step, error) {
	s := &Step{}
	var endpoints []Endpoint
	scan := endpointTable.Scanner()
	err := db.WaitAll([]*db.PendingRead{
		tx.Prefetch(func(r db.Rows) error { return r.Scan(&s.from, &s.to) },
			"SELECT c.stamp, k.last FROM dispatch_cursors c JOIN change_clocks k ON k.tenant_id = c.tenant_id WHERE c.tenant_id = $1", tx.Tenant),
		tx.Prefetch(func(r db.Rows) error {
			e, err := scan(r)
			endpoints = append(endpoints, e)
			return err
		}, "SELECT "+endpointTable.Columns("")+" FROM endpoints "+living+" ORDER BY id", tx.Tenant),
	})
	if err != nil || len(endpoints) == 0 {
		return s, err
	}
	after := max(s.from, endpoints[0].Since)
	for _, e := range endpoints {
		after = min(after, max(s.from, e.Since))
	}
	// As many events as fill the step if every endpoint wants each; more of them if few are wanted.
	seen, page := 0, max(fewEvents, stepDeliveries/len(endpoints))
	for !s.More {
		page = min(page, stepEvents-seen)
		read, err := s.read(tx, endpoints, after, page)
		if err != nil || len(read) < page {
			return s, err
		}
		after, seen, page = read[len(read)-1], seen+len(read), 4*page
		if seen == stepEvents && !s.More {
			s.More, s.to = true, after
		}
	}
	return s, nil
}

// read adds the deliveries of at most limit events after a stamp, and returns the stamps of these events. If the step
// is full, it ends with the last event that was added.
func (s *Step) read(tx *db.Tx, endpoints []Endpoint, after int64, limit int) (stamps []int64, err error) {
	scan := undeliveredTable.Scanner()
	err = tx.Each(func(r db.Rows) error {
		d, err := scan(r)
		if err != nil || s.More {
			return err
		}
		d.Position, stamps = d.EventStamp, append(stamps, d.EventStamp)
		for i := range endpoints {
			s.add(&endpoints[i], d)
		}
		if len(s.deliveries) >= stepDeliveries {
			s.More, s.to = true, d.EventStamp
		}
		return nil
	}, undeliveredTable.Select("")+` WHERE tenant_id = $1 AND stamp > $2 AND stamp <= $3 AND endpoint_id IS NULL
		ORDER BY stamp LIMIT $4`, tx.Tenant, after, s.to, limit)
	return stamps, err
}

func (s *Step) add(e *Endpoint, d Delivery) {
	if d.EventStamp > e.Since && e.Wants(d.Name) {
		d.ID, d.Endpoint, d.Ordered = id.New[id.Delivery](), e.ID, e.Ordered && d.Resource != ""
		s.deliveries = append(s.deliveries, d)
	}
}

// Write stores a step's deliveries and moves the cursor in one message, so that no other node and no operation waits
// for a round trip of this one. The cursor comes first: of two nodes that have read the same step, one fails before it
// locks anything. Errors: ErrMeanwhile.
func (s *Step) Write(tx db.Writer) {
	tx.Queue("UPDATE dispatch_cursors SET stamp = $3 WHERE tenant_id = $1 AND stamp = $2", tx.TenantID(), s.from, s.to).Rows(1, ErrMeanwhile)
	enqueue(tx, tx.Queue, s.deliveries, insertPlaced)
}
