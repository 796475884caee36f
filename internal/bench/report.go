package bench

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Report is what one call of Run measured.
type Report struct {
	Machine Machine  `json:"machine"`
	Results []Result `json:"results"`
}

// Machine is where it was measured.
type Machine struct {
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	CPU       string `json:"cpu,omitempty"`
	Cores     int    `json:"cores"`
	GoVersion string `json:"goVersion"`
}

// Result is one scenario: the service, and the baseline with the same rows.
type Result struct {
	Scenario string   `json:"scenario"`
	Unit     string   `json:"unit"` // what an item is
	Clients  int      `json:"clients"`
	Service  *Figures `json:"service,omitempty"`
	Baseline *Figures `json:"baseline,omitempty"`
	Ratio    float64  `json:"ratio,omitempty"` // the service's items a second ÷ the baseline's; 0: not measured
	Failure  string   `json:"failure,omitempty"`
}

// Figures are the outcome of one measurement. Rates count successes only; times are in milliseconds.
type Figures struct {
	Seconds           float64        `json:"seconds"`
	Requests          int            `json:"requests"`
	Items             int            `json:"items"`
	RequestsPerSecond float64        `json:"requestsPerSecond"`
	ItemsPerSecond    float64        `json:"itemsPerSecond"`
	P50               float64        `json:"p50Ms"`
	P90               float64        `json:"p90Ms"`
	P99               float64        `json:"p99Ms"`
	Max               float64        `json:"maxMs"`
	Failures          map[string]int `json:"failures,omitempty"` // requests without a 2xx, by status
	FirstFailure      string         `json:"firstFailure,omitempty"`
	Duplicates        int            `json:"duplicates,omitempty"` // deliveries that came again
	ServerCPU         float64        `json:"serverCpuMicrosPerItem,omitempty"`
	ServerMemory      int64          `json:"serverMemoryBytes,omitempty"`
}

// Failed reports whether a scenario could not be measured.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Results, func(result Result) bool { return result.Failure != "" })
}

// figures returns what is reported of a tally.
func (t *tally) figures(took time.Duration) *Figures {
	ms := func(quantile float64) float64 { return float64(t.waits.ValueAtQuantile(quantile)) / 1e3 }
	f := &Figures{Seconds: took.Seconds(), Requests: t.requests, Items: t.items, P50: ms(50), P90: ms(90), P99: ms(99), Max: ms(100),
		Failures: t.failures, FirstFailure: t.first}
	if took > 0 {
		f.RequestsPerSecond, f.ItemsPerSecond = float64(t.requests)/took.Seconds(), float64(t.items)/took.Seconds()
	}
	return f
}

// WriteTable prints a report for people: a line for each scenario, and what went wrong.
func (r *Report) WriteTable(w io.Writer) error {
	fmt.Fprintf(w, "%s/%s, %d cores (%s), %s\n\n", r.Machine.OS, r.Machine.Arch, r.Machine.Cores, cmp.Or(r.Machine.CPU, "unknown CPU"),
		r.Machine.GoVersion)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "scenario\tclients\titems/s\tof\tp50 ms\tp90 ms\tp99 ms\tmax ms\tCPU µs/item\tMB\tbaseline/s\t÷ baseline\t")
	for _, result := range r.Results {
		f, base := result.Service, result.Baseline
		if f == nil {
			f = new(Figures)
		}
		if base == nil {
			base = new(Figures)
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", result.Scenario, result.Clients, short(f.ItemsPerSecond), result.Unit,
			short(f.P50), short(f.P90), short(f.P99), short(f.Max), short(f.ServerCPU), short(float64(f.ServerMemory)/1e6),
			short(base.ItemsPerSecond), short(result.Ratio))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, result := range r.Results {
		if f := result.Service; f != nil {
			for _, kind := range slices.Sorted(maps.Keys(f.Failures)) {
				fmt.Fprintf(w, "\n%s: %d × %s, the first: %s\n", result.Scenario, f.Failures[kind], kind, f.FirstFailure)
			}
		}
		if result.Failure != "" {
			fmt.Fprintf(w, "\n%s FAILED: %s\n", result.Scenario, result.Failure)
		}
	}
	return nil
}

// short prints a figure with some three digits; 0 is not known.
func short(n float64) string {
	switch {
	case n == 0:
		return "–"
	case n < 10:
		return fmt.Sprintf("%.2f", n)
	case n < 100:
		return fmt.Sprintf("%.1f", n)
	}
	return fmt.Sprintf("%.0f", n)
}

func thisMachine() Machine {
	m := Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), GoVersion: runtime.Version()}
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	return m
}
