package accounts

import (
	"slices"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// roleScopes are the scopes of each role (interface §5.1). Two rights are not scopes: managing API keys, which owners
// and admins may, and changing owners, which only owners may.
var roleScopes = map[Role][]string{
	Owner:  AllScopes,
	Admin:  AllScopes,
	Viewer: readScopes,
}

var readScopes = slices.DeleteFunc(slices.Clone(AllScopes), func(scope string) bool { return !strings.HasPrefix(scope, "read:") })

// covers reports whether scopes include a scope; write:x includes read:x.
func covers(scopes []string, scope string) bool {
	verb, resource, _ := strings.Cut(scope, ":")
	return slices.Contains(scopes, scope) || verb == "read" && slices.Contains(scopes, "write:"+resource)
}

// system reports whether the caller is the service itself or its command line, which may do everything.
func (c Caller) system() bool { return c.Key == "" && c.User == "" }

// May reports whether the caller has a scope; write:x includes read:x. For a user, both the role and the user's limit
// must include it.
func (c Caller) May(scope string) bool {
	if c.User == "" {
		return covers(c.Scopes, scope)
	}
	return covers(roleScopes[c.Role], scope) && (len(c.Scopes) == 0 || covers(c.Scopes, scope))
}

// MayWrite reports whether the caller has any write scope at all.
func (c Caller) MayWrite() bool {
	return slices.ContainsFunc(AllScopes, func(scope string) bool { return strings.HasPrefix(scope, "write:") && c.May(scope) })
}

// NeedsAll is the 403 that names every scope of a list that the caller lacks, or nil: no credential can give more
// than it has.
func (c Caller) NeedsAll(scopes []string) error {
	if c.system() {
		return nil
	}
	missing := slices.DeleteFunc(slices.Clone(scopes), c.May)
	if len(missing) == 0 {
		return nil
	}
	return apperr.New(apperr.Forbidden, "missing_scope", "this would give away scopes that the credential lacks: %s",
		strings.Join(missing, ", ")).With("requiredScope", strings.Join(missing, " ")).With("missingScopes", missing)
}

// onlyOwners is the 403 for a caller who would create, change or delete an owner without being one.
func onlyOwners() error {
	return apperr.New(apperr.Forbidden, "missing_scope", "only an owner who is logged in makes, changes or removes an owner").
		With("requiredScope", "role:owner")
}

func (c Caller) owns() bool { return c.system() || c.User != "" && c.Role == Owner }

// MakesUser is the 403 for a caller who may not create a user of that role, or nil with the limit of the new user: nil
// for everything that the role has. A viewer created by a key may read what the key may; creating an admin needs a key
// with every scope.
func (c Caller) MakesUser(role Role) (limit []string, err error) {
	switch {
	case role == Owner && !c.owns():
		return nil, onlyOwners()
	case c.Key == "":
		return nil, nil
	case role != Viewer:
		return nil, c.NeedsAll(roleScopes[role])
	}
	limit = slices.DeleteFunc(slices.Clone(readScopes), func(scope string) bool { return !c.May(scope) })
	if len(limit) == len(readScopes) {
		limit = nil
	}
	return limit, nil
}

// loginOnly are the fields of a user that no API key changes.
var loginOnly = []string{"role", "password", "email"}

// own are the fields that users may change of themselves whatever their role.
var own = []string{"password", "timeZone", "locale", "language"}

// ChangesUser is the 403 for a caller who may not change these fields of a user to a role, or nil. Without fields it
// is about deleting the user. Users change their own password, time zone, locale and language whatever their role.
func (c Caller) ChangesUser(user User, role Role, fields ...string) error {
	if c.User != "" && c.User == user.ID && len(fields) > 0 &&
		!slices.ContainsFunc(fields, func(field string) bool { return !slices.Contains(own, field) }) {
		return nil
	}
	if !c.system() {
		if err := c.Needs("write:users"); err != nil {
			return err
		}
	}
	if (user.Role == Owner || role == Owner) && !c.owns() {
		return onlyOwners()
	}
	if c.Key != "" && slices.ContainsFunc(fields, func(field string) bool { return slices.Contains(loginOnly, field) }) {
		return apperr.New(apperr.Forbidden, "missing_scope",
			"role, password and e-mail of a user are changed with a login, an API key cannot do it").With("requiredScope", "login")
	}
	return nil
}

// Maker is the user responsible for the caller's actions: the user itself, or the one who made the key; "" for none.
func (c Caller) Maker() id.User {
	if c.User != "" {
		return c.User
	}
	return c.MadeBy
}

// Require queues that the caller's credential is still valid at the commit: not revoked or logged out since the request
// began, and its user not disabled or given another role. Errors: Unauthorized.
func (c Caller) Require(w db.Writer) {
	switch {
	case c.Key != "":
		w.Require(1, Unauthorized("the API key was revoked meanwhile"), `SELECT 1 FROM api_keys k WHERE k.tenant_id = $1 AND k.id = $2::UUID
			AND k.revoked_at IS NULL AND (k.created_by IS NULL OR EXISTS
			(SELECT 1 FROM users u WHERE u.tenant_id = k.tenant_id AND u.id = k.created_by AND u.status = 'active'))`,
			w.TenantID(), c.Key)
	case c.User != "":
		w.Require(1, Unauthorized("the user was logged out, removed or changed meanwhile, log in again"), `SELECT 1 FROM users u
			WHERE u.tenant_id = $1 AND u.id = $2::UUID AND u.status = 'active' AND u.role = $3 AND ($4::UUID IS NULL OR EXISTS
			(SELECT 1 FROM tokens t WHERE t.tenant_id = u.tenant_id AND t.user_id = u.id AND t.id = $4::UUID))`,
			w.TenantID(), c.User, c.Role, db.Null(c.SignIn))
	}
}

// Hold checks that the caller's credential is still valid, and locks it until the commit, so that nothing the caller
// creates outlives a removal or revocation at the same time. Errors: Unauthorized.
func (c Caller) Hold(tx *db.Tx) error {
	if user := c.Maker(); user != "" {
		list, err := userTable.All(tx, "AND id = $2::UUID"+string(db.ForShare), user)
		if err != nil {
			return err
		}
		if len(list) == 0 || list[0].Status != Active || c.User != "" && list[0].Role != c.Role {
			return Unauthorized("the user was removed or changed, log in again")
		}
	}
	if c.Key == "" {
		return nil
	}
	list, err := keyTable.All(tx, "AND id = $2::UUID AND "+notRevoked+string(db.ForShare), c.Key)
	if err == nil && len(list) == 0 {
		err = Unauthorized("the API key is revoked")
	}
	return err
}
