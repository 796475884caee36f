package blackbox

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"entrepot/test/blackbox/harness"
	"entrepot/test/blackbox/script"
)

// fakeFixture answers like a tiny, wrong-at-will service: the runner is held against it before it holds anything
// against the real one. The body of a request says what to answer.
func fakeFixture(t *testing.T) *script.Fixture {
	var log []harness.Event
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var orders struct {
			Status int
			Header map[string]string
			Answer json.RawMessage
			Events []harness.Event
		}
		if err := json.Unmarshal(body, &orders); err != nil {
			t.Errorf("the fake was sent no JSON: %s", body)
		}
		log = append(log, orders.Events...)
		for name, value := range orders.Header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(orders.Status)
		_, _ = w.Write(orders.Answer)
	}))
	t.Cleanup(server.Close)
	return &script.Fixture{
		Base: server.URL,
		Who:  func(string) (harness.Client, error) { return harness.Client{Base: server.URL}, nil },
		Log: func(after string) ([]harness.Event, error) {
			for at, event := range log {
				if event.ID == after {
					return log[at+1:], nil
				}
			}
			return log, nil
		},
		Receiver: receiver,
	}
}

// A right answer passes and a wrong one fails, for every kind of expectation a script can state.
func TestRunnerTellsRightFromWrong(t *testing.T) {
	const uuid = "01890a5d-ac96-774b-bcce-b302099a8057"
	cases := []struct {
		name, text string
		failures   int
	}{
		{"status right", `{"Status":201,"Answer":{}}` + "\n=> 201", 0},
		{"status wrong", `{"Status":200,"Answer":{}}` + "\n=> 201", 1},
		{"number right", `{"Status":200,"Answer":{"a":49.90}}` + "\n=> 200\n{\"a\": 49.9}", 0},
		{"number wrong", `{"Status":200,"Answer":{"a":49.91}}` + "\n=> 200\n{\"a\": 49.9}", 1},
		{"number is no string", `{"Status":200,"Answer":{"a":"49.9"}}` + "\n=> 200\n{\"a\": 49.9}", 1},
		{"big number exact", `{"Status":200,"Answer":{"a":12345678901234567890}}` + "\n=> 200\n{\"a\": 12345678901234567891}", 1},
		{"subset", `{"Status":200,"Answer":{"a":1,"b":2}}` + "\n=> 200\n{\"a\": 1}", 0},
		{"key missing", `{"Status":200,"Answer":{"b":2}}` + "\n=> 200\n{\"a\": 1}", 1},
		{"only right", `{"Status":200,"Answer":{"a":1}}` + "\n=> 200\n{\"a\": 1, \"<only>\": true}", 0},
		{"only wrong", `{"Status":200,"Answer":{"a":1,"b":2}}` + "\n=> 200\n{\"a\": 1, \"<only>\": true}", 1},
		{"absent right", `{"Status":200,"Answer":{"a":1}}` + "\n=> 200\n{\"b\": \"<absent>\"}", 0},
		{"absent wrong", `{"Status":200,"Answer":{"b":null}}` + "\n=> 200\n{\"b\": \"<absent>\"}", 1},
		{"null right", `{"Status":200,"Answer":{"b":null}}` + "\n=> 200\n{\"b\": null}", 0},
		{"null is not absent", `{"Status":200,"Answer":{}}` + "\n=> 200\n{\"b\": null}", 1},
		{"array too long", `{"Status":200,"Answer":{"a":[1,2]}}` + "\n=> 200\n{\"a\": [1]}", 1},
		{"contains right", `{"Status":200,"Answer":{"a":[1,2]}}` + "\n=> 200\n{\"a\": [\"<contains>\", 2]}", 0},
		{"contains wrong", `{"Status":200,"Answer":{"a":[1,2]}}` + "\n=> 200\n{\"a\": [\"<contains>\", 3]}", 1},
		{"unordered right", `{"Status":200,"Answer":{"a":[1,2]}}` + "\n=> 200\n{\"a\": [\"<unordered>\", 2, 1]}", 0},
		{"unordered twice", `{"Status":200,"Answer":{"a":[1,2]}}` + "\n=> 200\n{\"a\": [\"<unordered>\", 2, 2]}", 1},
		{"each wrong", `{"Status":200,"Answer":{"a":[1,"x"]}}` + "\n=> 200\n{\"a\": [\"<each>\", \"<int>\"]}", 1},
		{"without wrong", `{"Status":200,"Answer":{"a":[1,2]}}` + "\n=> 200\n{\"a\": [\"<without>\", 2]}", 1},
		{"uuid right", `{"Status":200,"Answer":{"a":"` + uuid + `"}}` + "\n=> 200\n{\"a\": \"<uuid> $x\"}\ncheck ${x} == " + uuid, 0},
		{"uuid wrong", `{"Status":200,"Answer":{"a":"7"}}` + "\n=> 200\n{\"a\": \"<uuid>\"}", 1},
		{"unbound name", `{"Status":200,"Answer":{"a":"${nowhere}"}}` + "\n=> 200", 1},
		{"header right", `{"Status":200,"Header":{"ETag":"x"},"Answer":{}}` + "\n=> 200\nETag: x", 0},
		{"header wrong", `{"Status":200,"Header":{"ETag":"x"},"Answer":{}}` + "\n=> 200\nETag: y", 1},
		{"header absent wrong", `{"Status":200,"Header":{"ETag":"x"},"Answer":{}}` + "\n=> 200\nETag: <absent>", 1},
		{"events right", `{"Status":200,"Answer":{},"Events":[{"ID":"1","Kind":"a"},{"ID":"2","Kind":"b"}]}` + "\n=> 200\nevents: b, a", 0},
		{"event missing", `{"Status":200,"Answer":{},"Events":[{"ID":"1","Kind":"a"}]}` + "\n=> 200\nevents: b, a", 1},
		{"event too many", `{"Status":200,"Answer":{},"Events":[{"ID":"1","Kind":"a"}]}` + "\n=> 200\nevents: none", 1},
		{"event data right", `{"Status":200,"Answer":{},"Events":[{"ID":"1","Kind":"a","Data":{"n":true}}]}` +
			"\n=> 200\nevents: a\nevent a { \"n\": true }", 0},
		{"event data wrong", `{"Status":200,"Answer":{},"Events":[{"ID":"1","Kind":"a","Data":{"n":true}}]}` +
			"\n=> 200\nevents: a\nevent a { \"n\": false }", 1},
		{"bytes right", `{"Status":200,"Answer":{"a":1}}` + "\n=> 200 keep $b\nPOST /x\n" + `{"Status":200,"Answer":{"a":1}}` +
			"\n=> 200 bytes $b", 0},
		{"bytes wrong", `{"Status":200,"Answer":{"a":1}}` + "\n=> 200 keep $b\nPOST /x\n" + `{"Status":200,"Answer":{"a": 1}}` +
			"\n=> 200 bytes $b", 1},
		{"check wrong", `{"Status":200,"Answer":{}}` + "\n=> 200\ncheck a == b", 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			parsed, err := script.Parse(c.name, "== [x] a case\nPOST /x\n"+c.text+"\n")
			if err != nil {
				t.Fatal(err)
			}
			failures := script.Run(parsed, fakeFixture(t))
			if len(failures) != c.failures {
				t.Errorf("want %d failures, got %v", c.failures, failures)
			}
		})
	}
}

