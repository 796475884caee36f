package bench

import (
	"strconv"
	"time"
)

// Report is everything one call of Run measured.
type Report struct {
	Machine Machine  `json:"machine"`
	Results []Result `json:"results"`
}

// Failed reports whether a scenario could not be measured at all.
func (r *Report) Failed() bool {
	for _, result := range r.Results {
		if result.Failure != "" {
			return true
		}
	}
	return false
}

// Result is one scenario: what the service did, and what the baseline driver did
// with the same rows.
type Result struct {
	Scenario     string   `json:"scenario"`
	Unit         string   `json:"unit"` // what an item is: order, product, update …
	Clients      int      `json:"clients"`
	Accounts     int      `json:"accounts"`
	Service      *Figures `json:"service,omitempty"`
	Baseline     *Figures `json:"baseline,omitempty"`
	BaselineSays string   `json:"baselineMeasures,omitempty"`
	// Ratio is the service's items a second over the baseline driver's; 0 when one
	// of them was not measured.
	Ratio      float64           `json:"ratio,omitempty"`
	Deliveries *DeliveryFigures  `json:"deliveries,omitempty"`
	Neighbours *NeighbourFigures `json:"neighbours,omitempty"`
	Beside     []BesideFigures   `json:"beside,omitempty"`
	Outages    *OutageFigures    `json:"outages,omitempty"`
	Failure    string            `json:"failure,omitempty"`
	Refusals   map[string]string `json:"refusals,omitempty"` // first words of each kind of failure
}

// Figures are the outcome of one measurement. Rates count successes only.
type Figures struct {
	Seconds           float64        `json:"seconds"`
	Requests          uint64         `json:"requests"` // answered with 2xx
	RequestsPerSecond float64        `json:"requestsPerSecond"`
	Items             int            `json:"items"`
	ItemsPerSecond    float64        `json:"itemsPerSecond"`
	Latency           Latency        `json:"latencyMs"`
	Statuses          map[string]int `json:"statuses,omitempty"`
	Failures          int            `json:"failures"` // every request without a 2xx
	// OfferedPerSecond is the rate of an open loop, and HealthLatency how long /healthz took beside it.
	OfferedPerSecond float64  `json:"offeredPerSecond,omitempty"`
	HealthLatency    *Latency `json:"healthLatencyMs,omitempty"`
	BytesSent        int64    `json:"bytesSent,omitempty"`
	BytesReceived    int64    `json:"bytesReceived,omitempty"`
	// ClientCPU and ServerCPU are microseconds of processor time per request,
	// ServerCPU and the memory only when the server's process is known.
	ClientCPU    float64 `json:"clientCpuMicrosPerRequest,omitempty"`
	ServerCPU    float64 `json:"serverCpuMicrosPerRequest,omitempty"`
	ServerRSS    int64   `json:"serverRssBytes,omitempty"`
	ServerRSSMax int64   `json:"serverPeakRssBytes,omitempty"`
}

// Latency is in milliseconds, of successful requests.
type Latency struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// DeliveryFigures say how webhook deliveries arrived. The latency of the
// result's figures is then the lag from an event's timestamp to its arrival.
type DeliveryFigures struct {
	Expected      int     `json:"expected"`
	Received      int     `json:"received"` // distinct
	Duplicates    int     `json:"duplicates"`
	BadSignatures int     `json:"badSignatures"`
	Generating    float64 `json:"generatingSeconds"`   // how long making the events took
	Pause         float64 `json:"longestPauseSeconds"` // between two deliveries
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

func latencyOf(h *Histogram) Latency {
	return Latency{
		Mean: milliseconds(h.Mean()),
		P50:  milliseconds(h.Percentile(0.50)),
		P90:  milliseconds(h.Percentile(0.90)),
		P99:  milliseconds(h.Percentile(0.99)),
		Max:  milliseconds(h.Max()),
	}
}

// figures turns a tally into what is reported.
func (t *tally) figures(took time.Duration) *Figures {
	f := &Figures{
		Seconds: took.Seconds(), Requests: t.waits.Count(), Items: t.items,
		Latency: latencyOf(&t.waits), Statuses: map[string]int{},
		BytesSent: t.sent, BytesReceived: t.received, Failures: t.broken,
	}
	for status, n := range t.statuses {
		if n == 0 {
			continue
		}
		f.Statuses[strconv.Itoa(status)] = n
		if status/100 != 2 {
			f.Failures += n
		}
	}
	if t.broken > 0 {
		f.Statuses["no answer"] = t.broken
	}
	if t.unsent > 0 {
		f.Statuses["not sent"] = t.unsent
		f.Failures += t.unsent
	}
	if t.health.Count() > 0 {
		health := latencyOf(&t.health)
		f.HealthLatency = &health
	}
	f.rates()
	return f
}

// rates derives the rates from counts and time.
func (f *Figures) rates() {
	if f.Seconds > 0 {
		f.RequestsPerSecond = float64(f.Requests) / f.Seconds
		f.ItemsPerSecond = float64(f.Items) / f.Seconds
	}
}
