// Package trace records what a request causes as spans of OpenTelemetry, and sends them over OTLP by HTTP
// (docs/monitoring.md).
//
//	trace.go    start and stop, by OpenTelemetry's own variables
//	metrics.go  sends the metrics of /metrics by the same protocol
//	http.go     the span of a request, and that of a call to another server
//	log.go      trace ids in log lines
//
// A nil *Tracer is tracing that is off: each of its methods returns what it was given, so that nothing is wrapped.
// Spans name operations, routes, statements and hosts. They hold no argument of a statement, no path with its ids, no
// query, no body and no text of an error.
package trace

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"

	"entrepot/internal/base/apperr"
)

// Tracer makes spans and sends them. It is safe for concurrent use.
type Tracer struct {
	provider *sdk.TracerProvider
	spans    oteltrace.Tracer
}

// name is the service's name unless OTEL_SERVICE_NAME says otherwise, and the scope of its spans.
const name = "entrepot"

// Wanted reports whether OpenTelemetry's variables ask for traces: an endpoint is set, and nothing turns traces off.
func Wanted(getenv func(string) string) bool { return wanted(getenv, "TRACES") }

// wanted is Wanted for TRACES or METRICS.
func wanted(getenv func(string) string, signal string) bool {
	off := strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || strings.EqualFold(getenv("OTEL_"+signal+"_EXPORTER"), "none")
	return !off && (getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != "")
}

// Start starts tracing if it is Wanted, and returns nil otherwise. The exporter and the sampler read the other OTEL_
// variables. Errors: a protocol other than http/protobuf, or an endpoint that is no address.
func Start(ctx context.Context, getenv func(string) string, version string, log *slog.Logger) (*Tracer, error) {
	if !Wanted(getenv) {
		return nil, nil
	}
	if err := onlyHTTP(getenv, "TRACES"); err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	warnAtMostEveryMinute(log)
	return New(exporter, sdk.WithResource(about(ctx, version, log))), nil
}

// onlyHTTP refuses a protocol of TRACES or METRICS that is not spoken here.
func onlyHTTP(getenv func(string) string, signal string) error {
	for _, variable := range []string{"OTEL_EXPORTER_OTLP_" + signal + "_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := getenv(variable); protocol != "" && protocol != "http/protobuf" {
			return fmt.Errorf("%s is %s, but %s are sent by http/protobuf only: set it to http/protobuf, and the endpoint to "+
				"the collector's HTTP port, often 4318", variable, protocol, strings.ToLower(signal))
		}
	}
	return nil
}

// about is what spans and metrics say of their sender: service, version, host, and what OTEL_RESOURCE_ATTRIBUTES adds.
func about(ctx context.Context, version string, log *slog.Logger) *resource.Resource {
	sender, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(),
		resource.WithAttributes(attribute.String("service.name", name), attribute.String("service.version", version)),
		resource.WithFromEnv())
	if err != nil {
		log.Warn("OTEL_RESOURCE_ATTRIBUTES is used only in part", "error", err)
	}
	return sender
}

// warnAtMostEveryMinute logs why spans or metrics were not sent.
func warnAtMostEveryMinute(log *slog.Logger) {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(atMost(time.Minute, func(err error) {
		log.Warn("traces or metrics were not sent", "error", err)
	})))
}

// New is a tracer that sends its spans through an exporter.
func New(exporter sdk.SpanExporter, options ...sdk.TracerProviderOption) *Tracer {
	provider := sdk.NewTracerProvider(append(options, sdk.WithBatcher(exporter))...)
	return &Tracer{provider: provider, spans: provider.Tracer(name)}
}

// atMost passes one call in a span of time.
func atMost(span time.Duration, call func(error)) func(error) {
	var last atomic.Int64
	return func(err error) {
		if now, before := time.Now().UnixNano(), last.Load(); now-before >= int64(span) && last.CompareAndSwap(before, now) {
			call(err)
		}
	}
}

// Stop sends what is not sent yet, and ends tracing. It returns when ctx ends at the latest.
func (t *Tracer) Stop(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Attr is an attribute of a span: a text.
func Attr(key, value string) attribute.KeyValue { return attribute.String(key, value) }

// Number is an attribute of a span: a number.
func Number(key string, value int) attribute.KeyValue { return attribute.Int(key, value) }

// Begin begins a span within that of ctx, and returns the context of its parts. end ends the span with an error, of
// which the span keeps the kind only, or nil.
func (t *Tracer) Begin(ctx context.Context, name string, about ...attribute.KeyValue) (inner context.Context, end func(error)) {
	if t == nil {
		return ctx, func(error) {}
	}
	inner, span := t.spans.Start(ctx, name, oteltrace.WithAttributes(about...))
	return inner, func(err error) {
		failed(span, err)
		span.End()
	}
}

// Done records a part of ctx's span that began at a time and has ended, with an error or nil.
func (t *Tracer) Done(ctx context.Context, name string, began time.Time, err error, about ...attribute.KeyValue) {
	_, span := t.spans.Start(ctx, name, oteltrace.WithTimestamp(began), oteltrace.WithAttributes(about...))
	failed(span, err)
	span.End()
}

// failed marks a span by the kind of an error. The text of an error may quote what a caller sent.
func failed(span oteltrace.Span, err error) {
	if err == nil {
		return
	}
	kind := "internal"
	refused, known := apperr.As(err)
	if known {
		kind = refused.Code
	}
	span.SetAttributes(attribute.String("error.type", kind))
	if !known || refused.Kind == apperr.Unavailable {
		span.SetStatus(codes.Error, "")
	}
}

// Recording reports whether ctx has a span that is recorded.
func Recording(ctx context.Context) bool { return oteltrace.SpanFromContext(ctx).IsRecording() }

// Carry is the context to with the span of from, for work that another context ends.
func Carry(from, to context.Context) context.Context {
	if span := oteltrace.SpanFromContext(from); span.IsRecording() {
		return oteltrace.ContextWithSpan(to, span)
	}
	return to
}

// propagator reads and writes the headers traceparent and tracestate (W3C Trace Context).
var propagator = propagation.TraceContext{}

// parent is the header that names a span.
const parent = "traceparent"

// Parent is the traceparent of ctx's span, "" unless that is sampled.
func Parent(ctx context.Context) string {
	if !oteltrace.SpanContextFromContext(ctx).IsSampled() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagator.Inject(ctx, carrier)
	return carrier[parent]
}

// Within is ctx with the span of a traceparent as the span around those begun in it; ctx itself for "".
func Within(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return propagator.Extract(ctx, propagation.MapCarrier{parent: traceparent})
}
