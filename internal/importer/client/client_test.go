package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// script answers each try with the next step; the last one repeats.
type script struct {
	steps []func(*http.Request) (*http.Response, error)
	tries atomic.Int32
	at    []time.Time
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	n := int(s.tries.Add(1))
	s.at = append(s.at, time.Now())
	return s.steps[min(n, len(s.steps))-1](r)
}

func answers(status int, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

func breaks(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

func scripted(t *testing.T, steps ...func(*http.Request) (*http.Response, error)) (*Client, *script) {
	t.Helper()
	s := &script{steps: steps}
	c, err := New("http://entrepot.test", "pk_live_x")
	if err != nil {
		t.Fatal(err)
	}
	c.http.Transport = s
	return c, s
}

var order = []byte(`{"customerName":"Ada","items":[{"sku":"MUG","quantity":2,"unitPrice":12.50}]}`)

const created = `{"data":{"id":"o-1","status":"PENDING","totalAmount":"25.00","currency":"EUR","itemCount":1}}`

// The quota's Retry-After is waited out to the second, however often it comes.
func TestWaitsForTheQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tooMany := answers(429, `{"statusCode":429,"message":"slow down","error":"Too Many Requests","retryAfter":7}`, "Retry-After", "7")
		c, s := scripted(t, tooMany, tooMany, answers(201, created))
		start := time.Now()
		if replayed, err := c.CreateOrder(t.Context(), order, ""); err != nil || replayed {
			t.Fatalf("replayed %v, %v", replayed, err)
		}
		if waited := time.Since(start); waited != 14*time.Second || s.tries.Load() != 3 {
			t.Errorf("waited %v over %d tries, want 14 s over 3", waited, s.tries.Load())
		}
		if sent, repeated := c.Requests(); sent != 3 || repeated != 2 {
			t.Errorf("counted %d requests, %d repeated", sent, repeated)
		}
	})
}

// While one caller waits for the quota, no other sends.
func TestTheQuotaStopsEveryCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := scripted(t, answers(429, `{}`, "Retry-After", "30"), answers(201, created))
		go func() { _, _ = c.CreateOrder(t.Context(), order, "") }()
		synctest.Wait()
		start := time.Now()
		if _, err := c.CreateOrder(t.Context(), order, ""); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited != 30*time.Second {
			t.Errorf("the second caller waited %v, want 30 s", waited)
		}
		synctest.Wait()
		if s.tries.Load() != 3 {
			t.Errorf("%d tries, want 3", s.tries.Load())
		}
	})
}

func TestGivesUpOnTheQuotaAtLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := scripted(t, answers(429, `{}`, "Retry-After", "60"))
		_, err := c.CreateOrder(t.Context(), order, "")
		if StatusOf(err) != 429 || s.tries.Load() != 31 {
			t.Errorf("%v after %d tries, want 429 after 31 (half an hour)", err, s.tries.Load())
		}
	})
}

// What may have been done is repeated only where doing it twice does no harm.
func TestRepeatsOnlyWhatIsSafe(t *testing.T) {
	for name, test := range map[string]struct {
		step  func(*http.Request) (*http.Response, error)
		key   string
		tries int32
	}{
		"network fault without key": {breaks, "", 1},
		"network fault with key":    {breaks, "k", 8},
		"500 without key":           {answers(500, `{"message":"internal error"}`), "", 1},
		"500 with key":              {answers(500, `{"message":"internal error"}`), "k", 8},
		"503 without key":           {answers(503, `{"message":"draining"}`), "", 8},
		"400 with key":              {answers(400, `{"message":"no items"}`), "k", 1},
		"409 with key":              {answers(409, `{"message":"taken"}`), "k", 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := scripted(t, test.step)
				if _, err := c.CreateOrder(t.Context(), order, test.key); err == nil {
					t.Error("no error")
				}
				if s.tries.Load() != test.tries {
					t.Errorf("%d tries, want %d", s.tries.Load(), test.tries)
				}
			})
		})
	}
}

func TestPausesGrowAndStayBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := scripted(t, breaks)
		c.retry = Retry{Attempts: 12}.orDefault()
		_, _ = c.CreateOrder(t.Context(), order, "k")
		for i := 1; i < len(s.at); i++ {
			full := min(30*time.Second, 500*time.Millisecond<<(i-1))
			if pause := s.at[i].Sub(s.at[i-1]); pause < full/2 || pause > full {
				t.Errorf("pause %d was %v, want %v to %v", i, pause, full/2, full)
			}
		}
	})
}

func TestStopsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		c, _ := scripted(t, answers(429, `{}`, "Retry-After", "60"))
		start := time.Now()
		if _, err := c.CreateOrder(ctx, order, ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the context's", err)
		}
		if waited := time.Since(start); waited != 3*time.Second {
			t.Errorf("waited %v", waited)
		}
	})
}

