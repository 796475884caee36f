package accounts

import (
	"strings"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/netguard"
	"entrepot/internal/db"
)

// TokenLife is how long an access token opens the account (interface §5.1).
const TokenLife = 12 * time.Hour

// LogIn generates an access token for a user; only its hash is stored. The user must still be active and have the
// password hash that was checked, otherwise there is no token. Errors: Unauthorized.
func (u *User) LogIn(tx db.Writer, from Origin) (text string) { return u.logIn(tx, "at_", from) }

// sessionPrefix begins the text of a session, which is for the dashboard only: ByToken refuses it.
const sessionPrefix = "ds_"

// OpenSession is LogIn for a browser: it generates the text of a session, for its cookie. Errors: Unauthorized.
func (u *User) OpenSession(tx db.Writer, from Origin) (text string) {
	return u.logIn(tx, sessionPrefix, from)
}

func (u *User) logIn(tx db.Writer, prefix string, from Origin) (text string) {
	text = prefix + randomSecret()
	tx.Queue("UPDATE users SET last_login_at = $3 WHERE tenant_id = $1 AND id = $2 AND status = 'active' AND password_hash = $4",
		tx.TenantID(), u.ID, tx.Micros(), u.PasswordHash).Rows(1, WrongLogin())
	u.LastLoginAt = tx.Micros()
	signInTable.Insert(tx, SignIn{ID: id.New[id.SignIn](), Address: from.Address, Agent: agent(from.Agent), Dashboard: prefix == sessionPrefix,
		CreatedAt: tx.Micros(), ExpiresAt: tx.Now().Add(TokenLife).UnixMicro(), LastUsedAt: tx.Micros(), hash: Hash(text), user: u.ID})
	rememberNetwork(tx, u.ID, netguard.Range(from.Address))
	return text
}

func isSession(text string) bool { return strings.HasPrefix(text, sessionPrefix) }

// LogOut ends an access token or a session from this commit on.
func LogOut(tx db.Writer, token string) {
	tx.Queue("DELETE FROM tokens WHERE tenant_id = $1 AND hash = $2", tx.TenantID(), Hash(token))
}

// KeysThatExpire is how many API keys of the account expire after one time and until another.
func KeysThatExpire(tx *db.Tx, after, until int64) (n int64, err error) {
	return n, tx.Row("SELECT count(*) FROM api_keys WHERE tenant_id = $1 AND revoked_at IS NULL AND expires_at > $2 AND expires_at <= $3",
		[]any{tx.Tenant, after, until}, &n)
}

// DeleteExpiredTokens deletes expired access tokens, at most limit of them, and returns how many. It serves every
// account.
func DeleteExpiredTokens(tx *db.Tx, limit int) (int64, error) {
	return tx.Exec("DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
		tx.Micros(), limit)
}
