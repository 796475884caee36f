// Package accounts holds who may do what: merchant accounts (tenants), plans, users, access tokens and API keys
// (interface §5).
package accounts

import (
	"entrepot/internal/apperr"
	"entrepot/internal/id"
)

// Role is what a user may do: see roleScopes.
type Role string

// The roles.
const (
	Owner  Role = "owner"
	Admin  Role = "admin"
	Viewer Role = "viewer"
)

// Roles lists them.
var Roles = []Role{Owner, Admin, Viewer}

// Resources that scopes speak of: read:x and write:x for each.
var Resources = []string{"products", "categories", "inventory", "orders", "customers", "channels", "analytics", "webhooks", "attributes",
	"users"}

// ChannelScopes are what the key of a custom channel may do (interface §5.1).
var ChannelScopes = scopesOf("products", "categories", "inventory", "orders", "customers")

// AllScopes are every scope there is.
var AllScopes = scopesOf(Resources...)

func scopesOf(resources ...string) []string {
	var list []string
	for _, r := range resources {
		list = append(list, "read:"+r, "write:"+r)
	}
	return list
}

// Caller is who makes a request, read from the store at every request so that a revoked key is refused at once.
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
	Scopes   []string   // of an API key; of a user the limit of what its role gives, none when empty
	Channel  id.Channel // the custom channel an API key was made with
	MadeBy   id.User    // the user behind an API key, "" for none
	Email    string     // of the user
	SignIn   id.SignIn  // the login that an access token or a session is of, "" for none

	signInUsed int64 // when the login was last noted as used
}

// Actor names the caller in histories and logs: "key:<id>" or "user:<id>".
func (c Caller) Actor() string {
	switch {
	case c.Key != "":
		return "key:" + string(c.Key)
	case c.User != "":
		return "user:" + string(c.User)
	}
	return "system"
}

// Needs is the 403 for a caller without the scope, or nil.
func (c Caller) Needs(scope string) error {
	if scope == "" || c.May(scope) {
		return nil
	}
	return apperr.New(apperr.Forbidden, "missing_scope", "this needs the scope %s", scope).With("requiredScope", scope)
}
