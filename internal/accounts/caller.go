// Package accounts holds accounts (tenants), plans, users, access tokens and API keys, and decides who may do what
// (interface §5).
//
//	Account  a merchant with settings and a plan, which bounds its requests
//	User     a person with a role and a login; SignIn is one open login
//	Key      an API key with scopes; only its hash is stored
//	Caller   the key or user behind a request, with its rights (rights.go)
//	Callers  finds the callers of API keys, and remembers them until the next commit
//	Hashing  of passwords (password.go); weak.go refuses those that are easily guessed
package accounts

import (
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Role determines what a user may do: see roleScopes.
type Role string

// The roles.
const (
	Owner  Role = "owner"
	Admin  Role = "admin"
	Viewer Role = "viewer"
)

// Roles lists them.
var Roles = []Role{Owner, Admin, Viewer}

// Resources are the nouns of scopes: read:x and write:x for each.
var Resources = []string{"products", "categories", "inventory", "orders", "customers", "channels", "analytics", "webhooks", "attributes",
	"users"}

// ChannelScopes are the scopes of a custom channel's key (interface §5.1).
var ChannelScopes = scopesOf("products", "categories", "inventory", "orders", "customers")

// AllScopes are all scopes.
var AllScopes = scopesOf(Resources...)

func scopesOf(resources ...string) []string {
	var list []string
	for _, r := range resources {
		list = append(list, "read:"+r, "write:"+r)
	}
	return list
}

// Caller is the credential of a request and its account, as the store has them at every request, so that a revoked
// key is refused at once.
type Caller struct {
	Tenant   id.Tenant
	Account  id.Account
	Plan     Plan
	Currency string
	Sandbox  bool
	Settings Settings
	Key      id.Key  // of an API key
	User     id.User // of an access token
	Role     Role
	Scopes   []string   // of an API key; for a user the limit within its role's scopes, empty for no limit
	Channel  id.Channel // the custom channel of an API key
	MadeBy   id.User    // the user who made an API key, "" for none
	Email    string     // of the user
	Name     string     // of the key, or of the user: the e-mail address of one without a name
	SignIn   id.SignIn  // the login of an access token or a session, "" for none
	Token    bool       // the login has an access token of the API, and is no session of the dashboard

	signInUsed int64 // when the use of the login was last recorded
}

// Actor identifies the caller in histories and logs: "key:<id>" or "user:<id>".
func (c Caller) Actor() string {
	switch {
	case c.Key != "":
		return "key:" + string(c.Key)
	case c.User != "":
		return "user:" + string(c.User)
	}
	return "system"
}

// Author is the caller as the author of changes, by a request from a client's address.
func (c Caller) Author(request, address string) db.Author {
	return db.Author{Actor: c.Actor(), Name: c.Name, Request: request, Address: address}
}

// Needs is the 403 for a caller without the scope, or nil.
func (c Caller) Needs(scope string) error {
	if scope == "" || c.May(scope) {
		return nil
	}
	return apperr.New(apperr.Forbidden, "missing_scope", "this needs the scope %s", scope).With("requiredScope", scope)
}
