package sqlite

import (
	"cmp"
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// Read runs reads on one snapshot, or a look-up on snapshots shared with others.
func (e *Engine) Read(ctx context.Context, tenant id.Tenant, how engine.ReadMode, read func(engine.Session) error) error {
	if how == engine.Lookup {
		return read(e.shared(ctx, tenant))
	}
	seen, err := e.snapshot(ctx, false, func(c *conn) error {
		if how == engine.Patient {
			c.rested = time.Now()
			defer func() { c.rested = time.Time{} }()
		}
		return read(c)
	})
	if how == engine.Peek {
		return err
	}
	return cmp.Or(e.writer.durability.wait(seen), err)
}

// ahead runs an optimistic transaction on snapshots, without waiting for the writer, and returns its writes.
func (e *Engine) ahead(ctx context.Context, tenant id.Tenant, work engine.Work) (steps []*engine.Step, err error) {
	s := e.shared(ctx, tenant)
	steps, err = work(s)
	if err == nil && len(steps) > 0 {
		return steps, nil // its commit comes after everything that it saw
	}
	return nil, cmp.Or(e.writer.durability.wait(s.seen), err)
}

// snapshot gives a reading connection inside a transaction to read, and returns the newest group that read could see:
// it may not be on the disk yet. A short read looks at a few rows by their keys.
func (e *Engine) snapshot(ctx context.Context, short bool, read func(*conn) error) (seen int64, err error) {
	c, err := e.readers.take(ctx, short)
	if err != nil {
		return 0, err
	}
	defer e.readers.put(c, short)
	c.durability, c.seen = &e.writer.durability, 0
	if _, err := c.Exec("BEGIN", nil); err != nil {
		return 0, engine.Unavailable(err)
	}
	defer c.Exec("ROLLBACK", nil)
	err = c.until(ctx, read)
	return c.seen, err
}

// until runs a read and interrupts its statements when its caller has hung up.
func (c *conn) until(ctx context.Context, read func(*conn) error) (err error) {
	gone := make(chan struct{})
	here := context.AfterFunc(ctx, func() {
		close(c.stop)
		close(gone)
	})
	defer func() {
		if here() {
			return
		}
		<-gone
		c.interruptible()
		if code(err) == sqlite.ResultInterrupt {
			err = ctx.Err()
		}
	}()
	return read(c)
}

// openReader opens another connection for reading.
func (e *Engine) openReader() (*conn, error) {
	c, err := openConn(e.path, e.settings...)
	if err == nil {
		c.interruptible()
	}
	return c, err
}
