package connector_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/netguard"
	"entrepot/internal/connector"
)

// Bodies that never end, that end too early, that come a byte at a time or that are small only while they are packed: each call ends, with
// a failure that says why, and no more than the largest answer is kept.
func TestHostileBodies(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = io.CopyN(w, zeros{}, 64<<20)
	_ = w.Close()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		kind   connector.Kind // "" for an answer
		text   string
	}{
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(bytes.Repeat([]byte("{"), 1<<16)); err != nil {
					return
				}
			}
		}, connector.Rejected, "larger than 16 MB"},
		"shorter than announced": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"a":`)
		}, connector.Temporary, "no answer"},
		"a byte at a time": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		}, connector.Temporary, "did not answer in time"},
		"a packed bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes())
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(c.answer)
			t.Cleanup(server.Close)
			client, _ := newClient(t, &netguard.Guard{Dev: true})
			ctx := t.Context()
			if name == "a byte at a time" {
				short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
				defer cancel()
				ctx = short
			}
			answer, err := send(t, client, ctx, http.MethodPost, server.URL)
			switch f := connector.FailureOf(err); {
			case c.kind == "" && (err != nil || len(answer.Body) != packed.Len()): // it stays packed
				t.Errorf("%v", err)
			case c.kind != "" && (f == nil || f.Kind != c.kind || !strings.Contains(f.Message, c.text)):
				t.Errorf("%v, want %s: %s", err, c.kind, c.text)
			}
		})
	}
}

type zeros struct{}

// Read reads zeros.
func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A large answer of brackets is no JSON, and it is not read again from each of them. The last one is valid from its fourth bracket on,
// which is behind what is read of an answer of that size; a small one like it is understood.
func TestLargeAnswersThatAreNoJSON(t *testing.T) {
	late := "[x [x [x " + `["` + strings.Repeat("x", 15<<20) + `"]`
	for _, body := range []string{strings.Repeat("[", 16<<20), strings.Repeat("[],", 5<<20), strings.Repeat(`{"a":`, 1<<20), late} {
		var into any
		if err := connector.DecodeAnswer(&connector.Response{Body: []byte(body)}, &into); !connector.Is(err, connector.Temporary) {
			t.Errorf("%.20s…: %v", body, err)
		}
	}
	var into any
	if err := connector.DecodeAnswer(&connector.Response{Body: []byte(`[x [x [x ["x"]`)}, &into); err != nil {
		t.Error(err)
	}
}
