package orders

import (
	"context"
	"errors"
	"sync"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Numbers gives out order numbers from blocks that this node leases, so that orders do not compete for one row.
// Numbers are unique and grow; a node that stops leaves a gap (interface §4.1).
type Numbers struct {
	mu     sync.Mutex
	leases map[id.Tenant]*lease
}

type lease struct {
	mu        sync.Mutex
	next, end int64
	size      int64
	takenAt   time.Time
}

// maxLease is the largest block. The blocks of a busy account grow to this size; the blocks of a quiet account stay
// small, and so do the gaps.
const maxLease = 4096

// NewNumbers starts without leases.
func NewNumbers() *Numbers { return &Numbers{leases: map[id.Tenant]*lease{}} }

// Take returns the next number. Call it outside of a transaction: it may start one of its own.
func (n *Numbers) Take(ctx context.Context, store *db.DB, tenant id.Tenant) (int64, error) {
	n.mu.Lock()
	l := n.leases[tenant]
	if l == nil {
		l = &lease{size: 1}
		n.leases[tenant] = l
	}
	n.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == l.end {
		if err := l.renew(ctx, store, tenant); err != nil {
			return 0, err
		}
	}
	l.next++
	return l.next - 1, nil
}

func (l *lease) renew(ctx context.Context, store *db.DB, tenant id.Tenant) error {
	now := store.Now()
	if now.Sub(l.takenAt) < 5*time.Second {
		l.size = min(l.size*4, maxLease)
	} else {
		l.size = 1
	}
	l.takenAt = now
	var end int64
	err := store.Write(ctx, tenant, func(tx *db.Tx) error {
		return tx.Row(`UPDATE order_numbers SET next = CASE WHEN next > beyond.last THEN next ELSE beyond.last + 1 END + $2
			FROM (SELECT coalesce(max(number), 0) AS last FROM orders WHERE tenant_id = $1) AS beyond
			WHERE tenant_id = $1 RETURNING next`, []any{tx.Tenant, l.size}, &end)
	})
	if err != nil { // the block may have been stored or not; its numbers are not used
		return err
	}
	l.next, l.end = end-l.size, end
	return nil
}

// ErrNumberTaken is the error of an order whose number another order has: a block was leased twice.
var ErrNumberTaken = errors.New("orders: the number is taken")

// Drop drops the block of a number that another order has; the next block begins after every order's number.
func (n *Numbers) Drop(tenant id.Tenant, number int64) {
	n.mu.Lock()
	l := n.leases[tenant]
	n.mu.Unlock()
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if number >= l.end-l.size && number < l.end {
		l.next = l.end
	}
}

// PrefetchNumberTaken prefetches the number of orders with an order number: 0 or 1.
func PrefetchNumberTaken(r db.Reader, number int64) *db.Pending[int64] {
	return prefetchNumber(r, "SELECT count(*) FROM orders WHERE tenant_id = $1 AND number = $2", []any{r.TenantID(), number})
}

// ReserveNumbers makes the next number follow the last number that an order got in another way.
func ReserveNumbers(tx *db.Tx, last int64) error {
	_, err := tx.Exec("UPDATE order_numbers SET next = CASE WHEN next > $2 THEN next ELSE $2::BIGINT + 1 END WHERE tenant_id = $1", tx.Tenant,
		last)
	return err
}
