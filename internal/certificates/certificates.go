// Package certificates stores what the service's own TLS needs when an ACME authority issues its certificates: the
// certificates, the key of the account with the authority, the answers to its challenges, and which node orders. Every
// node of the store uses the same rows.
//
//	Put, Read, Remove   one secret; its text is encrypted by the caller, bound to its Place
//	Claim, Release      the right of one node to order the certificate of a domain
//	Pause, EndPauses    no node orders for a while after a failure
package certificates

import (
	"crypto/x509"
	"errors"
	"time"

	"entrepot/internal/base/secretbox"
	"entrepot/internal/db"
)

// The statements of this file serve the store itself: no account has a certificate.

// Kind says what a row is.
type Kind string

// Kinds of secrets.
const (
	Account     Kind = "account"     // of a directory's address: the private key of the account there, PEM
	Certificate Kind = "certificate" // of a domain: private key and chain, PEM
	Challenge   Kind = "challenge"   // of a challenge: what answers it
)

const (
	order Kind = "order"
	pause Kind = "pause"
)

// Place binds a secret to its row.
func Place(kind Kind, name string) secretbox.Place {
	return secretbox.Place{Table: "certificates", Column: "secret", ID: string(kind) + " " + name}
}

// Name is the name of a domain's certificate. The authority's directory is part of it: a certificate of a staging
// directory does not stay in use when the setting names another one.
func Name(domain, directory string) string { return domain + " " + directory }

// Renewal is the time from which a certificate is renewed: a third of its life before its end.
func Renewal(leaf *x509.Certificate) time.Time {
	return leaf.NotAfter.Add(-leaf.NotAfter.Sub(leaf.NotBefore) / 3)
}

// Put stores an encrypted secret in the place of the one before. until is a certificate's end, or the time from which
// an answer to a challenge may be deleted; zero for none.
func Put(w db.Writer, kind Kind, name, encrypted string, until time.Time) {
	w.Queue(`INSERT INTO certificates (kind, name, secret, until_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (kind, name) DO UPDATE SET secret = excluded.secret, until_at = excluded.until_at`,
		string(kind), name, encrypted, micros(until))
}

// PutFirst is Put, unless there is such a secret already.
func PutFirst(w db.Writer, kind Kind, name, encrypted string) {
	w.Queue("INSERT INTO certificates (kind, name, secret, until_at) VALUES ($1, $2, $3, 0) ON CONFLICT (kind, name) DO NOTHING",
		string(kind), name, encrypted)
}

// Read returns an encrypted secret, "" if there is none.
func Read(tx *db.Tx, kind Kind, name string) (encrypted string, err error) {
	err = tx.Row("SELECT secret FROM certificates WHERE kind = $1 AND name = $2", []any{string(kind), name}, &encrypted)
	if errors.Is(err, db.ErrNoRow) {
		err = nil
	}
	return encrypted, err
}

// Remove deletes a secret.
func Remove(w db.Writer, kind Kind, name string) {
	w.Queue("DELETE FROM certificates WHERE kind = $1 AND name = $2", string(kind), name)
}

// Claim gives this node the right to order a domain's certificate until a time, if no other node has it and no pause
// lasts. It deletes what is worth nothing any more. A node that dies leaves its right to expire.
func Claim(tx *db.Tx, domain string, until time.Time) (claimed bool, err error) {
	now := tx.Micros()
	if _, err := tx.Exec("DELETE FROM certificates WHERE kind IN ('challenge', 'order', 'pause') AND until_at <= $1", now); err != nil {
		return false, err
	}
	n, err := tx.Exec(`INSERT INTO certificates (kind, name, secret, until_at)
		SELECT 'order', $1::TEXT, '', $2::BIGINT WHERE NOT EXISTS (SELECT 1 FROM certificates WHERE kind = 'pause' AND name = $1::TEXT)
		ON CONFLICT (kind, name) DO NOTHING`, domain, micros(until))
	return n == 1, err
}

// Release ends the right to order.
func Release(w db.Writer, domain string) { Remove(w, order, domain) }

// Pause lets no node order a domain's certificate until a time.
func Pause(w db.Writer, domain string, until time.Time) { Put(w, pause, domain, "", until) }

// EndPauses lets nodes order at once again.
func EndPauses(w db.Writer) { w.Queue("DELETE FROM certificates WHERE kind = $1", string(pause)) }

func micros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMicro()
}
