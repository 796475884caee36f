package drafts

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/limits"
)

// Login is an e-mail address and a password.
type Login struct{ Email, Password string }

// ReadLogin reads a login (interface §4.5.6).
func ReadLogin(o *apijson.Object) Login {
	o.Record("Login")
	return Login{
		Email:    o.Text("email", apijson.Text{Required: true, Max: limits.MaxEmail, Format: "email"}).Value,
		Password: o.Text("password", apijson.Text{Required: true, Max: accounts.MaxPassword, Keep: true}).Value,
	}
}

// ReadUser reads a new user; the password is returned separately because it is hashed before the transaction.
func ReadUser(o *apijson.Object) (draft commerce.UserDraft, password string) {
	o.Record("CreateUser")
	draft.Email = o.Text("email", apijson.Text{Required: true, Max: limits.MaxEmail, Format: "email"}).Value
	draft.Name = o.Text("name", apijson.Text{Required: true, Max: limits.MaxName}).Value
	draft.Role = apijson.Enum(o, "role", true, accounts.Roles...).Value
	password = o.Text("password", apijson.Text{Required: true, Max: accounts.MaxPassword, Keep: true}).Value
	o.Describe("password", longEnough)
	checkEmail(o, draft.Email)
	checkNewPassword(o, password, draft.Email, draft.Name)
	return draft, password
}

// ReadUserChange reads a change of a user; the new and current passwords are returned separately because they are
// hashed before the transaction.
func ReadUserChange(o *apijson.Object) (change commerce.UserChange, password, current string) {
	o.Record("UpdateUser")
	text := func(name string, rule apijson.Text) string { return neededText(o, name, ToUpdate, rule).Value }
	change.Email = text("email", apijson.Text{Max: limits.MaxEmail, Format: "email"})
	change.Name = text("name", apijson.Text{Max: limits.MaxName})
	change.Role = notNull(o, "role", apijson.Enum(o, "role", false, accounts.Roles...))
	change.TimeZone, change.Locale = readZone(o, false), readLocale(o)
	change.Language = readLanguage(o)
	change.Status = notNull(o, "status", apijson.Enum(o, "status", false, accounts.Statuses...))
	password = text("password", apijson.Text{Max: accounts.MaxPassword, Keep: true})
	o.Describe("password", longEnough)
	current = o.Text("currentPassword", apijson.Text{Max: accounts.MaxPassword, Keep: true}).Value
	checkEmail(o, change.Email)
	checkNewPassword(o, password, change.Email, change.Name)
	return change, password, current
}

// longEnough describes a new password.
func longEnough(s *apijson.Schema) { s.MinLength = accounts.MinPassword }

func checkEmail(o *apijson.Object, email string) {
	if problem := limits.BadLogin(email); email != "" && problem != "" {
		o.AddError("email", "%s", problem)
	}
}

func checkNewPassword(o *apijson.Object, password string, others ...string) {
	if problem := accounts.BadPassword(password, others...); password != "" && problem != "" {
		o.AddError("password", "%s", problem)
	}
}

// Setup is the first account with its owner.
type Setup struct{ Account, Currency, Name, Email, Password string }

// ReadSetup reads the form of the set-up page.
func ReadSetup(o *apijson.Object) Setup {
	s := Setup{
		Account:  o.Text("account", apijson.Text{Required: true, Max: limits.MaxName}).Value,
		Currency: readCurrency(o).Value,
		Name:     o.Text("name", apijson.Text{Required: true, Max: limits.MaxName}).Value,
		Email:    o.Text("email", apijson.Text{Required: true, Max: limits.MaxEmail, Format: "email"}).Value,
		Password: o.Text("password", apijson.Text{Required: true, Max: accounts.MaxPassword, Keep: true}).Value,
	}
	if s.Currency == "" && !o.HasError("currency") {
		o.AddError("currency", "is required")
	}
	checkEmail(o, s.Email)
	checkNewPassword(o, s.Password, s.Email, s.Name)
	return s
}
