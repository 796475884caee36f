package worker

import "github.com/prometheus/client_golang/prometheus"

// What the worker measures, for /metrics.
var (
	dispatched = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "entrepot_webhook_dispatched_total", Help: "Deliveries made from events.",
	})
	attempts = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "entrepot_webhook_attempts_total", Help: "Attempts by what the delivery was afterwards and by class of the answer's status.",
	}, []string{"state", "status"})
	duration = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "entrepot_webhook_attempt_seconds", Help: "Time of attempts.", Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	})
	lateness = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "entrepot_webhook_late_seconds", Help: "From when a delivery was due to its attempt.",
		Buckets: []float64{.005, .01, .05, .1, .5, 1, 5, 30, 120, 600, 3600},
	})
	pending = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "entrepot_webhook_pending", Help: "Deliveries that wait: for their time, for an answer, or for their endpoint to be active again.",
	})
	unserved = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "entrepot_webhook_unserved_seconds", Help: "How long a due queue has been waiting for a node to take it.",
	})
	held = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "entrepot_webhook_queues_held", Help: "Queues that this node serves.",
	})
)

// Collectors returns the worker's metrics; the server registers them.
func Collectors() []prometheus.Collector {
	return []prometheus.Collector{dispatched, attempts, duration, lateness, pending, unserved, held}
}
