package commerce_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/secretbox"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// renewal is a call of Renew and what it gave.
type renewal struct {
	credentials connector.Credentials
	err         error
}

// renew calls Renew with the token that its caller found refused.
func (s *synced) renew(ctx context.Context, stale string, how func() (token string, err error)) renewal {
	c, err := s.platform.tokens.Renew(ctx, connector.TokenField, stale,
		func(context.Context, connector.Credentials) (connector.Credentials, error) {
			token, err := how()
			return connector.Credentials{connector.TokenField: token}, err
		})
	return renewal{c, err}
}

// withKey gives the service a master key and opens a session.
func (s *synced) withKey() {
	s.t.Helper()
	key, _, err := secretbox.MakeFile(s.t.TempDir())
	s.must(err)
	s.do.Key = key
	_, err = s.do.CheckChannel(s.t.Context(), s.store, s.channel, "")
	s.must(err)
}

// One at a time renews a channel's tokens. Who comes meanwhile waits and is given what that one stored; who comes with a token that was
// replaced long ago is given the present one, disturbs nobody and keeps nobody waiting.
func TestOneRenewsAndOthersWait(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.withKey()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		given := func(token string) func() (string, error) { return func() (string, error) { return token, nil } }
		never := func() (string, error) { t.Error("renewed once more"); return "again", nil }
		is := func(r renewal, token string) {
			t.Helper()
			if r.err != nil || r.credentials[connector.TokenField] != token {
				t.Fatalf("%v, %v, not the token %q", r.credentials, r.err, token)
			}
		}

		is(s.renew(ctx, "", given("one")), "one")
		is(s.renew(ctx, "", never), "one") // had none yet: it is given the present token, and lets the next one renew it
		is(s.renew(ctx, "one", given("two")), "two")

		refused := errors.New("refused")
		if r := s.renew(ctx, "two", func() (string, error) { return "", refused }); !errors.Is(r.err, refused) {
			t.Errorf("a refused renewal: %v", r.err)
		}

		begun, end := make(chan struct{}), make(chan struct{})
		holder, waiter := make(chan renewal, 1), make(chan renewal, 1)
		go func() {
			holder <- s.renew(ctx, "two", func() (string, error) { close(begun); <-end; return "three", nil })
		}()
		<-begun
		is(s.renew(ctx, "one", never), "two")
		go func() { waiter <- s.renew(ctx, "two", never) }()
		for before := s.looks.Load(); s.looks.Load() < before+8 && ctx.Err() == nil && len(waiter) == 0; { // it has looked more than once
			time.Sleep(time.Millisecond)
		}
		close(end)
		is(<-holder, "three")
		is(<-waiter, "three")
		is(s.renew(ctx, "three", given("four")), "four")
	})
}

// A service that has stopped requests no token, for the store takes none any more, and leaves the renewal to others.
func TestNoRenewalAfterTheEnd(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		_, err := s.do.CheckChannel(t.Context(), s.store, s.channel, "") // opens a session
		s.must(err)
		for range 2 {
			s.do.EndRenewals()
			r := s.renew(t.Context(), "", func() (string, error) { t.Error("a token was requested"); return "lost", nil })
			if !connector.Is(r.err, connector.Temporary) {
				t.Errorf("%v", r.err)
			}
		}
	})
}

// A renewal that has begun is stored though its caller has hung up: the platform has replaced the token, and the old one is worth nothing.
func TestARenewalOutlivesItsCaller(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.withKey()
		ctx, hangUp := context.WithCancel(t.Context())
		gone := make(chan struct{})
		r := s.renew(ctx, "", func() (string, error) {
			hangUp()
			<-gone
			return "one", nil
		})
		if r.err == nil {
			t.Errorf("who hung up was given %v", r.credentials)
		}
		close(gone)
		r = s.renew(t.Context(), "", func() (string, error) { return "another", nil })
		if r.err != nil || r.credentials[connector.TokenField] != "one" {
			t.Errorf("%v, %v, not the token that was issued", r.credentials, r.err)
		}
	})
}

// Credentials that a merchant enters take the place of the access token that was issued for others, also while one is being issued.
func TestEnteredCredentialsReplaceTheToken(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		key, _, err := secretbox.MakeFile(t.TempDir())
		s.must(err)
		s.do.Key = key
		enter := func(refresh string) {
			s.must(s.write(t, func(tx *db.Tx) error {
				_, err := s.do.UpdateChannel(tx, s.who, s.channel.ID, commerce.Expected{},
					commerce.ChannelDraft{Credentials: connector.Credentials{"refreshToken": refresh}})
				return err
			}))
		}
		renew := func(stale string, issue func(refresh string) string) string {
			c, err := s.platform.tokens.Renew(t.Context(), connector.TokenField, stale,
				func(_ context.Context, c connector.Credentials) (connector.Credentials, error) {
					return connector.Credentials{connector.TokenField: issue(c["refreshToken"])}, nil
				})
			s.must(err)
			return c[connector.TokenField]
		}
		of := func(refresh string) string { return "of " + refresh }
		enter("one")
		_, err = s.do.CheckChannel(t.Context(), s.store, s.channel, "") // opens a session
		s.must(err)
		if got := renew("", of); got != "of one" {
			t.Errorf("the first token is %q", got)
		}
		enter("one")
		if got := renew("", of); got != "of one" {
			t.Errorf("after the same credentials it is %q", got)
		}
		enter("two")
		if got := renew("of one", of); got != "of two" {
			t.Errorf("after others it is %q", got)
		}
		meanwhile := true
		got := renew("of two", func(refresh string) string {
			if meanwhile {
				meanwhile = false
				enter("three")
			}
			return of(refresh)
		})
		if got != "of three" {
			t.Errorf("after others were entered while it was issued it is %q", got)
		}
	})
}

// What a session learns about its shop is there for the next one, until it is learnt anew or forgotten.
func TestFactsStay(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		open := func() connector.Facts {
			_, err := s.do.CheckChannel(t.Context(), s.store, s.channel, "")
			s.must(err)
			return s.platform.facts
		}
		facts := open()
		facts.Keep("zone", "Paris")
		facts.Keep("form", "basic")
		for want, keep := range map[string]string{"Paris": "Paris", "Rome": "Rome", "": ""} {
			facts.Keep("zone", keep)
			if facts = open(); facts.Fact("zone") != want || facts.Fact("form") != "basic" {
				t.Errorf("zone %q, form %q", facts.Fact("zone"), facts.Fact("form"))
			}
		}
	})
}

// Tokens that are issued while the store does not answer, as in a fail-over, are stored as soon as it does.
func TestIssuedTokensWaitForTheStore(t *testing.T) {
	t.Parallel()
	link, address := dbtest.Connect(t, false)
	clock := syncedAt
	var looks atomic.Int64
	store := dbtest.Open(t, db.Config{URL: address.String(), Now: func() time.Time { looks.Add(1); return clock }})
	s := syncedOn(t, store, 1, &clock, &looks)
	s.withKey()
	got := s.renew(t.Context(), "", func() (string, error) {
		link.Cut(true)
		before := looks.Load()
		go func() {
			for looks.Load() < before+8 && t.Context().Err() == nil { // it was tried more than once
				time.Sleep(time.Millisecond)
			}
			link.Cut(false)
		}()
		return "one", nil
	})
	if got.err != nil || got.credentials[connector.TokenField] != "one" {
		t.Fatal(got)
	}
	if again := s.renew(t.Context(), "", func() (string, error) { return "two", nil }); again.credentials[connector.TokenField] != "one" {
		t.Error(again)
	}
}
