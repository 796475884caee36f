package trace

import (
	"context"
	"log/slog"

	oteltrace "go.opentelemetry.io/otel/trace"
)

// Log adds trace_id and span_id to the lines that are logged with the context of a span.
func (t *Tracer) Log(log *slog.Logger) *slog.Logger {
	if t == nil {
		return log
	}
	return slog.New(&handler{log.Handler()})
}

// handler adds the ids to each record.
type handler struct{ slog.Handler }

// Handle adds the ids to a copy of the record, as slog asks of handlers.
func (h *handler) Handle(ctx context.Context, line slog.Record) error {
	if span := oteltrace.SpanContextFromContext(ctx); span.IsValid() {
		line = line.Clone()
		line.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs keeps the ids in the lines of a logger with attributes.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the ids in the lines of a logger with a group.
func (h *handler) WithGroup(name string) slog.Handler { return &handler{h.Handler.WithGroup(name)} }
