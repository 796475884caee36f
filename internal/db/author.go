package db

// Author is who makes a change, by which request. The event log and the audit log record it. The zero value is the
// service itself.
type Author struct {
	Actor   string // "key:<id>", "user:<id>" or "channel:<id>"; "" for the service
	Name    string // of the key, the user or the channel
	Request string // the request's id, "" without one
	Address string // of the client, "" without one
	Trace   string // the traceparent of the sampled span that makes the change, "" without one (package trace)
}

// By returns the same store for one author: writes through it record that author.
func (d *DB) By(a Author) *DB { return &DB{d.opened, a} }

// Author is the author of this transaction's changes.
func (tx *Tx) Author() Author { return tx.author }
