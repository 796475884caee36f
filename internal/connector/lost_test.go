package connector_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"entrepot/internal/base/netguard"
	"entrepot/internal/connector"
)

// A success that is not the answer to the request is a lost answer: what reads is repeated, and of what writes only what may be. What the
// platform means, and what it refuses, is not repeated.
func TestSuccessesThatAreNoAnswer(t *testing.T) {
	lost := map[string]string{"a page": "<!doctype html><h1>Just a moment…</h1>", "nothing": "", "half": `{"a":{"b":`,
		"all but the end": `{"a":{"b":1}`, "a list without its end": `[{"a":1},{"a":2}`, "a word": "OK", "null": "null",
		"a gateway's word": `{"message":"unavailable"}`, "no text": "\xff\xfe"}
	for _, c := range []struct {
		method     string
		repeatable bool
		calls      int64 // if the first answer is lost, and the second is not
	}{{"GET", false, 2}, {"POST", false, 1}, {"PUT", false, 1}, {"PATCH", false, 1}, {"DELETE", false, 1},
		{"POST", true, 2}, {"PUT", true, 2}, {"PATCH", true, 2}, {"DELETE", true, 2}} {
		for what, body := range lost {
			t.Run(fmt.Sprint(c.method, " ", c.repeatable, " ", what), func(t *testing.T) {
				calls, err := called(t, c.method, c.repeatable, 200, body, `{"a":{"b":1}}`)
				if again := c.calls > 1; calls != c.calls || again != (err == nil) || !again && !connector.Is(err, connector.Temporary) {
					t.Errorf("%d calls: %v", calls, err)
				}
			})
		}
	}
	for _, c := range []struct {
		status int
		body   string
		calls  int64
		kind   connector.Kind // "" for a success
	}{{200, lost["a page"], 3, connector.Temporary}, {200, `{"a":7}`, 1, connector.Rejected}, {200, "[]", 1, connector.Rejected},
		{204, "", 1, ""}, {404, lost["a page"], 1, connector.Missing}, {400, `{"a":`, 1, connector.Rejected}, {503, "", 3, connector.Temporary}} {
		calls, err := called(t, "GET", false, c.status, c.body, c.body, c.body)
		if f := connector.FailureOf(err); calls != c.calls || c.kind == "" && f != nil || c.kind != "" && (f == nil || f.Kind != c.kind) {
			t.Errorf("%d %s: %d calls: %v", c.status, c.body, calls, err)
		}
	}
}

// called sends a request to a platform that gives these bodies one after the other. It returns how many requests came.
func called(t *testing.T, method string, repeatable bool, status int, bodies ...string) (int64, error) {
	t.Helper()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := int(calls.Add(1))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, bodies[min(n, len(bodies))-1])
	}))
	defer server.Close()
	client, at := newClient(t, &netguard.Guard{Dev: true})
	ctx := t.Context()
	if repeatable {
		ctx = connector.Repeatable(ctx)
	}
	r, err := connector.JSONRequest(ctx, method, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Call(r, func(answer *connector.Response) error {
		if f := connector.HTTPFailure(answer, at.now, "", ""); f != nil {
			return f
		}
		var into struct{ A struct{ B int } }
		return connector.Accepted(answer, &into)
	})
	return calls.Load(), err
}
