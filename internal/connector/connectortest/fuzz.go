package connectortest

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
)

// FuzzVerify searches for a panic, for an error of another type than apperr.Error, and for a forgery: a body that
// verifies although the platform did not sign it, or, if a body has only one signature, a second one.
func FuzzVerify(f *testing.F, s Suite) {
	var signed [][]byte
	for _, sample := range s.Samples {
		body := sample.Load(f)
		signed = append(signed, body)
		f.Add(s.Sign(body), body)
		f.Add("", body)
	}
	oneSignature := s.SecretField != "" && !s.AnyCase
	f.Fuzz(func(t *testing.T, signature string, body []byte) {
		err := s.Connector.Verify(context.Background(), s.Channel, s.with(body, signature))
		if err != nil {
			if _, ok := apperr.As(err); !ok {
				t.Fatalf("not an apperr: %v", err)
			}
			return
		}
		if oneSignature && signature != s.Sign(body) {
			t.Fatalf("the signature %q passes for the body %q", signature, body)
		}
		if !oneSignature && !slices.ContainsFunc(signed, func(b []byte) bool { return bytes.Equal(b, body) }) {
			t.Fatalf("the unsigned body %q passes with %q", body, signature)
		}
	})
}

// FuzzRead searches for a panic, for an error that is not Invalid, and for an invalid outcome.
func FuzzRead(f *testing.F, s Suite) {
	headers := map[string]bool{}
	for _, sample := range s.Samples {
		for name := range sample.Header {
			headers[name] = true
		}
	}
	for _, sample := range s.Samples {
		f.Add(sample.Want.Topic, sample.Load(f))
	}
	f.Fuzz(func(t *testing.T, value string, body []byte) {
		n := connector.Notification{Header: map[string][]string{}, Body: body}
		for name := range headers {
			n.Header.Set(name, value)
		}
		_ = connector.IsPing(s.Connector, n)
		outcome, err := s.Connector.Read(s.Channel, n)
		if err != nil {
			if !apperr.Is(err, apperr.Invalid) {
				t.Fatalf("Read gave %v, want an outcome or Invalid", err)
			}
			return
		}
		sound(t, outcome)
	})
}
