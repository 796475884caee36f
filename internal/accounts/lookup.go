package accounts

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// The statements of this file serve every account: they find the account of a credential, an e-mail address or a
// public id, or list all.

// Hash is the stored form of keys and tokens: SHA-256, hex.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Unauthorized is the 401 for an invalid credential.
func Unauthorized(message string) error {
	return apperr.New(apperr.Unauthorized, "unauthorized", "%s", message)
}

// callerOf is a caller of an account, without a credential.
func callerOf(a Account) Caller {
	return Caller{Tenant: a.Tenant, Account: a.ID, Plan: a.Plan, Currency: a.Currency, Sandbox: a.Sandbox, Settings: a.Settings}
}

// ByKey finds the caller of an API key. Errors: Unauthorized for unknown, revoked and expired keys alike, and for
// those of a disabled user; but for unknown ones the caller still names account and key, and has no scopes.
func ByKey(tx *db.Tx, key string) (Caller, error) {
	found, err := keysByHash(tx, []string{Hash(key)})
	if err != nil {
		return Caller{}, err
	}
	return found[Hash(key)].caller(tx.Micros())
}

// foundKey is an API key with its account and the state of the user who made it.
type foundKey struct {
	account Account
	key     Key
	maker   Status
}

// keysByHash finds API keys by their hashes; unknown ones are left out.
func keysByHash(tx *db.Tx, hashes []string) (map[string]foundKey, error) {
	found := make(map[string]foundKey, len(hashes))
	tx.Last()
	return found, tx.Each(func(row db.Rows) error {
		var hash string
		var k foundKey
		err := row.Scan(append(append([]any{&hash, &k.maker}, accountTable.Places(&k.account)...), keyTable.Places(&k.key)...)...)
		found[hash] = k
		return err
	}, hashesText.For(len(db.Padded(hashes)), func(n int) string {
		return "SELECT k.hash, coalesce(u.status, 'active'), " + accountTable.Columns("t") + ", " + keyTable.Columns("k") +
			" FROM api_keys k JOIN tenants t ON t.tenant_id = k.tenant_id LEFT JOIN users u ON u.tenant_id = k.tenant_id AND u.id = k.created_by" +
			" WHERE k.hash IN " + db.In(n, 1)
	}), db.Padded(hashes)...)
}

var hashesText db.Text

// caller is the caller of a key at a time, see ByKey.
func (f foundKey) caller(now int64) (Caller, error) {
	k := f.key
	switch {
	case k.ID == "":
		return Caller{}, Unauthorized("the API key is not known")
	case k.revokedAt != 0:
		return Caller{Tenant: f.account.Tenant, Key: k.ID}, Unauthorized("the API key is revoked")
	case over(k.ExpiresAt, now):
		return Caller{Tenant: f.account.Tenant, Key: k.ID}, Unauthorized("the API key has expired")
	case f.maker != Active:
		return Caller{Tenant: f.account.Tenant, Key: k.ID}, Unauthorized("the user who made the API key is disabled")
	}
	c := callerOf(f.account)
	c.Key, c.Name, c.Scopes, c.Channel, c.MadeBy = k.ID, k.Name, k.Scopes, k.Channel, k.CreatedBy
	return c, nil
}

// over is whether a key that expires at a time, 0 for never, has expired.
func over(expires, now int64) bool { return expires != 0 && expires <= now }

var byToken = "SELECT k.expires_at, k.id, k.last_used_at, " + accountTable.Columns("t") + ", " + userTable.Columns("u") +
	" FROM tokens k JOIN tenants t ON t.tenant_id = k.tenant_id JOIN users u ON u.tenant_id = k.tenant_id AND u.id = k.user_id" +
	" WHERE k.hash = $1"

// ByToken finds the caller of an access token. Errors: Unauthorized.
func ByToken(tx *db.Tx, token string) (Caller, error) {
	if isSession(token) {
		return Caller{}, Unauthorized("this is a session of the dashboard, the API takes an access token")
	}
	s, err := byLogin(tx, token)
	s.Caller.Token = err == nil
	return s.Caller, err
}

// Session is a login to the dashboard: a user and the account.
type Session struct {
	Caller  Caller
	User    User
	Account Account
}

// BySession finds the session of a cookie's text. Errors: Unauthorized.
func BySession(tx *db.Tx, text string) (Session, error) {
	if !isSession(text) {
		return Session{}, Unauthorized("this is no session of the dashboard")
	}
	return byLogin(tx, text)
}

func byLogin(tx *db.Tx, text string) (s Session, err error) {
	var expires, used int64
	var signIn id.SignIn
	tx.Last()
	err = tx.Row(byToken, []any{Hash(text)},
		append(append([]any{&expires, db.Opt(&signIn), db.Opt(&used)}, accountTable.Places(&s.Account)...), userTable.Places(&s.User)...)...)
	switch {
	case errors.Is(err, db.ErrNoRow):
		return Session{}, Unauthorized("the access token is not known, log in again")
	case err != nil:
		return Session{}, err
	case s.User.Status != Active:
		return Session{}, Unauthorized("the user is disabled")
	case expires <= tx.Micros():
		return Session{}, Unauthorized("the access token has expired, log in again")
	}
	s.Caller = callerOf(s.Account)
	s.Caller.User, s.Caller.Role, s.Caller.Email, s.Caller.Scopes = s.User.ID, s.User.Role, s.User.Email, s.User.Limit
	s.Caller.Name = cmp.Or(s.User.Name, s.User.Email)
	s.Caller.SignIn, s.Caller.signInUsed = signIn, used
	return s, nil
}

// WrongLogin is the 401 for a login; it does not say whether the address or the password is wrong.
func WrongLogin() error { return Unauthorized("the e-mail address or the password is wrong") }

// Login finds the user of an e-mail address, in any account, with the account; nil if there is none.
func Login(tx *db.Tx, email string) (*User, id.Tenant, error) {
	users, err := db.List(tx, userTable.Scanner(), userTable.Select("")+" WHERE email_key = $1", FoldEmail(email))
	if err != nil || len(users) == 0 {
		return nil, 0, err
	}
	return &users[0], users[0].tenant, nil
}

// Any reports whether the store has an account.
func Any(tx *db.Tx) (bool, error) {
	var n int64
	err := tx.Row("SELECT count(*) FROM tenants", nil, &n)
	return n > 0, err
}

// Accounts lists every account, oldest first.
func Accounts(tx *db.Tx) ([]Account, error) {
	return db.List(tx, accountTable.Scanner(), accountTable.Select("")+" ORDER BY tenant_id")
}
