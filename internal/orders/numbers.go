package orders

import (
	"context"
	"sync"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Numbers hands out order numbers from blocks that this node leases, so that no row is fought for at every order. Numbers are
// unique and grow; a node that ends leaves a gap (interface §4.1).
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

// maxLease bounds a block; a busy account's blocks grow to it, a quiet one's stay small, so that its gaps are.
const maxLease = 4096

// NewNumbers starts without leases.
func NewNumbers() *Numbers { return &Numbers{leases: map[id.Tenant]*lease{}} }

// Take gives the next number. It must be called outside of a transaction: it may need one of its own.
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
	return store.Write(ctx, tenant, func(tx *db.Tx) error {
		if err := tx.Row("UPDATE order_numbers SET next = next + $2 WHERE tenant_id = $1 RETURNING next", []any{tx.Tenant, l.size}, &l.end); err != nil {
			return err
		}
		l.next = l.end - l.size
		return nil
	})
}
