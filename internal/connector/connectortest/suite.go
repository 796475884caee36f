// Package connectortest has the tests that every connector must pass.
//
// A connector's test describes the platform in a Suite and calls Run; its fuzz targets call FuzzVerify and FuzzRead.
package connectortest

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
)

// Suite describes one platform to the tests.
type Suite struct {
	Connector connector.Connector
	Channel   connector.Channel // with every required credential, and the secret that Sign uses

	// Sign returns the header value by which the platform signs a body.
	Sign            func(body []byte) string
	SignatureHeader string
	SecretField     string      // credential without which nothing verifies; "" if the platform signs with a key of its own
	Refusal         apperr.Kind // kind of the error for a bad signature
	BodyUnsigned    bool        // the signature does not cover the body
	AnyCase         bool        // the signature may be written in either case

	Samples []Sample
}

// Sample is a notification and its expected outcome.
type Sample struct {
	Body   string            // JSON, or the name of a file in testdata
	Header map[string]string // beside the signature
	Want   connector.Outcome // without DeliveryKey
	NoKey  bool              // nothing in it differs between deliveries
}

// Load returns the sample's body.
func (s Sample) Load(t testing.TB) []byte {
	t.Helper()
	if strings.HasPrefix(s.Body, "{") {
		return []byte(s.Body)
	}
	body, err := os.ReadFile(filepath.Join("testdata", s.Body))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// Run runs the suite.
func Run(t *testing.T, s Suite) {
	t.Run("profile", s.profile)
	t.Run("signature", s.signature)
	t.Run("samples", s.samples)
	t.Run("unreadable", s.unreadable)
	t.Run("concurrent", s.concurrent)
}

// Notification returns the sample in the form in which the platform would send it.
func (s Suite) Notification(t testing.TB, sample Sample) connector.Notification {
	t.Helper()
	body := sample.Load(t)
	n := s.with(body, s.Sign(body))
	for name, value := range sample.Header {
		n.Header.Set(name, value)
	}
	return n
}

// with returns a notification with these signature values.
func (s Suite) with(body []byte, signatures ...string) connector.Notification {
	n := connector.Notification{Header: http.Header{"Content-Type": {"application/json"}}, Body: body}
	for _, v := range signatures {
		n.Header.Add(s.SignatureHeader, v)
	}
	return n
}

// without returns the channel without one credential.
func (s Suite) without(field string) connector.Channel {
	ch := s.Channel
	ch.Credentials = maps.Clone(ch.Credentials)
	delete(ch.Credentials, field)
	return ch
}

// accepts fails the test unless the notification verifies.
func (s Suite) accepts(t *testing.T, n connector.Notification) {
	t.Helper()
	if err := s.Connector.Verify(context.Background(), s.Channel, n); err != nil {
		t.Errorf("Verify refused a good notification: %v", err)
	}
}

// refuses fails the test unless the notification is refused as badly signed.
func (s Suite) refuses(t *testing.T, ch connector.Channel, n connector.Notification) {
	t.Helper()
	f, ok := apperr.As(s.Connector.Verify(context.Background(), ch, n))
	if !ok || f.Kind != s.Refusal || f.Code != "invalid_signature" {
		t.Errorf("Verify gave %v, want a invalid_signature of kind %v", f, s.Refusal)
	}
}

func (s Suite) samples(t *testing.T) {
	keys := map[string]string{}
	for _, sample := range s.Samples {
		t.Run(sample.Want.Topic+" "+string(sample.Want.Action), func(t *testing.T) {
			n := s.Notification(t, sample)
			header, body := n.Header.Clone(), bytes.Clone(n.Body)
			s.accepts(t, n)
			if connector.IsPing(s.Connector, n) {
				t.Error("a signed notification passes for a ping")
			}
			got, err := s.Connector.Read(s.Channel, n)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, sample.Want)
			if (got.DeliveryKey == "") != sample.NoKey {
				t.Errorf("DeliveryKey = %q", got.DeliveryKey)
			}
			if again, _ := s.Connector.Read(s.Channel, n); again.DeliveryKey != got.DeliveryKey {
				t.Error("the delivery key of one notification changes")
			}
			if other, taken := keys[got.DeliveryKey]; taken && !sample.NoKey {
				t.Errorf("has the delivery key of %s", other)
			}
			keys[got.DeliveryKey] = t.Name()
			if !bytes.Equal(body, n.Body) || !maps.EqualFunc(header, n.Header, func(a, b []string) bool {
				return strings.Join(a, "\n") == strings.Join(b, "\n")
			}) {
				t.Error("the notification was changed while it was read")
			}
		})
	}
}

func (s Suite) unreadable(t *testing.T) {
	for _, body := range []string{"", " ", "null", "true", "1", `"text"`, "[]", `[{"id":1}]`, "{", `{"id":}`, "{} {}", "{}x", "webhook_id=1",
		"<xml/>", "\x00"} {
		n := s.with([]byte(body), s.Sign([]byte(body)))
		for name, value := range s.Samples[0].Header {
			n.Header.Set(name, value)
		}
		if _, err := s.Connector.Read(s.Channel, n); !apperr.Is(err, apperr.Invalid) {
			t.Errorf("Read of %q gave %v, want Invalid", body, err)
		}
	}
	for _, body := range []string{"{}", " \n{}\n", `{"unknown":[1,2,3]}`} {
		outcome, err := s.Connector.Read(s.Channel, s.with([]byte(body)))
		if err != nil || outcome.Action != connector.Ignored {
			t.Errorf("Read of %q gave %+v, %v; want it ignored", body, outcome, err)
		}
		sound(t, outcome)
	}
}

// concurrent is for the race detector.
func (s Suite) concurrent(t *testing.T) {
	for range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for _, sample := range s.Samples {
				n := s.Notification(t, sample)
				s.accepts(t, n)
				_, _ = s.Connector.Read(s.Channel, n)
			}
		})
	}
}
