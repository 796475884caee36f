package trace

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/sdk/metric"
)

// SendMetrics sends what a registry gathers over OTLP by HTTP, once a minute or as often as OTEL_METRIC_EXPORT_INTERVAL
// says, if OpenTelemetry's variables ask for it: an endpoint is set, and nothing turns metrics off. stop sends the last
// values; it is never nil. Errors: as of Start.
func SendMetrics(ctx context.Context, getenv func(string) string, version string, from prometheus.Gatherer,
	log *slog.Logger) (stop func(context.Context) error, err error) {
	none := func(context.Context) error { return nil }
	if !wanted(getenv, "METRICS") {
		return none, nil
	}
	if err := onlyHTTP(getenv, "METRICS"); err != nil {
		return none, err
	}
	exporter, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return none, fmt.Errorf("metrics: %w", err)
	}
	warnAtMostEveryMinute(log)
	reader := metric.NewPeriodicReader(exporter, metric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(from))))
	provider := metric.NewMeterProvider(metric.WithReader(reader), metric.WithResource(about(ctx, version, log)))
	return provider.Shutdown, nil
}
