package accounts

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Status of a user: a disabled one cannot log in, and open logins end at once.
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
	TimeZone     string   // the dashboard's time zone, "" for the account's
	Locale       string   // the dashboard's format of numbers and dates, "" for the account's
	Language     string   // of the dashboard, one of regional.Languages, "" for the browser's
	Limit        []string // restricts the role's scopes to these; empty: no restriction

	tenant id.Tenant
}

// FoldEmail is the form of e-mail addresses for comparison.
func FoldEmail(email string) string {
	return norm.NFC.String(strings.ToLower(strings.TrimSpace(email)))
}

// emailTaken is the 409 for an address that has a login already, in any account.
func emailTaken() error {
	return apperr.New(apperr.Conflict, "conflict", "this e-mail address already has a login, use another one")
}

// Insert adds a user. Errors: Conflict when the e-mail address has a login.
func (u *User) Insert(tx db.Writer) {
	u.CreatedAt = tx.Micros()
	userTable.InsertOne(tx, *u).Unique(emailTaken())
}

// Save writes the changed fields of a user. Errors: Conflict when the e-mail address has a login.
func (u *User) Save(tx db.Writer) {
	userTable.Update(tx, u, "id = $2::UUID", u.ID).Unique(emailTaken())
}

// Delete deletes a user with its logins; histories keep its id.
func (u *User) Delete(tx db.Writer) {
	u.LogOut(tx)
	tx.Queue("DELETE FROM login_networks WHERE tenant_id = $1 AND user_id = $2", tx.TenantID(), u.ID)
	tx.Queue("DELETE FROM users WHERE tenant_id = $1 AND id = $2", tx.TenantID(), u.ID)
}

// LogOut ends every login of a user.
func (u *User) LogOut(tx db.Writer) {
	tx.Queue("DELETE FROM tokens WHERE tenant_id = $1 AND user_id = $2", tx.TenantID(), u.ID)
}

// UserByID reads one user. Errors: NotFound.
func UserByID(tx *db.Tx, user id.User) (User, error) {
	return userTable.One(tx, db.NoLock, "id = $2::UUID", user)
}

// LockUser reads one user and locks it and the account's active owners until the commit, because a change may require
// counting the owners; all are locked in the order of their ids. Errors: NotFound.
func LockUser(tx *db.Tx, user id.User) (User, error) {
	if err := tx.Each(func(db.Rows) error { return nil },
		"SELECT id FROM users WHERE tenant_id = $1 AND (id = $2::UUID OR role = 'owner' AND status = 'active') ORDER BY id"+string(db.ForUpdate),
		tx.Tenant, user); err != nil {
		return User{}, err
	}
	return UserByID(tx, user)
}

// Users lists a page of users, oldest first, and how many there are.
func Users(tx *db.Tx, limit, offset int) ([]User, int64, error) {
	return userTable.Page(tx, db.NewWhere(tx, ""), "created_at, id", limit, offset)
}

// MustKeepOwner is the 409 when no active owner but this user exists. It locks the account's owners, so that two
// owners who remove each other at the same moment cannot both succeed.
func MustKeepOwner(tx *db.Tx, leaving id.User) error {
	owners, err := userTable.All(tx, "AND role = 'owner' AND status = 'active' ORDER BY id"+string(db.ForUpdate))
	if err != nil {
		return err
	}
	for _, owner := range owners {
		if owner.ID != leaving {
			return nil
		}
	}
	return apperr.New(apperr.Conflict, "conflict", "this is the account's last owner: make another user owner first")
}
