package harness

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// transport is shared by all clients: connections are kept, answers stay as they were sent.
var transport = &http.Transport{MaxIdleConns: 512, MaxIdleConnsPerHost: 256, DisableCompression: true}

// mostTime is longer than the service itself lets an answer take, so that a machine that does much else fails no test.
const mostTime = 4 * time.Minute

// Patient has every client repeat a request that was refused because it had waited in vain for a connection, a lock or its turn: the
// service stores nothing of it and asks for that. On a starved machine this happens to tests in which nothing is wrong. TestMain sets it.
var Patient bool

// leastWait is how long the service waits at least before it refuses a request for that reason.
const leastWait = 2 * time.Second

// Client calls one server with one credential; the zero value has none.
type Client struct {
	Base   string
	Key    string        // sent as X-API-Key
	Bearer string        // sent as Authorization: Bearer
	Most   time.Duration // that the client waits for an answer; 0: four minutes
}

// Answer is one HTTP answer, read whole.
type Answer struct {
	Request string // "POST /api/v1/orders", for messages
	Status  int
	Header  http.Header
	Body    []byte
	Took    time.Duration
}

// Request is one call; an empty Body sends none, and JSON is the content type unless Header says otherwise.
type Request struct {
	Method, Path string
	Header       http.Header
	Body         []byte
}

// Do sends the request and reads the whole answer. Redirects are not followed. See Patient.
func (c Client) Do(request Request) (Answer, error) {
	for began := time.Now(); ; {
		answer, err := c.once(request)
		busy := err == nil && answer.Status == http.StatusServiceUnavailable && answer.Took >= leastWait &&
			(answer.Text("code") == "busy" || answer.Text("code") == "unavailable")
		if !Patient || !busy || time.Since(began) > mostTime {
			return answer, err
		}
	}
}

func (c Client) once(request Request) (Answer, error) {
	var body io.Reader
	if request.Body != nil {
		body = bytes.NewReader(request.Body)
	}
	r, err := http.NewRequest(request.Method, c.Base+request.Path, body)
	if err != nil {
		return Answer{}, err
	}
	if request.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		r.Header.Set("X-API-Key", c.Key)
	}
	if c.Bearer != "" {
		r.Header.Set("Authorization", "Bearer "+c.Bearer)
	}
	for name, values := range request.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
		if len(values) == 1 && values[0] == "" {
			r.Header.Del(name)
		}
	}
	began := time.Now()
	response, err := (&http.Client{
		Transport: transport, Timeout: cmp.Or(c.Most, mostTime),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}).Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return Answer{}, fmt.Errorf("%s %s: reading the answer: %w", request.Method, request.Path, err)
	}
	return Answer{
		Request: request.Method + " " + request.Path, Status: response.StatusCode,
		Header: response.Header, Body: content, Took: time.Since(began),
	}, nil
}

// Call sends body as JSON (nil sends none) and returns the answer.
func (c Client) Call(method, path string, body any) (Answer, error) {
	request := Request{Method: method, Path: path}
	switch b := body.(type) {
	case nil:
	case string:
		request.Body = []byte(b)
	case []byte:
		request.Body = b
	default:
		content, err := json.Marshal(body)
		if err != nil {
			return Answer{}, err
		}
		request.Body = content
	}
	return c.Do(request)
}

// Value decodes the answer's JSON with exact numbers (json.Number); nil if it is no JSON.
func (a Answer) Value() any {
	value, err := Decode(a.Body)
	if err != nil {
		return nil
	}
	return value
}

// At returns the value at a path of keys (string) and positions (int) of the answer; nil if there is none.
func (a Answer) At(path ...any) any { return At(a.Value(), path...) }

// Text is At for a string; "" if there is none.
func (a Answer) Text(path ...any) string {
	text, _ := a.At(path...).(string)
	return text
}

// Count is At for a whole number; -1 if there is none.
func (a Answer) Count(path ...any) int64 {
	if number, ok := a.At(path...).(json.Number); ok {
		if n, err := number.Int64(); err == nil {
			return n
		}
	}
	return -1
}

// List is At for an array; nil if there is none.
func (a Answer) List(path ...any) []any {
	list, _ := a.At(path...).([]any)
	return list
}

// String shows the answer in a message: its status and the beginning of its body.
func (a Answer) String() string {
	return fmt.Sprintf("%s → %d %s", a.Request, a.Status, Short(a.Body))
}

// Short is the beginning of a text, for messages.
func Short(text []byte) string {
	if len(text) > 900 {
		return string(text[:900]) + "…"
	}
	return string(text)
}

// At returns the value at a path of keys (string) and positions (int) of decoded JSON; nil if there is none.
func At(value any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, ok := value.(map[string]any)
			if !ok {
				return nil
			}
			value = object[step]
		case int:
			list, ok := value.([]any)
			if !ok || step < 0 || step >= len(list) {
				return nil
			}
			value = list[step]
		}
	}
	return value
}
