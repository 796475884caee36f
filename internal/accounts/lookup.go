package accounts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// The statements of this file serve every account: they find out which one a credential, an e-mail address or a public
// id belongs to, or list them all.

// Hash is how keys and tokens are kept: SHA-256, hex.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Unauthorized is the 401 for a credential that opens nothing.
func Unauthorized(message string) error {
	return apperr.New(apperr.Unauthorized, "unauthorized", "%s", message)
}

// ByKey finds who an API key belongs to. Errors: Unauthorized for unknown, revoked and expired keys alike.
func ByKey(tx *db.Tx, key string) (Caller, error) {
	var c Caller
	var scopes, settings string
	var expires, revoked int64
	tx.Last()
	err := tx.Row(`SELECT t.tenant_id, t.id, t.plan, t.currency, t.sandbox, t.settings, k.id, k.scopes, k.channel_id, k.expires_at, k.revoked_at, k.created_by
		FROM api_keys k JOIN tenants t ON t.tenant_id = k.tenant_id WHERE k.hash = $1`, []any{Hash(key)},
		&c.Tenant, &c.Account, &c.Plan, &c.Currency, &c.Sandbox, &settings, &c.Key, &scopes, db.Opt(&c.Channel), db.Opt(&expires), db.Opt(&revoked), db.Opt(&c.MadeBy))
	switch {
	case errors.Is(err, db.ErrNoRow):
		return c, Unauthorized("the API key is not known")
	case err != nil:
		return c, err
	case revoked != 0:
		return c, Unauthorized("the API key is revoked")
	case expires != 0 && expires <= tx.Micros():
		return c, Unauthorized("the API key has expired")
	}
	c.Scopes = strings.Fields(scopes)
	return c, c.settings(settings)
}

// ByToken finds who an access token belongs to. Errors: Unauthorized.
func ByToken(tx *db.Tx, token string) (Caller, error) {
	var c Caller
	var settings, status, scopes string
	var expires int64
	tx.Last()
	err := tx.Row(`SELECT t.tenant_id, t.id, t.plan, t.currency, t.sandbox, t.settings, u.id, u.role, u.email, u.status, u.scopes, k.expires_at
		FROM tokens k JOIN tenants t ON t.tenant_id = k.tenant_id JOIN users u ON u.tenant_id = k.tenant_id AND u.id = k.user_id
		WHERE k.hash = $1`, []any{Hash(token)},
		&c.Tenant, &c.Account, &c.Plan, &c.Currency, &c.Sandbox, &settings, &c.User, &c.Role, &c.Email, &status, &scopes, &expires)
	switch {
	case errors.Is(err, db.ErrNoRow):
		return c, Unauthorized("the access token is not known, log in again")
	case err != nil:
		return c, err
	case status != "active":
		return c, Unauthorized("the user is disabled")
	case expires <= tx.Micros():
		return c, Unauthorized("the access token has expired, log in again")
	}
	c.Scopes = strings.Fields(scopes)
	return c, c.settings(settings)
}

func (c *Caller) settings(text string) (err error) {
	c.Settings, err = parseSettings(text)
	return err
}

// WrongLogin is the 401 that does not tell which half was wrong.
func WrongLogin() error { return Unauthorized("the e-mail address or the password is wrong") }

// Login finds the user of an e-mail address, in whichever account, with the account; nil when there is none.
func Login(tx *db.Tx, email string) (*User, id.Tenant, error) {
	var tenant id.Tenant
	users, err := db.List(tx, func(r db.Rows) (u User, err error) {
		return scanUserAfter(r, &tenant)
	}, "SELECT tenant_id, "+userColumns+" FROM users WHERE email_key = $1", FoldEmail(email))
	if err != nil || len(users) == 0 {
		return nil, 0, err
	}
	return &users[0], tenant, nil
}

// Any reports whether the store has an account at all.
func Any(tx *db.Tx) (bool, error) {
	var n int64
	err := tx.Row("SELECT count(*) FROM tenants", nil, &n)
	return n > 0, err
}

// Accounts lists every account, oldest first.
func Accounts(tx *db.Tx) ([]Account, error) {
	return db.List(tx, scanAccount, "SELECT "+accountColumns+" FROM tenants ORDER BY tenant_id")
}

// ByID finds an account by its public id. Errors: NotFound.
func ByID(tx *db.Tx, account id.Account) (Account, error) {
	return oneOf(tx, "account", scanAccount, "SELECT "+accountColumns+" FROM tenants WHERE id = $1", account)
}
