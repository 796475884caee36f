package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// vector is the worked example of docs/webhooks.md, shared by the samples in all languages.
type vector struct {
	Secret  string            `json:"secret"`
	Body    string            `json:"body"`
	Headers map[string]string `json:"headers"`
}

var sent = time.Unix(1767427200, 0) // the vector's webhook-timestamp

func readVector(t *testing.T) (v vector, header http.Header) {
	t.Helper()
	text, err := os.ReadFile("../webhook-vector.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	header = http.Header{}
	for name, value := range v.Headers {
		header.Set(name, value)
	}
	return v, header
}

func TestVerifyVector(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(v *vector, h http.Header, now *time.Time)
		want   error
	}{
		"as sent":          {func(*vector, http.Header, *time.Time) {}, nil},
		"one byte changed": {func(v *vector, _ http.Header, _ *time.Time) { v.Body = v.Body[:len(v.Body)-1] + " " }, errSignature},
		"another secret":   {func(v *vector, _ http.Header, _ *time.Time) { v.Secret = "whsec_AAAA" }, errSignature},
		"no hex signature": {func(_ *vector, h http.Header, _ *time.Time) { h.Del("X-Webhook-Signature") }, errSignature},
		"no v1 signature":  {func(_ *vector, h http.Header, _ *time.Time) { h.Del("webhook-signature") }, errSignature},
		"another id":       {func(_ *vector, h http.Header, _ *time.Time) { h.Set("webhook-id", "x") }, errSignature},
		"played back late": {func(_ *vector, _ http.Header, now *time.Time) { *now = now.Add(tolerance + time.Second) }, errStale},
		"one of several v1s": {func(_ *vector, h http.Header, _ *time.Time) {
			h.Set("webhook-signature", "v1,AAAA "+h.Get("webhook-signature"))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			v, header := readVector(t)
			now := sent
			tc.change(&v, header, &now)
			if err := verify(v.Secret, header, []byte(v.Body), now); !errors.Is(err, tc.want) {
				t.Fatalf("got %v, want %v", err, tc.want)
			}
		})
	}
}

// An event is handled once however often it arrives, and again after its handling failed.
func TestHandledOnce(t *testing.T) {
	v, header := readVector(t)
	calls, failing := 0, errors.New("database is away")
	rc := newReceiver(v.Secret, func(ev event) error {
		calls++
		if ev.Event != "order.shipped" {
			t.Errorf("event %q", ev.Event)
		}
		return failing
	})
	rc.now = func() time.Time { return sent }
	deliver := func() int {
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewBufferString(v.Body))
		r.Header = header.Clone()
		w := httptest.NewRecorder()
		rc.ServeHTTP(w, r)
		return w.Code
	}
	if code := deliver(); code != http.StatusInternalServerError {
		t.Fatalf("failed handling answered %d", code)
	}
	failing = nil
	for range 2 {
		if code := deliver(); code != http.StatusOK {
			t.Fatalf("answered %d", code)
		}
	}
	if calls != 2 {
		t.Fatalf("handled %d times, want 2 (one failed, one done)", calls)
	}
}