// A table runs its steps once per row, each row fails for itself, and the case counts its rows.
func TestRunnerTables(t *testing.T) {
	parsed, err := script.Parse("table", `== [x] rows
table sent | wanted
 200 | 200
 404 | 404
 200 | 404
do
POST /x
{"Status": ${sent}, "Answer": {}}
=> ${wanted}
end
`)
	if err != nil {
		t.Fatal(err)
	}
	if n := parsed.Cases[0].Count(); n != 3 {
		t.Errorf("the case counts %d", n)
	}
	failures := script.Run(parsed, fakeFixture(t))
	if len(failures) != 1 || !strings.Contains(failures[0].Case, "200 | 404") {
		t.Errorf("want one failure in the third row, got %v", failures)
	}
}

// What cannot be read is refused with its line, not passed over.
func TestRunnerRefusesWhatItCannotRead(t *testing.T) {
	for name, text := range map[string]string{
		"no arrow":     "== [x] a\nGET /x\n",
		"no such word": "== [x] a\nfrobnicate\n",
		"no clause":    "== a title alone\n",
		"no end":       "== [x] a\ntable a\n1\ndo\nGET /\n=> 200\n",
		"odd row":      "== [x] a\ntable a | b\n1\ndo\nend\n",
	} {
		if _, err := script.Parse(name, text); err == nil {
			t.Errorf("%s: the parser took it", name)
		}
	}
}

