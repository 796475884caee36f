package limits_test

import (
	"strings"
	"testing"

	"entrepot/internal/limits"
)

// An address is a bare one; only that of a login may be of a host with one name.
func TestEmails(t *testing.T) {
	for email, good := range map[string]bool{"a@b.c": true, "A.b+c@exämple.org": true, "": false, "a": false, "@b": false, "a@": false,
		"a@b@c": false, "a@b@c.d": false, "a b@c.d": false, "a@b,c@d.e": false, "<a@b.c>": false, "Ada <a@b.c>": false, `"a"@b.c`: false,
		"a@.b.c": false, "a@b.c.": false, "a@b..c": false, "a@-.": false, strings.Repeat("x", 64) + "@b.c": true,
		strings.Repeat("x", 65) + "@b.c": false, "a@" + strings.Repeat("x.", 126) + "c": false} {
		if problem := limits.BadEmail(email); (problem == "") != good {
			t.Errorf("%q: %q", email, problem)
		}
		if problem := limits.BadLogin(email); (problem == "") != good {
			t.Errorf("%q of a login: %q", email, problem)
		}
	}
	if limits.BadEmail("root@localhost") == "" || limits.BadLogin("root@localhost") != "" {
		t.Error("the domain of one name")
	}
}
