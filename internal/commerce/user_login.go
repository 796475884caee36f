package commerce

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/netguard"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// LogIn gives a user whose password was checked an access token for twelve hours (interface §5.1). Errors:
// Unauthorized when the user was disabled, or got another password, since the check.
func (s *Service) LogIn(tx db.Writer, user *accounts.User, from accounts.Origin) (token string) {
	token = user.LogIn(tx, from)
	noteLogIn(tx, user, from.Address)
	return token
}

// OpenSession is LogIn for the dashboard: the text is for the session's cookie and is no credential of the API.
func (s *Service) OpenSession(tx db.Writer, user *accounts.User, from accounts.Origin) (text string) {
	text = user.OpenSession(tx, from)
	noteLogIn(tx, user, from.Address)
	return text
}

func noteLogIn(tx db.Writer, user *accounts.User, address string) {
	audit.Record(tx, accounts.Caller{User: user.ID}.Actor(), "user.logged_in", "user", string(user.ID), addressDetails(address))
}

// logInFailed records that a wrong password was given for a user, or any password for a disabled one, and the client's
// address.
func (s *Service) logInFailed(tx db.Writer, user *accounts.User, address string) {
	audit.Record(tx, accounts.Caller{}.Actor(), "user.login_failed", "user", string(user.ID), addressDetails(address))
}

func addressDetails(address string) map[string]string {
	if address == "" {
		return nil
	}
	return map[string]string{"address": address}
}

// RefusalTime is the least time that a refused login takes, whatever the reason: longer than checking a password and
// recording the failure, so that the time does not show which addresses have a login.
const RefusalTime = 250 * time.Millisecond

// Logins checks passwords for every edge, so that failed attempts are counted together and recorded in one way.
type Logins struct {
	DB       *db.DB
	Commerce *Service
	Limiter  limits.Limiter
	Now      func() time.Time // the clock of limits
	Log      *slog.Logger
}

// Attempt is a password in a request.
type Attempt struct {
	Email, Password string
	Address         string // of the client
	RequestID       string
}

// origin is what is known of the network that an attempt comes from: whether somebody has logged in from it lately,
// and whether its user has.
type origin struct{ known, own bool }

func readOrigin(tx *db.Tx, address string, user *accounts.User) (from origin, err error) {
	var which id.User
	if user != nil {
		which = user.ID
	}
	from.known, from.own, err = accounts.KnownNetwork(tx, netguard.Range(address), which)
	return from, err
}

// User finds the user, with the account, of an e-mail address and a password. Errors: Unauthorized, the same for a
// wrong address and a wrong password; TooMany; Unavailable when too many passwords are being checked.
func (l *Logins) User(ctx context.Context, a Attempt) (user *accounts.User, tenant id.Tenant, err error) {
	var from origin
	err = l.DB.Read(ctx, db.Across, func(tx *db.Tx) (err error) {
		if user, tenant, err = accounts.Login(tx, a.Email); err == nil {
			from, err = readOrigin(tx, a.Address, user)
		}
		return err
	})
	if err == nil {
		err = l.check(ctx, a, from, tenant, user, accounts.WrongLogin())
	}
	return user, tenant, err
}

// Prove checks the current password of a user who changes what only the user may change. The proof has the reason if
// it is wrong, because that does not matter if nothing changes; the error means that the check could not be made.
func (l *Logins) Prove(ctx context.Context, who accounts.Caller, a Attempt) (proof Proof, err error) {
	if a.Password == "" {
		proof.Err = apperr.At("currentPassword", "is required to change your own password or e-mail address")
		return proof, nil
	}
	var user accounts.User
	if err := l.DB.Read(ctx, who.Tenant, func(tx *db.Tx) (err error) {
		user, err = accounts.UserByID(tx, who.User)
		return err
	}); err != nil {
		return proof, err
	}
	proof.Hash, a.Email = user.PasswordHash, user.Email
	from := origin{known: true} // the user is logged in
	if err = l.check(ctx, a, from, who.Tenant, &user, wrongPassword()); apperr.Is(err, apperr.Forbidden) {
		proof.Err, err = err, nil
	}
	return proof, err
}

// check is nil for the password of an active user, and the given refusal for any other. Each attempt is counted before
// it is made and uncounted when it succeeds, so that many at once cannot try more passwords than one after the other.
// Errors: TooMany; Unavailable.
func (l *Logins) check(ctx context.Context, a Attempt, from origin, tenant id.Tenant, user *accounts.User, refusal error) error {
	refused := time.NewTimer(RefusalTime)
	defer refused.Stop()
	ok, err := l.try(ctx, a, from, user)
	if ok || err != nil {
		return err
	}
	attrs := []any{"id", a.RequestID, "address", a.Address}
	if user != nil {
		attrs = append(attrs, "user", string(user.ID))
		by := db.Author{Request: a.RequestID, Address: a.Address}
		// The failure is recorded even if the client hangs up.
		if err := l.DB.By(by).Write(context.WithoutCancel(ctx), tenant, func(tx *db.Tx) error {
			l.Commerce.logInFailed(tx, user, a.Address)
			return nil
		}); err != nil {
			l.Log.Warn("a failed login was not noted in the audit log", "id", a.RequestID, "error", err)
		}
	}
	l.Log.Warn("login failed", attrs...)
	select {
	case <-refused.C:
	case <-ctx.Done():
	}
	return refusal
}

// try compares a password while it holds one of the places for hashing. For an unknown or disabled user it takes as
// long as for any other.
func (l *Logins) try(ctx context.Context, a Attempt, from origin, user *accounts.User) (bool, error) {
	key := func(parts ...string) string { // nodes share these keys in the store, which must not hold client addresses
		return "login:" + accounts.Hash(strings.Join(parts, " "))[:32]
	}
	email := accounts.FoldEmail(a.Email)
	here, everywhere := key(email, netguard.Network(a.Address)), key(email)
	over := func(v limits.Verdict) error {
		if v.Allowed {
			return nil
		}
		return apperr.Later("too many failed logins", v.RetryAfter)
	}
	// before it takes a place from others
	if err := over(l.Limiter.Peek(here, l.Now(), limits.FailedLogins)); err != nil {
		return false, err
	}
	done, err := accounts.Slot(ctx, accounts.Waiter{Network: netguard.Range(a.Address), Known: from.known})
	if err != nil {
		return false, err
	}
	defer done()
	if err := over(l.Limiter.Take(here, l.Now(), limits.FailedLogins)); err != nil {
		return false, err
	}
	if !from.own { // guesses of others do not keep a user out who comes from where the last login came from
		if err := over(l.Limiter.Take(everywhere, l.Now(), limits.FailedLoginsEverywhere)); err != nil {
			l.Limiter.Return(here, l.Now(), limits.FailedLogins)
			return false, err
		}
	}
	stored := ""
	if user != nil && user.Status == accounts.Active {
		stored = user.PasswordHash
	}
	ok, err := l.Commerce.Hashing.Matches(stored, a.Password)
	if ok || err != nil {
		l.Limiter.Return(here, l.Now(), limits.FailedLogins)
		if !from.own {
			l.Limiter.Return(everywhere, l.Now(), limits.FailedLoginsEverywhere)
		}
	}
	return ok, err
}

// LogOutUser ends every session and access token of a user.
func (s *Service) LogOutUser(tx db.Writer, who accounts.Caller, user *accounts.User) {
	user.LogOut(tx)
	audit.Record(tx, who.Actor(), "user.logged_out", "user", string(user.ID), nil)
}
