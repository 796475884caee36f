package api

import (
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
)

// A user's open logins are listed with where they are used from and when; ending one ends it at once, and no other.
func TestSignIns(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		user, _ := s.userOf(t, accounts.Viewer, "vera@test.example")
		logIn := func(agent string) string {
			r := s.do(call{method: "POST", path: "/api/v1/auth/login", noKey: true, body: member{"email": user.Email, "password": ownerPassword},
				header: map[string]string{"User-Agent": agent}})
			return text(r.json(t), "data", "accessToken")
		}
		phone, desk := logIn("phone\t<b>1</b>"), logIn(strings.Repeat("é", 150))
		path := "/api/v1/users/" + string(user.ID) + "/sign-ins"
		own := s.mustAs(t, phone, 200, "GET", path, nil)
		list := at(own, "data").([]any)
		if len(list) != 3 || number(own, "meta", "total") != "3" || text(list[1], "agent") != "phone<b>1</b>" ||
			text(list[1], "address") == "" || at(list[1], "current") != true ||
			at(list[0], "current") != false || len(text(list[0], "agent")) != 200 || at(list[0], "dashboard") != false {
			t.Fatalf("%v", own)
		}
		_, admin := s.userOf(t, accounts.Admin, "admin@test.example")
		_, other := s.userOf(t, accounts.Viewer, "other@test.example")
		s.mustAs(t, other, 403, "DELETE", path+"/"+text(list[0], "id"), nil)
		s.mustAs(t, admin, 403, "DELETE", "/api/v1/users/"+string(s.owner.ID)+"/sign-ins/"+text(list[0], "id"), nil)
		s.mustAs(t, phone, 200, "DELETE", path+"/"+text(list[0], "id"), nil)
		s.mustAs(t, desk, 401, "GET", path, nil)
		s.mustAs(t, phone, 404, "DELETE", path+"/"+text(list[0], "id"), nil)

		s.now.move(10 * time.Minute)
		s.mustAs(t, phone, 200, "GET", "/api/v1/auth/me", nil)
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		used := text(s.mustAs(t, admin, 200, "GET", path, nil), "data", 0, "lastUsedAt")
		if at, err := time.Parse(time.RFC3339, used); err != nil || s.now.Now().Sub(at).Abs() > time.Minute {
			t.Errorf("last used %s, it is %s", used, s.now.Now())
		}
		s.mustAs(t, admin, 200, "DELETE", path+"/"+text(list[1], "id"), nil)
		s.mustAs(t, phone, 401, "GET", "/api/v1/auth/me", nil)
	})
}
