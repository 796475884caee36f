package commerce_test

import (
	"strings"
	"testing"
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// A month before its authorisation ends a channel is expiring and says what is to be done; it works meanwhile, and is active again with new
// credentials. Changes of other things leave it so.
func TestAnAuthorisationThatEnds(t *testing.T) {
	const day = 24 * time.Hour
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.platform.fields = []connector.Field{{Name: "refreshToken", Form: connector.Secret, Lasts: 365 * day, Renew: "authorise it again"},
			{Name: "id"}}
		s.withKey()
		enter := func(c connector.Credentials) {
			t.Helper()
			s.must(s.write(t, func(tx *db.Tx) error {
				_, err := s.do.UpdateChannel(tx, s.who, s.channel.ID, commerce.Expected{}, commerce.ChannelDraft{Credentials: c})
				return err
			}))
		}
		is := func(status channels.Status, problem string) {
			t.Helper()
			*s.clock = s.clock.Add(10 * time.Minute) // the next pull says so
			s.work()
			state, _ := s.stateOf("SKU-0")
			c := s.now()
			if c.Status != status || !strings.Contains(state.LastError, problem) || (problem == "") != (state.LastError == "") {
				t.Errorf("after %v it is %s and says %q", s.clock.Sub(syncedAt), c.Status, state.LastError)
			}
		}
		s.publish()
		enter(connector.Credentials{"refreshToken": "one", "id": "a"})
		entered := *s.clock
		is(channels.Active, "")
		*s.clock = entered.Add(334 * day)
		is(channels.Active, "")
		*s.clock = entered.Add(336 * day)
		is(channels.Expiring, "the access ends on 2027-03-04: authorise it again")
		s.place("A")
		*s.clock = s.clock.Add(day)
		if is(channels.Expiring, "authorise it again"); s.count(ordersHere) != 1 {
			t.Errorf("%d orders", s.count(ordersHere))
		}
		enter(connector.Credentials{"id": "b"})
		is(channels.Expiring, "authorise it again")
		enter(connector.Credentials{"refreshToken": "two"})
		is(channels.Active, "")
		*s.clock = s.clock.Add(day)
		is(channels.Active, "")
	})
}

// now is the channel as it is.
func (s *synced) now() (c channels.Channel) {
	s.t.Helper()
	s.must(s.store.Read(s.t.Context(), s.who.Tenant, func(tx *db.Tx) (err error) {
		c, err = channels.ByID(tx, s.channel.ID)
		return err
	}))
	return c
}