// Both documented answers of the bulk import are understood.
func TestImportShapes(t *testing.T) {
	for body, want := range map[string]Imported{
		`{"data":{"jobId":"j-1","status":"PROCESSING","totalItems":3,"accepted":2,"rejected":1,"errors":[{"sku":null,` +
			`"error":"sku is required","index":2,"field":"sku","code":"required"}]}}`: {
			Total: 3, Accepted: 2, Rejected: 1, JobID: "j-1",
			Errors: []ItemError{{Error: "sku is required", Index: 2, Field: "sku", Code: "required"}}},
		`{"total":3,"created":1,"updated":1,"errors":[{"sku":"B","error":"price","index":1},{"sku":"B","error":"name","index":1}]}`: {
			Total: 3, Accepted: 2, Rejected: 1, Created: 1, Updated: 1, Counted: true,
			Errors: []ItemError{{SKU: "B", Error: "price", Index: 1}, {SKU: "B", Error: "name", Index: 1}}},
		`{"total":1,"created":0,"updated":0,"errors":[{"sku":"A","error":"no place said"}]}`: {
			Total: 1, Rejected: 1, Counted: true, Errors: []ItemError{{SKU: "A", Error: "no place said", Index: -1}}},
	} {
		c, _ := scripted(t, answers(200, body))
		got, err := c.ImportProducts(t.Context(), []byte(`{"products":[{}]}`), true)
		if err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s\n got %+v, %v\nwant %+v", body, got, err, want)
		}
	}
	c, _ := scripted(t, answers(200, `{"hello":1}`))
	if _, err := c.ImportProducts(t.Context(), nil, true); err == nil {
		t.Error("an answer of neither shape was taken")
	}
}

func TestErrorsTellEverything(t *testing.T) {
	c, _ := scripted(t, answers(400, `{"statusCode":400,"message":"validation failed","error":"Bad Request","code":"invalid",`+
		`"details":[{"path":"items[0].quantity","message":"must be at least 1"}]}`))
	_, err := c.CreateOrder(t.Context(), order, "")
	if want := "400 validation failed; items[0].quantity: must be at least 1"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	c, _ = scripted(t, answers(502, "<html>Bad gateway\nand more</html>"))
	c.retry.Attempts = 1
	if _, err = c.CreateOrder(t.Context(), order, ""); err == nil || err.Error() != "502 <html>Bad gateway" {
		t.Errorf("got %v", err)
	}
	c, _ = scripted(t, answers(409, `{"statusCode":409,"message":"taken","orderId":"o-9"}`))
	_, err = c.CreateOrder(t.Context(), order, "")
	if refused, ok := errors.AsType[*Error](err); !ok || refused.OrderID != "o-9" {
		t.Errorf("got %#v", err)
	}
}

// The key goes to the service and nowhere else.
func TestDoesNotFollowRedirects(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other server was asked, with the key %q", r.Header.Get("X-API-Key"))
	}))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	c, err := New(server.URL, "pk_live_x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateOrder(t.Context(), order, ""); err == nil || !strings.Contains(err.Error(), elsewhere.URL) {
		t.Errorf("error %v does not name the other address", err)
	}
}

func TestRequestsAsTheInterfaceWantsThem(t *testing.T) {
	var got *http.Request
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got, body = r, string(text)
		w.Header().Set("Idempotent-Replay", "true")
		w.WriteHeader(201)
		_, _ = io.WriteString(w, created)
	}))
	defer server.Close()
	c, err := New(server.URL+"/shop/", "pk_live_x", WithUserAgent("test/1"))
	if err != nil {
		t.Fatal(err)
	}
	if replayed, err := c.CreateOrder(t.Context(), order, "w-1"); err != nil || !replayed {
		t.Errorf("replayed %v, %v", replayed, err)
	}
	if body != string(order) {
		t.Errorf("body %s", body)
	}
	for name, want := range map[string]string{
		"X-API-Key": "pk_live_x", "Idempotency-Key": "w-1", "Content-Type": "application/json", "User-Agent": "test/1",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
		}
	}
	if got.URL.Path != "/shop/api/v1/orders" {
		t.Errorf("path %s", got.URL.Path)
	}
}

func TestRefusesBadAddressesAndKeys(t *testing.T) {
	for _, test := range [][2]string{
		{"shop.example", "k"}, {"ftp://shop.example", "k"}, {"https://shop.example?x=1", "k"}, {"https://u:p@shop.example", "k"},
		{"https://shop.example", ""}, {"https://shop.example", "two words"}, {"https://shop.example", "käy"},
	} {
		if _, err := New(test[0], test[1]); err == nil {
			t.Errorf("New(%q, %q) was taken", test[0], test[1])
		}
	}
}

func TestFindsOrdersByReference(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/api/v1/orders" && r.URL.Query().Get("page") == "1":
			_, _ = io.WriteString(w, `{"data":[{"id":"a","externalReference":"W-10"}],"meta":{"totalPages":2}}`)
		case r.URL.Path == "/api/v1/orders":
			_, _ = io.WriteString(w, `{"data":[{"id":"b"}],"meta":{"totalPages":2}}`)
		default:
			_, _ = io.WriteString(w, `{"data":{"id":"b","externalReference":"W-1","items":[{"sku":"MUG","quantity":2}]}}`)
		}
	}))
	defer server.Close()
	c, err := New(server.URL, "k")
	if err != nil {
		t.Fatal(err)
	}
	order, found, err := c.FindOrder(t.Context(), "W-1")
	if err != nil || !found || order.ID != "b" || order.Items[0].Quantity != 2 {
		t.Errorf("%+v, %v, %v", order, found, err)
	}
	if _, found, err := c.FindOrder(t.Context(), "W-100"); err != nil || found {
		t.Errorf("found what is not there: %v, %v", found, err)
	}
}

func TestImportsCategories(t *testing.T) {
	c, _ := scripted(t, answers(200, `{"data":{"created":1,"updated":0,"errors":[]}}`))
	if got, err := c.ImportCategories(t.Context(), []Category{{ExternalID: "a", Name: "A"}}); err != nil || got.Created != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
