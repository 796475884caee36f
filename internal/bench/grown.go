package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"text/tabwriter"
	"time"
)

// GrownOptions say which service to ask, and how often.
type GrownOptions struct {
	URL         string // base address of the service
	Key         string // API key of a filled account, with every scope that reads; for changes, with every scope
	Times       int    // how often each request is sent, 1 to 10,000
	Changes     bool   // also create, change and delete records of the run's own
	ServerPIDs  []int  // processes of the service, to measure their processor time
	AllowRemote bool
	Progress    io.Writer
}

// GrownReport is the result, in the order of the requests.
type GrownReport struct {
	Machine  Machine          `json:"machine"`
	Records  map[string]int64 `json:"records"` // how many the account has, by list
	Requests []GrownRequest   `json:"requests"`
}

// GrownRequest is one kind of request: how long the service took to its last byte, beside what it may take.
type GrownRequest struct {
	List      string  `json:"list"`
	Request   string  `json:"request"`
	Address   string  `json:"at"`     // one of the addresses that were asked
	Status    int     `json:"status"` // of the first answer that was not 2xx, else of the last one
	Goal      float64 `json:"goalMs"`
	P50       float64 `json:"p50Ms"`
	P95       float64 `json:"p95Ms"`
	Max       float64 `json:"maxMs"`
	ServerCPU float64 `json:"serverCpuMs,omitempty"` // processor time of the service for one request; 0 when unknown
}

// Failed reports whether a request was not answered with 2xx.
func (r *GrownReport) Failed() bool {
	return slices.ContainsFunc(r.Requests, func(q GrownRequest) bool { return q.Status/100 != 2 })
}

// Grown asks each list, search, feed and figure of a large account repeatedly, one request at a time. What is asked for,
// such as customers and words to search, is taken from the account's own records. It changes nothing but with o.Changes.
func Grown(ctx context.Context, o GrownOptions) (*GrownReport, error) {
	if o.Times < 1 || o.Times > 10_000 {
		return nil, &CallError{fmt.Errorf("--times must lie between 1 and 10000")}
	}
	t, err := newTarget(ctx, o.URL, o.AllowRemote)
	if err != nil {
		return nil, err
	}
	caller := (&campaign{target: t}).caller(o.Key)
	defer caller.close()
	samples, err := takeSamples(ctx, caller)
	if err != nil {
		return nil, fmt.Errorf("read what to ask for: %w", err)
	}
	report := &GrownReport{Machine: thisMachine(""), Records: samples.records}
	for _, q := range samples.requests(time.Now()) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		done, err := q.measure(caller, o)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", q.list, q.name, err)
		}
		report.Requests = append(report.Requests, done)
		if o.Progress != nil {
			fmt.Fprintf(o.Progress, "%s, %s: p50 %s ms\n", q.list, q.name, wait(done.P50))
		}
	}
	if o.Changes {
		done, err := o.changes(caller, time.Now())
		if err != nil {
			return nil, err
		}
		report.Requests = append(report.Requests, done...)
	}
	return report, nil
}

// measure sends a request once without counting it, so that all are measured with what they need in memory, and then
// as often as it is wanted.
func (q grownRequest) measure(caller *caller, o GrownOptions) (GrownRequest, error) {
	done := GrownRequest{List: q.list, Request: q.name, Goal: q.goal, Address: q.addresses[0]}
	conn := caller.conn
	var waits Histogram
	var before time.Duration
	for i := -1; i < o.Times; i++ {
		if i == 0 {
			before, _ = processesCPU(o.ServerPIDs)
		}
		head := conn.target.head("GET", q.addresses[max(i, 0)%len(q.addresses)], caller.key)
		caller.renew()
		if err := conn.open(); err != nil {
			return done, err
		}
		began := time.Now()
		a, err := conn.exchange(head, nil, false)
		if err != nil {
			return done, err
		}
		if done.Status == 0 || done.Status/100 == 2 {
			done.Status = a.status
		}
		if i >= 0 {
			waits.Add(time.Since(began))
		}
	}
	if after, known := processesCPU(o.ServerPIDs); known {
		done.ServerCPU = milliseconds((after - before) / time.Duration(o.Times))
	}
	done.P50, done.P95, done.Max = milliseconds(waits.Percentile(0.5)), milliseconds(waits.Percentile(0.95)), milliseconds(waits.Max())
	return done, nil
}

// WriteTable prints the requests for reading.
func (r *GrownReport) WriteTable(w io.Writer) error {
	fmt.Fprintf(w, "%s/%s, %d cores (%s), %s\n", r.Machine.OS, r.Machine.Arch, r.Machine.Cores, cmp.Or(r.Machine.CPU, "unknown CPU"),
		r.Machine.GoVersion)
	fmt.Fprintf(w, "%d orders, %d products, %d stock levels, %d customers; one request at a time\n\n",
		r.Records["orders"], r.Records["products"], r.Records["inventory"], r.Records["customers"])
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "goal ms\tp50 ms\tp95 ms\tmax ms\tservice CPU ms\t\t request")
	over := 0
	for _, q := range r.Requests {
		remark := ""
		switch {
		case q.Status/100 != 2:
			remark = http.StatusText(q.Status)
		case q.P50 > q.Goal:
			remark = "over"
			over++
		}
		fmt.Fprintf(t, "%.0f\t%s\t%s\t%s\t%s\t%s\t %s, %s\n", q.Goal, wait(q.P50), wait(q.P95), wait(q.Max), cost(q.ServerCPU), remark, q.List,
			q.Request)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\np50 is over the goal for %d of %d\n", over, len(r.Requests))
	return err
}
