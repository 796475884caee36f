package dashboard

import (
	"crypto/rand"
	"net/url"
	"strings"
	"testing"

	"entrepot/internal/accounts"
)

// A browser can do without images of other hosts: pages do not name them, and the policy refuses them; another browser still has them.
func TestImagesOfOtherHosts(t *testing.T) {
	s := newSite(t, "sqlite")
	const foreign = "https://img.test.example/mug.jpg"
	p := s.product(`{"sku":"MUG","name":"Mug","price":1,"images":[{"url":"` + foreign + `"},{"url":"` + s.url + `/own.png"}]}`)
	b, other := s.as(s.owner), s.as(s.owner)
	home := "/products/" + string(p.ID)
	shows := func(b *browser, path string, want bool) {
		t.Helper()
		page := b.get(path)
		allowed := strings.Contains(page.header.Get("Content-Security-Policy"), "img-src 'self' https: data:;")
		if shown := strings.Contains(page.body, `src="`+foreign); page.status != 200 || shown != want || allowed != want {
			t.Errorf("%s: %d, shown %v, allowed %v", path, page.status, shown, allowed)
		}
	}
	shows(b, home, true)
	has(t, b.follow(b.submit(t, b.get("/settings/me"), "/settings/me/images")), "Hiding images of other hosts in this browser")
	for _, path := range []string{home, "/products"} {
		shows(b, path, false)
		shows(other, path, true)
	}
	if page := b.get(home); !strings.Contains(page.body, `src="`+s.url+`/own.png`) {
		t.Error("an image of the service's own host is not shown")
	}
	b.follow(b.submit(t, b.get("/settings/me"), "/settings/me/images", "foreign", "true"))
	shows(b, home, true)
}

// A new password ends all sessions but this browser's; a second click changes nothing and says the same.
func TestChangePassword(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b, elsewhere := s.as(s.owner), s.as(s.owner)
		page := b.get("/settings/me")
		send := func(current, next string) reply {
			return b.post("/settings/me/password", url.Values{"_key": {page.key(t, "/settings/me/password")}, "currentPassword": {current},
				"password": {next}})
		}
		for _, bad := range []struct{ current, next, words string }{
			{"", "another long passphrase", "Current password is required"},
			{"not the password", "another long passphrase", "Current password is not your password"},
			{password, "short", "New password must have 8 to 200 characters"},
			{password, "owner@test.example", "New password"},
			{password, "", "New password is required"},
		} {
			out := send(bad.current, bad.next)
			if out.status != 422 || !strings.Contains(out.words(), bad.words) || !strings.Contains(out.body, `aria-invalid="true"`) {
				t.Errorf("%q, %q: %d %s", bad.current, bad.next, out.status, out.words())
			}
		}
		if out := elsewhere.get("/settings/me"); out.status != 200 {
			t.Fatalf("a refused change has ended a session: %d", out.status)
		}
		out := send(password, "another long passphrase")
		if done := b.follow(out); done.status != 200 || !strings.Contains(done.words(), "Changed your password") {
			t.Fatalf("%d %s", done.status, done.words())
		}
		if again := b.get("/settings/me"); strings.Contains(again.words(), "Changed your password") {
			t.Error("it is said twice")
		}
		if out := elsewhere.get("/settings/me"); out.status != 303 {
			t.Errorf("the session elsewhere: %d", out.status)
		}
		if out := s.browser().post("/login", login("owner@test.example", "another long passphrase")); out.status != 303 {
			t.Errorf("the new password: %d", out.status)
		}
		if out := b.follow(b.post("/settings/me/log-out-everywhere", nil)); !strings.Contains(out.words(), "Logged out everywhere") {
			t.Errorf("%s", out.words())
		}
		if out := b.get("/settings/me"); out.status != 303 {
			t.Errorf("after logging out everywhere: %d", out.status)
		}
	})
}

// A user who forgot the password gets a new one from an owner: sessions end, a weak one is refused, and nobody sets one's own so.
func TestForgottenPassword(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		vera := s.newUser("vera@test.example", accounts.Viewer)
		has(t, s.browser().get("/login"), "Password forgotten?", "An owner or admin of your account")
		before, b := s.as(vera), s.as(s.owner)
		at := "/settings/users/" + string(vera.ID)
		page := b.get(at)
		has(t, page, "Forgotten password", "Set password")
		if out := b.submit(t, page, at+"/password", "password", "vera@test.example"); out.status != 422 ||
			!strings.Contains(out.body, `aria-invalid="true"`) {
			t.Errorf("a weak one: %d %.400s", out.status, out.words())
		}
		has(t, b.follow(b.submit(t, page, at+"/password", "password", "lantern orchard 42")), "Changed the password")
		if out := before.get("/"); out.status != 303 {
			t.Errorf("the old session: %d", out.status)
		}
		if out := s.browser().post("/login", login("vera@test.example", "lantern orchard 42")); out.status != 303 {
			t.Errorf("the new password: %d", out.status)
		}
		own := "/settings/users/" + string(s.owner.ID)
		if page := b.get(own); strings.Contains(page.words(), "Forgotten password") {
			t.Error("one's own password is set without the present one")
		}
		if out := b.post(own+"/password", url.Values{"_key": {rand.Text()}, "password": {"lantern orchard 42"}}); out.status != 403 {
			t.Errorf("one's own: %d", out.status)
		}
		if out := s.as(s.newUser("adam@test.example", accounts.Admin)).post(own+"/password",
			url.Values{"_key": {rand.Text()}, "password": {"lantern orchard 42"}}); out.status != 403 {
			t.Errorf("an admin sets an owner's: %d", out.status)
		}
	})
}
