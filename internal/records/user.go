package records

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
)

// WriteUser writes a user (interface §2.7.10).
func WriteUser(w *apijson.Writer, name string, u accounts.User) {
	w.Record("User", name)
	apijson.ID(w, "id", u.ID)
	w.Text("email", u.Email)
	w.Text("name", u.Name)
	apijson.Word(w, "role", u.Role)
	apijson.Word(w, "status", u.Status)
	w.TextOrNull("timeZone", u.TimeZone)
	w.TextOrNull("locale", u.Locale)
	w.TextOrNull("language", u.Language)
	w.Micros("createdAt", u.CreatedAt)
	w.MicrosOrNull("lastLoginAt", u.LastLoginAt)
	w.End()
}

// SampleUser is the user that describes the answers.
var SampleUser = accounts.User{ID: "019a1c52-7c1e-7d40-9a55-000000000001", Email: "owner@example.com", Name: "Olga Owner",
	Role: accounts.Owner, Status: accounts.Active, CreatedAt: SampleTime, LastLoginAt: SampleTime}
