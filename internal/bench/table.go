package bench

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteTable prints a report for reading: one line for each scenario, then the
// comparison with the baseline driver, then what went wrong.
func (r *Report) WriteTable(w io.Writer) error {
	fmt.Fprintf(w, "%s/%s, %d cores (%s), %s, forced write %.0f µs\n\n", r.Machine.OS, r.Machine.Arch, r.Machine.Cores,
		cmp.Or(r.Machine.CPU, "unknown CPU"), r.Machine.GoVersion, r.Machine.SyncMicros)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(cells ...any) {
		for _, cell := range cells {
			fmt.Fprintf(t, "%v\t", cell)
		}
		fmt.Fprintln(t)
	}
	line("scenario", "clients", "accounts", "seconds", "requests/s", "items/s", "of", "p50 ms", "p90 ms", "p99 ms", "max ms",
		"failures", "MB sent", "MB read", "client µs", "server µs", "server MB")
	for _, result := range r.Results {
		f := result.Service
		if f == nil {
			continue
		}
		line(result.Scenario, result.Clients, result.Accounts, fmt.Sprintf("%.1f", f.Seconds), rate(f.RequestsPerSecond), rate(f.ItemsPerSecond),
			result.Unit,
			wait(f.Latency.P50), wait(f.Latency.P90), wait(f.Latency.P99), wait(f.Latency.Max), f.Failures,
			megabytes(f.BytesSent), megabytes(f.BytesReceived), cost(f.ClientCPU), cost(f.ServerCPU), megabytes(f.ServerRSS))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	r.writeComparison(w)
	r.writeTroubles(w)
	return nil
}

// writeComparison prints what the baseline driver did with the same rows.
func (r *Report) writeComparison(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	heading := false
	for _, result := range r.Results {
		if result.Baseline == nil {
			continue
		}
		if !heading {
			fmt.Fprintln(t, "\nscenario\tservice/s\tbaseline/s\tservice ÷ baseline\tbaseline p50 ms\tbaseline p99 ms\tthe baseline driver does")
			heading = true
		}
		service, ratio := "–", "–"
		if result.Service != nil {
			service, ratio = rate(result.Service.ItemsPerSecond), fmt.Sprintf("%.2f", result.Ratio)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", result.Scenario, service, rate(result.Baseline.ItemsPerSecond), ratio,
			wait(result.Baseline.Latency.P50), wait(result.Baseline.Latency.P99), result.BaselineSays)
	}
	t.Flush()
}

// writeTroubles prints everything that was not a plain success.
func (r *Report) writeTroubles(w io.Writer) {
	for _, result := range r.Results {
		if d := result.Deliveries; d != nil {
			fmt.Fprintf(w, "\n%s: %d of %d arrived, %d twice, %d signed wrongly; the events were made in %.1f s; latency is from event to "+
				"arrival, the longest pause between two %.1f s\n", result.Scenario, d.Received, d.Expected, d.Duplicates, d.BadSignatures, d.Generating,
				d.Pause)
		}
		writeBeside(w, result.Beside)
		if result.Outages != nil {
			result.Outages.write(w)
		}
		if result.Neighbours != nil {
			result.Neighbours.write(w)
		}
		if f := result.Service; f != nil && f.OfferedPerSecond > 0 {
			fmt.Fprintf(w, "\n%s: of %s requests a second offered, %s were answered with 2xx",
				result.Scenario, rate(f.OfferedPerSecond), rate(f.RequestsPerSecond))
			if h := f.HealthLatency; h != nil {
				fmt.Fprintf(w, "; /healthz beside them: p50 %s ms, p99 %s ms, at most %s ms", wait(h.P50), wait(h.P99), wait(h.Max))
			}
			fmt.Fprintln(w)
		}
		if f := result.Service; f != nil && f.Failures > 0 {
			var parts []string
			for _, status := range slices.Sorted(maps.Keys(f.Statuses)) {
				parts = append(parts, fmt.Sprintf("%s × %d", status, f.Statuses[status]))
			}
			fmt.Fprintf(w, "\n%s: answers by status: %s\n", result.Scenario, strings.Join(parts, ", "))
		}
		for _, kind := range slices.Sorted(maps.Keys(result.Refusals)) {
			fmt.Fprintf(w, "%s: the first %s: %s\n", result.Scenario, kind, result.Refusals[kind])
		}
		if result.Failure != "" {
			fmt.Fprintf(w, "\n%s FAILED: %s\n", result.Scenario, result.Failure)
		}
	}
}

func rate(perSecond float64) string {
	switch {
	case perSecond == 0:
		return "0"
	case perSecond < 10:
		return fmt.Sprintf("%.2f", perSecond)
	case perSecond < 1000:
		return fmt.Sprintf("%.1f", perSecond)
	default:
		return fmt.Sprintf("%.0f", perSecond)
	}
}

func wait(milliseconds float64) string {
	if milliseconds < 10 {
		return fmt.Sprintf("%.2f", milliseconds)
	}
	return fmt.Sprintf("%.1f", milliseconds)
}

func cost(micros float64) string {
	if micros == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", micros)
}

func megabytes(bytes int64) string {
	if bytes == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", float64(bytes)/1e6)
}
