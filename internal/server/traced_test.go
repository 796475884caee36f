package server_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"entrepot/internal/base/trace"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/server"
)

// receiver takes spans over OTLP by HTTP, as protobuf.
type receiver struct {
	mu    sync.Mutex
	spans []*otlp.Span
	raw   bytes.Buffer
}

func (c *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		body, _ = gzip.NewReader(r.Body)
	}
	text, err := io.ReadAll(body)
	var sent collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(text, &sent)
	}
	if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		http.Error(w, fmt.Sprint(r.URL, err), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(text)
	for _, resource := range sent.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

// shop is an account of a server with an endpoint and a product.
type shop struct {
	t    *testing.T
	base string
	key  string
	hook chan http.Header // headers of deliveries of order.received
}

// call sends a request with a body and headers (name, value, …), and returns what it was answered.
func (s *shop) call(method, path, body string, headers ...string) map[string]any {
	s.t.Helper()
	r, err := http.NewRequest(method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode >= 300 {
		s.t.Fatalf("%s %s: %d %v %v", method, path, response.StatusCode, answer, err)
	}
	return answer
}

// openShop signs in, and makes an endpoint and a product.
func openShop(t *testing.T, base string) *shop {
	t.Helper()
	s := &shop{t: t, base: base, hook: make(chan http.Header, 8)}
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Webhook-Event") == "order.received" {
			s.hook <- r.Header
		}
	}))
	t.Cleanup(hook.Close)
	login := s.call("POST", "/api/v1/auth/login", `{"email":"seen@shop.example","password":"a long enough password"}`)
	s.key = login["data"].(map[string]any)["accessToken"].(string)
	s.call("POST", "/api/v1/developer/webhooks", `{"url":"`+hook.URL+`/secret-path","events":["order.received"]}`)
	s.call("POST", "/api/v1/products", `{"sku":"PRIVATE-SKU","name":"A private name","price":10}`)
	return s
}

const order = `{"currency":"EUR","customerName":"Private Person","customerEmail":"private@person.example","initialStatus":"PROCESSING",
	"shippingAddress":{"street":"Private Street 1","country":"DE"},"items":[{"sku":"PRIVATE-SKU","quantity":1,"unitPrice":10}]}`

// traceOfCaller is a sampled trace that a caller has begun, and its span there.
const traceOfCaller, spanOfCaller = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"

// An order that comes by HTTP is one trace: the caller's span, the request, the operation, the messages to the store, the
// delivery, and the receiver's header.
func TestAnOrderIsOneTrace(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		spans := &receiver{}
		over := httptest.NewServer(spans)
		defer over.Close()
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", over.URL)
		tracer, err := trace.Start(t.Context(), os.Getenv, "test", c.Log)
		if err != nil || tracer == nil {
			t.Fatal(tracer, err)
		}
		c.Trace, c.Log = tracer, tracer.Log(c.Log)
		c.Admin = server.Admin{Email: "seen@shop.example", Password: "a long enough password", Plan: "enterprise"}
		s, stop := start(t, c)
		shop := openShop(t, s.URL())
		shop.call("POST", "/api/v1/orders?private=query", order, "traceparent", "00-"+traceOfCaller+"-"+spanOfCaller+"-01",
			"tracestate", "vendor=private-state", "X-Request-Id", "order-one")
		var delivered http.Header
		select {
		case delivered = <-shop.hook:
		case <-time.After(dbtest.Timeout):
			t.Fatal("the order was not delivered")
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if err := tracer.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
		spans.check(t, delivered)
		for _, line := range []string{"msg=request id=order-one", "msg=attempt"} {
			if !lineWith(said.String(), line, "trace_id="+traceOfCaller) {
				t.Errorf("no line with %q has the trace's id:\n%s", line, said)
			}
		}
		if !lineWith(said.String(), "msg=attempt", "request=order-one") {
			t.Errorf("no line of an attempt has the request's id:\n%s", said)
		}
	})
}

