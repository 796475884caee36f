package sqlite

import (
	"cmp"
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"entrepot/internal/base/id"
	"entrepot/internal/db/engine"
)

// Read runs reads on one snapshot.
func (e *Engine) Read(ctx context.Context, _ id.Tenant, how engine.ReadMode, read func(engine.Session) error) error {
	seen, err := e.snapshot(ctx, func(c *conn) error {
		if how == engine.Yielding {
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

// snapshot gives a reading connection inside a transaction to read, and returns the newest group that read could see:
// it may not be on the disk yet.
func (e *Engine) snapshot(ctx context.Context, read func(*conn) error) (seen int64, err error) {
	c, err := e.readers.take(ctx)
	if err != nil {
		return 0, err
	}
	defer e.readers.put(c)
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
