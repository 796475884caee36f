package dashboard

import (
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// signInRoutes end one login: an own one, or that of another user.
var signInRoutes = []*route{
	{method: "POST", path: "/settings/me/sign-ins", serve: (*Dashboard).endOwnSignIn},
	{method: "POST", path: "/settings/users/{id}/sign-ins", scope: "write:users", serve: on((*request).user, (*Dashboard).endSignIn)},
}

// signInRow is an open login.
type signInRow struct {
	ID, Program, Address string
	Current              bool
	Used, Made           stamp
	End                  *form
}

// signIns reads the open logins of a user; action is where one is ended.
func (r *request) signIns(tx *db.Tx, user id.User, action string) (rows []signInRow, err error) {
	list, err := accounts.SignIns(tx, user)
	for _, s := range list {
		row := signInRow{ID: string(s.ID), Program: r.program(s), Address: s.Address, Current: s.ID == r.caller().SignIn,
			Used: r.format.Stamp(s.LastUsedAt), Made: r.format.Stamp(s.CreatedAt)}
		row.End = &form{Action: prefix + action, Key: r.newKey(), Fields: []*field{{Name: "signIn", Kind: "hidden", Value: row.ID}}}
		rows = append(rows, row)
	}
	return rows, err
}

// program names the program of a login in a few words: "Firefox on Windows".
func (r *request) program(s accounts.SignIn) string {
	if !s.Dashboard {
		if s.Agent == "" {
			return "API"
		}
		return r.say("API: %s", short(s.Agent))
	}
	pick := func(names [][2]string) string {
		for _, n := range names {
			if strings.Contains(s.Agent, n[0]) {
				return n[1]
			}
		}
		return ""
	}
	browser := pick([][2]string{{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}})
	system := pick([][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS", "macOS"},
		{"Linux", "Linux"}})
	switch {
	case browser != "" && system != "":
		return r.say("%s on %s", browser, system)
	case browser+system != "":
		return browser + system
	case s.Agent != "":
		return short(s.Agent)
	}
	return "Browser"
}

// endOwnSignIn serves POST /settings/me/sign-ins.
func (d *Dashboard) endOwnSignIn(r *request) (answer, error) {
	return d.endSignInOf(r, r.session.User.ID, "/settings/me")
}

// endSignIn serves POST /settings/users/{id}/sign-ins.
func (d *Dashboard) endSignIn(r *request, u accounts.User) (answer, error) {
	return d.endSignInOf(r, u.ID, "/settings/users/"+string(u.ID))
}

func (d *Dashboard) endSignInOf(r *request, user id.User, back string) (answer, error) {
	which, ok := id.Parse[id.SignIn](r.http.PostForm.Get("signIn"))
	if !ok {
		return answer{}, apperr.Missing("sign-in")
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		return redirect(back, "Ended the login"), d.Commerce.EndSignIn(tx, r.caller(), user, which)
	})
}