// check looks at the spans of the order's trace.
func (c *receiver) check(t *testing.T, delivered http.Header) {
	t.Helper()
	byID, names := map[string]*otlp.Span{}, map[string]*otlp.Span{}
	var messages []string
	stored := false // by a commit whose message has the order
	for _, s := range c.spans {
		if hex.EncodeToString(s.TraceId) == traceOfCaller {
			byID[hex.EncodeToString(s.SpanId)], names[s.Name] = s, s
		}
	}
	request, operation, commit, deliver := names["POST /api/v1/orders"], names["createOrder"], names["COMMIT"], names["deliver"]
	if request == nil || operation == nil || commit == nil || deliver == nil {
		t.Fatalf("spans are missing, there are only %q", slices.Sorted(maps.Keys(names)))
	}
	within := func(s, outer *otlp.Span) bool { return bytes.Equal(s.ParentSpanId, outer.SpanId) }
	for _, s := range byID {
		for _, a := range s.Attributes {
			if a.Key == "db.query.text" && within(s, operation) {
				messages = append(messages, s.Name)
				stored = stored || s.Name == "COMMIT" && strings.Contains(a.Value.GetStringValue(), "INSERT INTO orders")
			}
		}
	}
	if hex.EncodeToString(request.ParentSpanId) != spanOfCaller || !within(operation, request) || !within(deliver, operation) || !stored {
		t.Errorf("the tree is another: request in %x, operation in %x, delivery in %x, messages %v", request.ParentSpanId,
			operation.ParentSpanId, deliver.ParentSpanId, messages)
	}
	want := fmt.Sprintf("00-%s-%x-01", traceOfCaller, deliver.SpanId)
	if got := delivered.Get("traceparent"); got != want || delivered.Get("tracestate") != "" {
		t.Errorf("the receiver got %q and state %q, want %q", got, delivered.Get("tracestate"), want)
	}
	for _, private := range []string{"PRIVATE-SKU", "rivate name", "private@person", "rivate Person", "rivate Street", "secret-path", "private=query",
		"seen@shop"} {
		if bytes.Contains(c.raw.Bytes(), []byte(private)) {
			t.Errorf("the spans hold %q", private)
		}
	}
}

// lineWith reports whether a line of a text has both words.
func lineWith(text, first, second string) bool {
	for line := range strings.Lines(text) {
		if strings.Contains(line, first) && strings.Contains(line, second) {
			return true
		}
	}
	return false
}

// Without an endpoint there is no tracer, and whatever a tracer would wrap stays what it is.
func TestNothingIsWrappedWithoutTracing(t *testing.T) {
	for _, off := range []map[string]string{{}, {"OTEL_SERVICE_NAME": "shop"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "true"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "none"}} {
		tracer, err := trace.Start(t.Context(), func(name string) string { return off[name] }, "test", slog.Default())
		if tracer != nil || err != nil {
			t.Fatalf("%v: %v %v", off, tracer, err)
		}
	}
	var none *trace.Tracer
	handler, transport, lines := http.NewServeMux(), &http.Transport{}, slog.New(slog.DiscardHandler)
	if none.Handler(handler) != http.Handler(handler) || none.Page("GET", "/", handler) != http.Handler(handler) ||
		none.Transport("x", transport) != http.RoundTripper(transport) || none.Log(lines) != lines {
		t.Error("something is wrapped")
	}
	if n := testing.AllocsPerRun(100, func() { trace.Within(t.Context(), "") }); n != 0 {
		t.Errorf("a delivery without a trace allocates %v times", n)
	}
}

// gRPC is refused with the way out, because the collector's port would be another one.
func TestOtherProtocolsAreRefused(t *testing.T) {
	vars := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
	_, err := trace.Start(t.Context(), func(name string) string { return vars[name] }, "test", slog.Default())
	if err == nil || !strings.Contains(err.Error(), "http/protobuf") || !strings.Contains(err.Error(), "4318") {
		t.Error(err)
	}
}
