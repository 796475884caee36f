package connector_test

import (
	"maps"
	"testing"
	"time"

	"entrepot/internal/connector"
)

// When credentials end is known by what the platform said of them, else by when they were entered; the first of them counts. New ones
// begin anew, and what was said of the old ones does not apply to them.
func TestEndsOfCredentials(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	p := connector.Profile{Fields: []connector.Field{{Name: "id"}, {Name: "secret", Lasts: 180 * day, Renew: "a new secret"},
		{Name: "refreshToken", Lasts: 365 * day, Renew: "a new consent"}, {Name: "accessToken"}}}
	said := connector.Until(now.Add(20 * day))
	for _, c := range []struct {
		what         string
		before, then connector.Credentials
		ends         time.Duration
		of           string
	}{
		{"new", nil, connector.Credentials{"id": "i", "secret": "s", "refreshToken": "r"}, 180 * day, "secret"},
		{"another secret", connector.Credentials{"secret": "s", "secretSince": connector.Until(now.Add(-170 * day)), "refreshToken": "r",
			"refreshTokenSince": connector.Until(now.Add(-360 * day))}, connector.Credentials{"secret": "t"}, 5 * day, "refreshToken"},
		{"neither", connector.Credentials{"secret": "s", "secretSince": connector.Until(now.Add(-170 * day))},
			connector.Credentials{"id": "j"}, 10 * day, "secret"},
		{"as the platform says", connector.Credentials{"refreshToken": "r", "refreshTokenUntil": said}, nil, 20 * day, "refreshToken"},
		{"another one than that", connector.Credentials{"refreshToken": "r", "refreshTokenUntil": said},
			connector.Credentials{"refreshToken": "q"}, 365 * day, "refreshToken"},
		{"since when, as its merchant says", connector.Credentials{"refreshToken": "r"}, connector.Credentials{"refreshToken": "q",
			"refreshTokenSince": connector.Until(now.Add(-300 * day))}, 65 * day, "refreshToken"},
		{"unknown", connector.Credentials{"refreshToken": "r", "accessToken": "a", "accessTokenUntil": said}, nil, 0, ""},
	} {
		all := connector.Credentials{}
		maps.Copy(all, c.before)
		maps.Copy(all, c.then)
		p.Entered(c.before, all, now)
		at, of := p.Ends(all)
		want := time.Time{}
		if c.ends != 0 {
			want = now.Add(c.ends)
		}
		if !at.Equal(want) || of.Name != c.of {
			t.Errorf("%s: %v of %q, want %v of %q", c.what, at, of.Name, want, c.of)
		}
	}
	c := connector.Credentials{"accessToken": "b", "accessTokenUntil": said}
	if p.Entered(connector.Credentials{"accessToken": "a", "accessTokenUntil": said}, c, now); c["accessTokenUntil"] != "" {
		t.Errorf("%v", c)
	}
}
