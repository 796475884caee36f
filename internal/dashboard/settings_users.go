package dashboard

import (
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
)

// userRoutes are the people of an account.
var userRoutes = []*route{
	{method: "GET", path: "/settings/users", scope: "read:users", serve: (*Dashboard).showUsers},
	{method: "GET", path: "/settings/users/new", scope: "write:users", serve: (*Dashboard).showNewUser},
	{method: "POST", path: "/settings/users/new", scope: "write:users", serve: (*Dashboard).createUser},
	{method: "GET", path: "/settings/users/{id}", scope: "read:users", serve: (*Dashboard).showUser},
	{method: "POST", path: "/settings/users/{id}", scope: "write:users", serve: on((*request).user, (*Dashboard).updateUser)},
	{method: "POST", path: "/settings/users/{id}/password", scope: "write:users", serve: on((*request).user, (*Dashboard).setPassword)},
	{method: "POST", path: "/settings/users/{id}/delete", scope: "write:users", serve: (*Dashboard).deleteUser},
}

type userRow struct {
	ID, Name, Email, Role, To string
	Status                    badge
	Last, Made                stamp
	Self                      bool
}

func (r *request) userRow(u accounts.User) userRow {
	row := userRow{ID: string(u.ID), Name: u.Name, Email: u.Email, Role: string(u.Role), To: prefix + "/settings/users/" + string(u.ID),
		Status: newBadge("good", "ok", "Active"), Last: r.format.Stamp(u.LastLoginAt), Made: r.format.Stamp(u.CreatedAt),
		Self: u.ID == r.session.User.ID}
	if u.Status == accounts.Disabled {
		row.Status = newBadge("", "cancelled", "Disabled")
	}
	return row
}

// showUsers serves GET /settings/users.
func (d *Dashboard) showUsers(r *request) (answer, error) {
	l := r.listing("/settings/users", "user", "users")
	l.Tabs, l.Shape = r.settingsTabs(l.path), "few"
	l.Heads = []head{{Label: "Name"}, {Label: "E-mail"}, {Label: "Role"}, {Label: "Status"}, {Label: "Last login"}}
	view := listView[userRow]{listing: l}
	err := r.read(func(tx *db.Tx) error {
		list, total, err := accounts.Users(tx, l.size, l.offset())
		for _, u := range list {
			view.Rows = append(view.Rows, r.userRow(u))
		}
		l.rows(len(list), total)
		return err
	})
	return l.show(screen{Template: "users", Title: "Users", Section: "/settings/account", Data: view}), err
}

// roleOptions are the roles that the caller may give.
func roleOptions(r *request) []option {
	list := []option{{Value: string(accounts.Viewer), Label: "Viewer: looks, changes nothing"},
		{Value: string(accounts.Admin), Label: "Admin: does everything but touch owners"}}
	if r.caller().Role == accounts.Owner {
		list = append(list, option{Value: string(accounts.Owner), Label: "Owner: does everything"})
	}
	return list
}

func newUserForm(r *request) *form {
	return r.form("/settings/users/new",
		field{Name: "name", Label: "Name", Required: true, Max: limits.MaxName, Complete: "off", Focus: true},
		field{Name: "email", Label: "E-mail", Kind: "email", Required: true, Max: limits.MaxEmail, Complete: "off", Unique: true},
		field{Name: "role", Label: "Role", Kind: "select", Options: roleOptions(r), Value: string(accounts.Viewer)},
		field{Name: "password", Label: "First password", Kind: "password", Required: true, Complete: "new-password",
			Hint: "8 characters or more. The user changes it under My login."})
}

type newUserView struct{ Form *form }

// showNewUser serves GET /settings/users/new.
func (d *Dashboard) showNewUser(r *request) (answer, error) {
	return show(screen{Template: "user_new", Title: "New user", Section: "/settings/account",
		Crumbs: []crumb{{"Users", "/settings/users"}, {"New", ""}},
		Data:   newUserView{newUserForm(r)}}), nil
}

// createUser serves POST /settings/users/new.
func (d *Dashboard) createUser(r *request) (answer, error) {
	return r.submit(newUserForm(r), d.showNewUser, func(f *form) (answer, error) {
		o := f.Object()
		draft, password := drafts.ReadUser(o)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		var err error
		if draft.PasswordHash, err = d.Commerce.Hashing.Hash(r.http.Context(), password); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.CreateUser(tx, r.caller(), draft)
			return redirect("/settings/users", "Added the user, who can log in now"), err
		})
	})
}

type userView struct {
	User     userRow
	Form     *form
	Password *form
	Delete   ask
	May      bool // change this user
	Logins   []signInRow
}

