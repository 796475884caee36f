// Package idempotency stores the answer to a request under its Idempotency-Key, in the commit of its effect (interface
// §4.1).
//
//	Answer        what the first request got; Find looks it up, Save stores it
//	StoredAnswer  an answer with its key, for erasures, which rewrite it (erase.go)
//	Place         the encryption context of answers that contain a secret
package idempotency

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"entrepot/internal/db"
)

// Retention is how long an answer is replayed.
const Retention = 24 * time.Hour

// Answer is the answer to the first request that used a key.
type Answer struct {
	Fingerprint string // of the canonical body
	Status      int
	Body        string
	Resource    string // id of the record that it is about, "" for none
}

// kept is the stored form of a key. A key that may name a person, such as an e-mail, is stored as its SHA-256, because
// keys outlive the erasure of a person (interface §4.4). Others are stored as they are, so that keys in sequence stay
// close to each other in the table.
func kept(key string) string {
	for i := range len(key) {
		if c := key[i]; c == '@' || c == '+' || c == '%' || c <= ' ' || c >= 0x7f {
			sum := sha256.Sum256([]byte(key))
			return "sha256:" + hex.EncodeToString(sum[:])
		}
	}
	return key
}

// Find looks up a key in its space (method and path); nil if it is free.
func Find(r db.Reader, key, space string) (*Answer, error) {
	found, err := PrefetchAnswers(r, []string{key}, space).Wait()
	return found.Of(key), err
}

// Answers are stored answers by their keys.
type Answers struct{ of map[string]*Answer }

// Of is the answer stored under a key, nil if there is none.
func (a Answers) Of(key string) *Answer { return a.of[kept(key)] }

// PrefetchAnswers looks up keys of one space.
func PrefetchAnswers(r db.Reader, keys []string, space string) *db.Pending[Answers] {
	p := &db.Pending[Answers]{Value: Answers{map[string]*Answer{}}}
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = kept(key)
	}
	return p.Await(db.PrefetchOf(r, answers, names, func(row db.Rows) error {
		var key string
		var a Answer
		var expires int64
		err := row.Scan(&key, &a.Fingerprint, &a.Status, &a.Body, &a.Resource, &expires)
		if expires > r.Micros() {
			p.Value.of[key] = &a
		}
		return err
	}, space)...)
}

var answers = &db.Keyed{Build: func(n int) string {
	return `SELECT key, fingerprint, status, answer, resource_id, expires_at FROM idempotency_keys
		WHERE tenant_id = $1 AND space = $2 AND key IN ` + db.In(n, 3)
}}

// Save stores an answer, and replaces one past its retention. If another request saved under the key meanwhile, the
// operation runs again and finds it. The row is written after the account's clock, so that two requests with one key
// never wait for each other's row while one of them holds the clock.
func Save(w db.Writer, key, space string, a Answer) { SaveAll(w, []Keyed{{Ref{key, space}, a}}) }

// Keyed is an answer with its key.
type Keyed struct {
	Ref
	Answer
}

// SaveAll is Save for answers with different keys.
func SaveAll(w db.Writer, list []Keyed) {
	for piece := range db.Pieces(list) {
		args := append(make([]any, 0, 1+9*len(piece)), w.TenantID())
		for _, a := range piece {
			args = append(args, kept(a.Key), a.Space, a.Fingerprint, a.Status, a.Body, db.Checksum(a.Body), a.Resource, w.Micros(),
				w.Now().Add(Retention).UnixMicro())
		}
		w.Change(saveText.For(len(piece), saveAnswers), args...).Rows(int64(len(piece)), nil)
	}
}

var saveText db.Text

func saveAnswers(n int) string {
	return `INSERT INTO idempotency_keys (tenant_id, key, space, fingerprint, status, answer, checksum, resource_id, created_at,
		expires_at) VALUES ` +
		db.Repeat(n, 2, "($1,$,$,$,$,$,$,$,$,$)") + ` ON CONFLICT (tenant_id, key, space) DO UPDATE SET fingerprint = excluded.fingerprint,
			status = excluded.status, answer = excluded.answer, checksum = excluded.checksum, resource_id = excluded.resource_id,
			created_at = excluded.created_at,
			expires_at = excluded.expires_at
		WHERE idempotency_keys.expires_at <= excluded.created_at`
}

// DeleteExpired deletes answers past their retention, at most limit of them, and returns how many. It serves every
// tenant.
func DeleteExpired(tx *db.Tx, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM idempotency_keys WHERE expires_at < $1 AND (tenant_id, key, space) IN
		(SELECT tenant_id, key, space FROM idempotency_keys WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`, tx.Micros(), limit)
}
