package accounts

import (
	"time"

	"entrepot/internal/db"
)

// TokenLife is how long an access token opens the account (interface §5.1).
const TokenLife = 12 * time.Hour

// LogIn makes an access token for a user; only its hash is stored. The user must still be active and have the password
// hash that was checked, else no token is made. Errors: Unauthorized.
func (u *User) LogIn(tx db.Writer) (text string) {
	text = "at_" + random(secretLength)
	tx.Queue("UPDATE users SET last_login_at = $3 WHERE tenant_id = $1 AND id = $2 AND status = 'active' AND password_hash = $4",
		tx.TenantID(), u.ID, tx.Micros(), u.PasswordHash).Rows(1, WrongLogin())
	u.LastLoginAt = tx.Micros()
	tokenTable.Insert(tx, token{Hash(text), u.ID, tx.Micros(), tx.Now().Add(TokenLife).UnixMicro()})
	return text
}

// LogOut makes an access token useless from this commit on.
func LogOut(tx db.Writer, token string) {
	tx.Queue("DELETE FROM tokens WHERE tenant_id = $1 AND hash = $2", tx.TenantID(), Hash(token))
}

// SweepTokens drops access tokens that have expired, at most limit of them, and reports how many. It serves every account.
func SweepTokens(tx *db.Tx, limit int) (int64, error) {
	return tx.Exec("DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
		tx.Micros(), limit)
}
