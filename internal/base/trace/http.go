package trace

import (
	"context"
	"io"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// Handler gives each request a span, within the caller's if it sends a traceparent. Probes, static files and streams
// have none.
func (t *Tracer) Handler(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if unseen(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		ctx := propagator.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := t.spans.Start(ctx, method(r), oteltrace.WithSpanKind(oteltrace.SpanKindServer),
			oteltrace.WithAttributes(attribute.String("http.request.method", method(r))))
		defer span.End()
		if !span.IsRecording() {
			next.ServeHTTP(w, r.WithContext(ctx))
			return
		}
		out := &answer{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(out, r.WithContext(ctx))
		span.SetAttributes(attribute.Int("http.response.status_code", out.status),
			attribute.String("entrepot.request.id", w.Header().Get("X-Request-Id")))
		if out.status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
	})
}

// unseen reports whether a path has no spans: probes come every few seconds, and a stream lasts for hours.
func unseen(path string) bool {
	switch path {
	case "/healthz", "/readyz", "/metrics", "/dashboard/live":
		return true
	}
	return strings.HasPrefix(path, "/dashboard/static/")
}

// method is the name of a request's method; callers may invent others.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "_OTHER"
}

// Route names the span of a request after its route, a path with names in place of its ids.
func Route(ctx context.Context, method, route string) {
	span := oteltrace.SpanFromContext(ctx)
	span.SetName(method + " " + route)
	span.SetAttributes(attribute.String("http.route", route))
}

// Page is the handler of a route with Route around it.
func (t *Tracer) Page(method, route string, next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Route(r.Context(), method, route)
		next.ServeHTTP(w, r)
	})
}

// answer notes the status of an answer.
type answer struct {
	http.ResponseWriter
	status int
	sent   bool
}

// WriteHeader notes the first status that is no interim one.
func (a *answer) WriteHeader(status int) {
	if !a.sent && status >= http.StatusOK {
		a.status, a.sent = status, true
	}
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Flush sends what was written so far.
func (a *answer) Flush() { _ = http.NewResponseController(a.ResponseWriter).Flush() }

// Transport gives each request to another server a span of a name, sends its traceparent along, and ends the span with
// the answer's body. The caller's tracestate and baggage stay here: the other server belongs to somebody else.
func (t *Tracer) Transport(name string, next http.RoundTripper) http.RoundTripper {
	if t == nil {
		return next
	}
	return &caller{tracer: t, name: name, next: next}
}

// caller sends requests with spans.
type caller struct {
	tracer *Tracer
	name   string
	next   http.RoundTripper
}

// noted are headers of deliveries that say which attempt of which event a request is (interface §6.1).
var noted = map[string]string{"X-Webhook-Event": "entrepot.event", "X-Webhook-Id": "entrepot.event.id",
	"X-Webhook-Attempt": "entrepot.attempt"}

// RoundTrip sends a copy of the request: a RoundTripper must not change its argument.
func (c *caller) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, span := c.tracer.spans.Start(r.Context(), c.name, oteltrace.WithSpanKind(oteltrace.SpanKindClient))
	if span.IsRecording() {
		span.SetAttributes(attribute.String("http.request.method", r.Method), attribute.String("server.address", r.URL.Hostname()))
		for header, key := range noted {
			if value := r.Header.Get(header); value != "" {
				span.SetAttributes(attribute.String(key, value))
			}
		}
	}
	r = r.Clone(ctx)
	carrier := propagation.MapCarrier{}
	propagator.Inject(ctx, carrier)
	r.Header.Set(parent, carrier[parent])
	response, err := c.next.RoundTrip(r)
	if err != nil {
		span.SetStatus(codes.Error, "")
		span.SetAttributes(attribute.String("error.type", "no answer"))
		span.End()
		return nil, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
	if response.StatusCode >= http.StatusBadRequest {
		span.SetStatus(codes.Error, "")
	}
	response.Body = &body{response.Body, span}
	return response, nil
}

// CloseIdleConnections is for http.Client and for the worker, which look for it.
func (c *caller) CloseIdleConnections() {
	if t, ok := c.next.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// body ends a span when it is closed.
type body struct {
	io.ReadCloser
	span oteltrace.Span
}

// Close closes the body and ends the span.
func (b *body) Close() error {
	b.span.End()
	return b.ReadCloser.Close()
}
