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

// Collectors are the measurements of the edge; the server registers them.
func Collectors() []prometheus.Collector { return []prometheus.Collector{requests} }

// methods are the labels for methods; other methods share one label, because callers may invent any, and labels never
// go away.
var methods = map[string]string{"GET": "GET", "HEAD": "HEAD", "POST": "POST", "PUT": "PUT", "PATCH": "PATCH", "DELETE": "DELETE",
	"OPTIONS": "OPTIONS"}

func observe(r *request, status int, took time.Duration) {
	method, known := methods[r.http.Method]
	if !known {
		method = "other"
	}
	path := "none"
	if r.route != nil && r.route.path != "" {
		path = r.route.path
	}
	requests.WithLabelValues(method, path, strconv.Itoa(status)).Observe(took.Seconds())
}
