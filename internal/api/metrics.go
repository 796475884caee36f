package api

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics of the edge, for /metrics.
var (
	requests = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "entrepot_http_request_seconds", Help: "Time of HTTP requests by route and status.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
	}, []string{"method", "route", "status"})
)

// Collectors are what the edge measures; the server registers them.
func Collectors() []prometheus.Collector { return []prometheus.Collector{requests} }

func observe(r *request, status int, took time.Duration) {
	path := "none"
	if r.route != nil && r.route.path != "" {
		path = r.route.path
	}
	requests.WithLabelValues(r.http.Method, path, strconv.Itoa(status)).Observe(took.Seconds())
}
