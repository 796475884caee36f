package accounts

import (
	"strings"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Status of a user: a disabled one cannot log in, and open tokens stop at once.
type Status string

// The states of a user.
const (
	Active   Status = "active"
	Disabled Status = "disabled"
)

// Statuses lists them.
var Statuses = []Status{Active, Disabled}

// User is a person with a login. Times are microseconds since 1970 UTC, 0 for never.
type User struct {
	ID           id.User
	Email        string
	Name         string
	PasswordHash string
	Role         Role
	Status       Status
	CreatedAt    int64
	LastLoginAt  int64
	Limit        []string // no more than these scopes of the role; empty: all of them
}

// FoldEmail is the form in which e-mail addresses are compared.
func FoldEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// BadEmail says what is wrong with a login's e-mail address, "" for nothing.
func BadEmail(email string) string {
	local, domain, ok := strings.Cut(email, "@")
	if !ok || local == "" || domain == "" || len(email) > 254 || strings.ContainsAny(domain, "@") || strings.ContainsAny(email, " \t\r\n<>,;") {
		return "must be an e-mail address"
	}
	return ""
}

// emailTaken is the 409 for an address that has a login already, in whichever account.
func emailTaken() error {
	return apperr.New(apperr.Conflict, "conflict", "this e-mail address already has a login, use another one")
}

const userColumns = "id, email, name, password_hash, role, status, created_at, last_login_at, scopes"

func scanUser(r db.Rows) (User, error) { return scanUserAfter(r) }

// scanUserAfter reads a user from columns that stand behind others.
func scanUserAfter(r db.Rows, others ...any) (u User, err error) {
	var limit string
	err = r.Scan(append(others, &u.ID, &u.Email, &u.Name, &u.PasswordHash, &u.Role, &u.Status, &u.CreatedAt, db.Opt(&u.LastLoginAt), &limit)...)
	u.Limit = strings.Fields(limit)
	return u, err
}

// Insert adds a user. Errors: Conflict when the e-mail address has a login.
func (u *User) Insert(tx *db.Tx) {
	u.CreatedAt = tx.Micros()
	tx.Queue(`INSERT INTO users (tenant_id, id, email, email_key, name, password_hash, role, status, created_at, last_login_at, scopes)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,NULL,$10)`, tx.Tenant, u.ID, u.Email, FoldEmail(u.Email), u.Name, u.PasswordHash, u.Role, u.Status,
		u.CreatedAt, strings.Join(u.Limit, " ")).
		Unique(emailTaken())
}

// Save writes what may change of a user. Errors: Conflict when the e-mail address has a login.
func (u *User) Save(tx *db.Tx) {
	tx.Queue(`UPDATE users SET email = $3, email_key = $4, name = $5, password_hash = $6, role = $7, status = $8, scopes = $9
		WHERE tenant_id = $1 AND id = $2`, tx.Tenant, u.ID, u.Email, FoldEmail(u.Email), u.Name, u.PasswordHash, u.Role, u.Status, strings.Join(u.Limit, " ")).
		Unique(emailTaken())
}

// Delete removes a user with its tokens; histories keep its id.
func (u *User) Delete(tx *db.Tx) {
	u.LogOut(tx)
	tx.Queue("DELETE FROM users WHERE tenant_id = $1 AND id = $2", tx.Tenant, u.ID)
}

// LogOut ends every login of a user.
func (u *User) LogOut(tx *db.Tx) {
	tx.Queue("DELETE FROM tokens WHERE tenant_id = $1 AND user_id = $2", tx.Tenant, u.ID)
}

// UserByID reads one user. Errors: NotFound.
func UserByID(tx *db.Tx, user id.User) (User, error) {
	return oneOf(tx, "user", scanUser, "SELECT "+userColumns+" FROM users WHERE tenant_id = $1 AND id = $2", tx.Tenant, user)
}

// LockUser reads one user and holds it and the account's active owners until the commit: whoever changes a user may have to count the
// owners, and all lock them in the order of their ids. Errors: NotFound.
func LockUser(tx *db.Tx, user id.User) (User, error) {
	if err := tx.Each(func(db.Rows) error { return nil },
		"SELECT id FROM users WHERE tenant_id = $1 AND (id = $2 OR role = 'owner' AND status = 'active') ORDER BY id FOR UPDATE", tx.Tenant, user); err != nil {
		return User{}, err
	}
	return UserByID(tx, user)
}

// Users lists a page of users, oldest first, and how many there are.
func Users(tx *db.Tx, limit, offset int) (list []User, total int64, err error) {
	if err := tx.Row("SELECT count(*) FROM users WHERE tenant_id = $1", []any{tx.Tenant}, &total); err != nil {
		return nil, 0, err
	}
	list, err = db.List(tx, scanUser, "SELECT "+userColumns+" FROM users WHERE tenant_id = $1 ORDER BY created_at, id LIMIT $2 OFFSET $3",
		tx.Tenant, limit, offset)
	return list, total, err
}

// MustKeepOwner is the 409 when no active owner but this user is left. It locks the account's owners, so that two
// owners who remove each other at the same moment cannot both succeed.
func MustKeepOwner(tx *db.Tx, leaving id.User) error {
	owners, err := db.List(tx, func(r db.Rows) (owner id.User, err error) { return owner, r.Scan(&owner) },
		"SELECT id FROM users WHERE tenant_id = $1 AND role = 'owner' AND status = 'active' ORDER BY id FOR UPDATE", tx.Tenant)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		if owner != leaving {
			return nil
		}
	}
	return apperr.New(apperr.Conflict, "conflict", "this is the account's last owner: make another user owner first")
}