// The check that runs on every answer sees each of these errors, and only these.
func TestRunnerChecksEveryAnswer(t *testing.T) {
	good := func() harness.Answer {
		return harness.Answer{
			Request: "POST /api/v1/orders", Status: 400,
			Header: http.Header{
				"X-Request-Id": {"r1"}, "Content-Type": {"application/json"},
				"X-Ratelimit-Limit": {"1"}, "X-Ratelimit-Remaining": {"1"}, "X-Ratelimit-Reset": {"1"},
			},
			Body: []byte(`{"statusCode":400,"message":"no","error":"Bad Request","code":"invalid_body","requestId":"r1"}`),
		}
	}
	if faults := script.Always(good()); len(faults) > 0 {
		t.Errorf("a good refusal is refused: %v", faults)
	}
	for name, spoil := range map[string]func(*harness.Answer){
		"wrong status":  func(a *harness.Answer) { a.Status = 404 },
		"no request id": func(a *harness.Answer) { a.Header.Del("X-Request-Id") },
		"no limit":      func(a *harness.Answer) { a.Header.Del("X-RateLimit-Limit") },
		"not json":      func(a *harness.Answer) { a.Body = []byte("Bad Request") },
		"camel code": func(a *harness.Answer) {
			a.Body = []byte(strings.Replace(string(a.Body), "invalid_body", "invalidBody", 1))
		},
		"leak": func(a *harness.Answer) {
			a.Body = []byte(strings.Replace(string(a.Body), `"no"`, `"SQLSTATE 23505"`, 1))
		},
		"server fault": func(a *harness.Answer) {
			a.Status, a.Body = 500, []byte(strings.ReplaceAll(strings.Replace(string(a.Body), "Bad Request", "Internal Server Error", 1), "400",
				"500"))
		},
		"no data": func(a *harness.Answer) { a.Status, a.Body = 200, []byte(`{"id":1}`) },
		"odd time": func(a *harness.Answer) {
			a.Status, a.Body = 200, []byte(`{"data":{"createdAt":"2026-01-02T03:04:05Z"}}`)
		},
		"get sans ETag": func(a *harness.Answer) {
			a.Request, a.Status, a.Body = "GET /api/v1/orders", 200, []byte(`{"data":[]}`)
		},
		"body under 304": func(a *harness.Answer) { a.Status = 304 },
	} {
		answer := good()
		spoil(&answer)
		if faults := script.Always(answer); len(faults) == 0 {
			t.Errorf("%s: passed", name)
		}
	}
}

// A delivery with a wrong signature, a wrong header or an extra field is found out.
func TestReceiverChecksSignatures(t *testing.T) {
	inbox := receiver.Inbox()
	inbox.Secret("whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0")
	faults := inbox.Check(harness.Delivery{Header: http.Header{}, Body: []byte(`{"id":1,"more":true}`)})
	if len(faults) < 8 {
		t.Errorf("a delivery without anything right has only %d faults: %v", len(faults), faults)
	}
}