// newPasswordForm is the form by which a user who forgot the password gets a new one.
func newPasswordForm(r *request, u accounts.User) *form {
	return r.form("/settings/users/"+string(u.ID)+"/password", field{Name: "password", Label: "New password", Kind: "password", Required: true,
		Complete: "new-password", Hint: "8 characters or more. The user changes it under My login."})
}

func userForm(r *request, u accounts.User) *form {
	roles := roleOptions(r)
	if u.Role == accounts.Owner && r.caller().Role != accounts.Owner {
		roles = []option{{Value: string(accounts.Owner), Label: "Owner: does everything"}}
	}
	return r.editing("/settings/users/"+string(u.ID),
		field{Name: "name", Label: "Name", Required: true, Max: limits.MaxName, Value: u.Name, Complete: "off"},
		field{Name: "role", Label: "Role", Kind: "select", Options: roles, Value: string(u.Role)},
		field{Name: "status", Label: "Status", Kind: "select", Value: string(u.Status), Options: []option{
			{Value: string(accounts.Active), Label: "Active"}, {Value: string(accounts.Disabled), Label: "Disabled: cannot log in"}}})
}

// user reads the user of the path. Errors: NotFound.
func (r *request) user() (accounts.User, error) { return recordOf(r, "user", accounts.UserByID) }

// showUser serves GET /settings/users/{id}.
func (d *Dashboard) showUser(r *request) (answer, error) {
	u, err := r.user()
	if err != nil {
		return answer{}, err
	}
	at := "/settings/users/" + string(u.ID)
	view := userView{User: r.userRow(u), Form: userForm(r, u), Password: newPasswordForm(r, u), May: r.caller().May("write:users") &&
		(u.Role != accounts.Owner || r.caller().Role == accounts.Owner),
		Delete: newAsk("delete", "Remove this user?",
			"The user cannot log in any more, and the API keys that the user made are revoked. Type the "+
				"e-mail address to confirm.", "Remove user", r.form(at+"/delete",
				field{Name: "typed", Label: "E-mail address", Required: true, Complete: "off"}))}
	err = r.read(func(tx *db.Tx) (err error) {
		view.Logins, err = r.signIns(tx, u.ID, at+"/sign-ins")
		return err
	})
	return show(screen{Template: "user", Title: u.Name, Section: "/settings/account",
		Crumbs: []crumb{{"Users", "/settings/users"}, {u.Name, ""}},
		Data:   view}), err
}

// updateUser serves POST /settings/users/{id}.
func (d *Dashboard) updateUser(r *request, u accounts.User) (answer, error) {
	return r.submit(userForm(r, u), d.showUser, func(f *form) (answer, error) {
		o := f.Object()
		change, _, _ := drafts.ReadUserChange(o)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.UpdateUser(tx, r.caller(), u.ID, commerce.Expected{}, change)
			return redirect("/settings/users", "Saved the user"), err
		})
	})
}

// setPassword serves POST /settings/users/{id}/password: another user gets a new password, and that user's sessions
// end. One's own is changed under My login, which asks for the present one.
func (d *Dashboard) setPassword(r *request, u accounts.User) (answer, error) {
	return r.submit(newPasswordForm(r, u), d.showUser, func(f *form) (answer, error) {
		o := f.Object()
		_, password, _ := drafts.ReadUserChange(o)
		if password == "" && !o.Has("password") {
			o.AddError("password", "is required")
		}
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		if problem := accounts.BadPassword(password, u.Email, u.Name); problem != "" {
			return answer{}, apperr.At("password", "%s", problem)
		}
		hash, err := d.Commerce.Hashing.Hash(r.http.Context(), password)
		if err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.UpdateUser(tx, r.caller(), u.ID, commerce.Expected{}, commerce.UserChange{PasswordHash: hash})
			return redirect("/settings/users/"+string(u.ID), "Changed the password. The user's sessions have ended"), err
		})
	})
}

// deleteUser serves POST /settings/users/{id}/delete.
func (d *Dashboard) deleteUser(r *request) (answer, error) {
	u, err := r.user()
	if err != nil {
		return d.repeated(r, err)
	}
	f := r.form("/settings/users/"+string(u.ID)+"/delete", field{Name: "typed", Label: "E-mail address", Required: true})
	return r.submit(f, d.showUser, func(f *form) (answer, error) {
		if !strings.EqualFold(strings.TrimSpace(f.Value("typed")), u.Email) {
			return answer{}, apperr.At("typed", "must be the user's e-mail address")
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			return redirect("/settings/users", "Removed the user"), d.Commerce.DeleteUser(tx, r.caller(), u.ID, commerce.Expected{})
		})
	})
}
