package tiktokshop_test

import (
	"fmt"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/tiktokshop"
)

// A token is renewed before it ends, by what the answer with it said, and when the refresh token ends is kept for its merchant.
func TestTokensAreRenewedAheadOfTime(t *testing.T) {
	for _, relative := range []bool{false, true} {
		t.Run(fmt.Sprint("relative ", relative), func(t *testing.T) {
			s := newShop(t, nil)
			s.Relative = relative
			s.Expire()
			connectortest.Must(s.session.Test(t.Context()))(t)
			if at, of := tiktokshop.New().Profile().Ends(s.Kept); of.Name != "refreshToken" || !at.Equal(s.Clock().Add(37*24*time.Hour)) {
				t.Errorf("%s ends on %v", of.Name, at)
			}
			refused := s.Ended()
			for _, c := range []struct {
				pass    time.Duration
				renewed int
			}{{6*24*time.Hour + 22*time.Hour, 1}, {90 * time.Minute, 2}, {time.Hour, 2}, {8 * 24 * time.Hour, 3}} {
				s.Pass(c.pass)
				s.reopen()
				connectortest.Must(s.session.Test(t.Context()))(t)
				if s.Renewed() != c.renewed || s.Ended() != refused {
					t.Errorf("after %v: renewed %d times, refused %d times", c.pass, s.Renewed(), s.Ended()-refused)
				}
			}
			// While it is good still, a renewal that fails ends nothing.
			s.Pass(6*24*time.Hour + 23*time.Hour + 30*time.Minute)
			s.Kept["refreshToken"] = "another"
			s.reopen()
			connectortest.Must(s.session.Test(t.Context()))(t)
			s.Pass(time.Hour)
			if _, err := s.session.Test(t.Context()); !connector.Is(err, connector.Unauthorized) {
				t.Errorf("%v", err)
			}
		})
	}
}
