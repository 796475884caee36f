package db

// Author is who makes a change, and by which request: the event log and the audit log record it. The zero value is the service itself.
type Author struct {
	Actor   string // "key:<id>", "user:<id>" or "channel:<id>"; "" for the service
	Name    string // of the key, the user or the channel
	Request string // the request's id, "" without one
	Address string // of the client, "" without one
}

// By is the same store for one author: what is written through it records who wrote it.
func (d *DB) By(a Author) *DB { return &DB{d.opened, a} }

// Author is who makes the changes of this transaction.
func (tx *Tx) Author() Author { return tx.db.author }
