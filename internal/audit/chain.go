package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"

	"entrepot/internal/db"
)

// The entries of an account form a chain: each has a number and a hash over its members and the hash of the one
// before it. The account's head repeats the newest number and hash, so that missing newest entries are noticed, too.
// The hash covers the texts of an entry by their digest only: an erasure may remove them, and the chain can still be
// followed.

// head is the newest link of an account's chain.
type head struct {
	number int64
	hash   string
}

// readHead reads the head; the zero value if there is no entry yet.
func readHead(tx *db.Tx) (h head, err error) {
	err = tx.Row("SELECT number, hash FROM audit_heads WHERE tenant_id = $1", []any{tx.Tenant}, &h.number, &h.hash)
	if errors.Is(err, db.ErrNoRow) {
		err = nil
	}
	return h, err
}

// append puts the entry behind the newest one. It holds the account's clock, which makes chains of concurrent
// transactions one.
func (e Entry) append(tx *db.Tx) error {
	if err := tx.LockClock(); err != nil {
		return err
	}
	before, err := readHead(tx)
	if err != nil {
		return err
	}
	e.Number, e.Digest = before.number+1, e.Texts.digest()
	e.Hash = e.link(before.hash)
	table.Insert(tx, e)
	tx.Queue(`INSERT INTO audit_heads (tenant_id, number, hash) VALUES ($1,$2,$3)
		ON CONFLICT (tenant_id) DO UPDATE SET number = excluded.number, hash = excluded.hash`, tx.Tenant, e.Number, e.Hash)
	return nil
}

// link is the hash of an entry behind the one with the hash before.
func (e *Entry) link(before string) string {
	return hashed(before, strconv.FormatInt(e.Number, 10), string(e.ID), e.Actor, e.Action, e.ResourceType, e.ResourceID,
		strconv.FormatInt(e.CreatedAt, 10), e.Digest)
}

func (t Texts) digest() string {
	return hashed(t.Details, t.Changes, t.ActorName, t.RequestID, t.Address)
}

// hashed is the SHA-256 of some texts, which are encoded so that no two lists have the same bytes.
func hashed(texts ...string) string {
	sum := sha256.Sum256([]byte(encoded(texts)))
	return hex.EncodeToString(sum[:])
}

// none are the texts of an entry that an erasure has emptied.
var none = Texts{Details: "{}", Changes: "[]"}

// Check follows the account's chain from its first entry, and calls wrong for what does not fit: an entry that was
// changed, removed, moved or put in by others. It returns how many entries it has read. erasures is an action of
// entries after which others may be emptied.
func Check(tx *db.Tx, erasure string, wrong func(format string, args ...any)) (n int64, err error) {
	var last head
	var began, erased int64 // when the chain began, and the first erasure
	scan := table.Scanner()
	err = tx.Each(func(r db.Rows) error {
		e, err := scan(r)
		if err != nil {
			return err
		}
		n++
		if last.number == 0 {
			began = e.CreatedAt
		}
		if e.Action == erasure && (erased == 0 || e.CreatedAt < erased) {
			erased = e.CreatedAt
		}
		switch {
		case e.Number != last.number+1:
			wrong("the entry number %d of the audit log is followed by %d: %s", last.number, e.Number, e.ID)
		case e.Hash != e.link(last.hash):
			wrong("the entry %d of the audit log, %s, was changed", e.Number, e.ID)
		case e.EmptiedAt == 0 && e.Texts.digest() != e.Digest:
			wrong("the texts of the entry %d of the audit log, %s, were changed", e.Number, e.ID)
		case e.EmptiedAt != 0 && e.Texts != none:
			wrong("the entry %d of the audit log, %s, got texts after an erasure", e.Number, e.ID)
		}
		last = head{e.Number, e.Hash}
		return nil
	}, table.Select("")+" WHERE tenant_id = $1 AND number IS NOT NULL ORDER BY number", tx.Tenant)
	if err != nil {
		return n, err
	}
	known, err := readHead(tx)
	if err != nil {
		return n, err
	}
	if known != last {
		wrong("the newest entry of the audit log has the number %d, not %d, or another hash", last.number, known.number)
	}
	return n, tx.Each(func(r db.Rows) error {
		var which string
		var number int64
		if err := r.Scan(&which, &number); err != nil {
			return err
		}
		if number == 0 {
			wrong("the entry %s of the audit log is in no chain", which)
		} else {
			wrong("the entry %d of the audit log, %s, was emptied without an erasure", number, which)
		}
		return nil
	}, `SELECT id, coalesce(number, 0) FROM audit_log WHERE tenant_id = $1 AND (number IS NULL AND $2::BIGINT > 0 AND created_at > $2::BIGINT
		OR number IS NOT NULL AND emptied_at IS NOT NULL AND ($3::BIGINT = 0 OR emptied_at < $3::BIGINT))`, tx.Tenant, began, erased)
}
