package accounts

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Origin is the source of a login: the client's address, and the name of the program (User-Agent). Both may be "".
type Origin struct{ Address, Agent string }

// SignIn is an open login of a user: an access token, or a session of the dashboard. Times are microseconds since
// 1970 UTC.
type SignIn struct {
	ID         id.SignIn
	Address    string
	Agent      string
	Dashboard  bool // a session, not an access token
	CreatedAt  int64
	ExpiresAt  int64
	LastUsedAt int64 // to about a minute, 0 for never

	hash string // of the text of the token or session; never read
	user id.User
}

// useStep is the precision of the time of last use: it is written at most once in that time.
const useStep = time.Minute

// mostSignIns limits the listed logins of a user.
const mostSignIns = 200

// SignIns lists the open logins of a user, newest first.
func SignIns(tx *db.Tx, user id.User) ([]SignIn, error) {
	return signInTable.All(tx, "AND user_id = $2::UUID AND id IS NOT NULL AND expires_at > $3 ORDER BY created_at DESC, id DESC LIMIT $4",
		user, tx.Micros(), mostSignIns)
}

// EndSignIn ends one login of a user from this commit on. Errors: NotFound.
func EndSignIn(tx db.Writer, user id.User, signIn id.SignIn) {
	tx.Queue("DELETE FROM tokens WHERE tenant_id = $1 AND user_id = $2::UUID AND id = $3::UUID", tx.TenantID(), user, signIn).
		Rows(1, signInTable.Missing())
}

// Stale reports whether the use of the caller's login should be recorded again.
func (c Caller) Stale(now time.Time) bool {
	return c.SignIn != "" && now.UnixMicro()-c.signInUsed >= useStep.Microseconds()
}

// UsedSignIn records that a login is in use.
func UsedSignIn(tx db.Writer, signIn id.SignIn, at time.Time) {
	tx.Queue("UPDATE tokens SET last_used_at = $3 WHERE tenant_id = $1 AND id = $2::UUID", tx.TenantID(), signIn, at.UnixMicro())
}

// mostAgent bounds the name of a program, in bytes.
const mostAgent = 200

// agent is a program's name in its stored form: one line of valid text.
func agent(name string) string {
	name = strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) && c != utf8.RuneError {
			return c
		}
		return -1
	}, name)
	for len(name) > mostAgent {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return name
}
