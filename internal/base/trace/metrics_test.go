package trace_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	collector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	"google.golang.org/protobuf/proto"

	"entrepot/internal/base/trace"
)

// The values of a registry arrive at the receiver under their names; without a receiver, or when metrics are turned off,
// nothing is sent.
func TestMetricsAreSent(t *testing.T) {
	sent := make(chan *collector.ExportMetricsServiceRequest, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		message := &collector.ExportMetricsServiceRequest{}
		if err != nil || r.URL.Path != "/v1/metrics" || proto.Unmarshal(body, message) != nil {
			http.Error(w, "no metrics", http.StatusBadRequest)
			return
		}
		sent <- message
	}))
	defer receiver.Close()
	orders := prometheus.NewCounter(prometheus.CounterOpts{Name: "entrepot_orders_total"})
	registry := prometheus.NewRegistry()
	registry.MustRegister(orders)
	orders.Add(3)
	for name, c := range map[string]struct {
		set  map[string]string
		want int
	}{
		"no receiver":    {nil, 0},
		"turned off":     {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.URL, "OTEL_METRICS_EXPORTER": "none"}, 0},
		"all turned off": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.URL, "OTEL_SDK_DISABLED": "true"}, 0},
		"a receiver":     {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.URL}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for variable, value := range c.set {
				t.Setenv(variable, value)
			}
			stop, err := trace.SendMetrics(t.Context(), os.Getenv, "1.2.3", registry, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			if err := stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(sent) != c.want {
				t.Fatalf("%d messages were sent, want %d", len(sent), c.want)
			}
			if c.want == 0 {
				return
			}
			resource := (<-sent).ResourceMetrics[0]
			one := resource.ScopeMetrics[0].Metrics[0]
			if value := one.GetSum().GetDataPoints()[0].GetAsDouble(); one.Name != "entrepot_orders_total" || value != 3 {
				t.Errorf("%s is %v", one.Name, value)
			}
			about := map[string]string{}
			for _, a := range resource.Resource.Attributes {
				about[a.Key] = a.Value.GetStringValue()
			}
			if about["service.name"] != "entrepot" || about["service.version"] != "1.2.3" {
				t.Errorf("the sender: %v", about)
			}
		})
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "grpc")
	if _, err := trace.SendMetrics(t.Context(), os.Getenv, "1", registry, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("gRPC was accepted")
	}
}
