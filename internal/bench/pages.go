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

// PagesOptions say whose dashboard to measure, and how.
type PagesOptions struct {
	URL         string   // base address of the service
	Email       string   // of a user of the account
	Password    string   // of that user
	Times       int      // requests of each page, 1 to 10,000
	Most        int      // pages at most, 1 to 10,000
	Also        []string // further addresses to measure, such as /dashboard/orders?search=ada
	ServerPIDs  []int    // processes of the service, to measure their processor time; each page is then read in a row
	AllowRemote bool
	Progress    io.Writer
}

// PagesReport is the result, the slowest page first.
type PagesReport struct {
	Machine Machine    `json:"machine"`
	Pages   []PageTime `json:"pages"`
}

// PageTime is one page: how long the service took from the request to the last byte, and its size.
type PageTime struct {
	Page    string  `json:"page"`    // its address without the ids
	Address string  `json:"at"`      // the address that was read
	Status  int     `json:"status"`  // of the last answer
	Least   float64 `json:"leastMs"` // the shortest of all requests
	P50     float64 `json:"p50Ms"`
	P95     float64 `json:"p95Ms"`
	Max     float64 `json:"maxMs"`
	Wire    int     `json:"wireBytes"` // compressed, without headers
	Plain   int     `json:"bytes"`

	ServerCPU float64 `json:"serverCpuMs,omitempty"` // processor time of the service for one request; 0 when unknown

	waits Histogram
	least time.Duration
}

// Failed reports whether a page was not answered with 200.
func (r *PagesReport) Failed() bool {
	return slices.ContainsFunc(r.Pages, func(p PageTime) bool { return p.Status != http.StatusOK })
}

// Pages logs in, finds the pages of a dashboard by their links and reads each of them repeatedly, one request at a
// time. It changes nothing but the user's time of last login.
func Pages(ctx context.Context, o PagesOptions) (*PagesReport, error) {
	if o.Times < 1 || o.Times > 10_000 || o.Most < 1 || o.Most > 10_000 {
		return nil, &CallError{fmt.Errorf("--times and --most must lie between 1 and 10000")}
	}
	if _, err := newTarget(ctx, o.URL, o.AllowRemote); err != nil {
		return nil, err
	}
	v, err := newVisitor(o.URL)
	if err != nil {
		return nil, err
	}
	if err := v.logIn(ctx, o.Email, o.Password); err != nil {
		return nil, err
	}
	list, err := v.find(ctx, o.Also, o.Most)
	if err != nil {
		return nil, err
	}
	if len(o.ServerPIDs) > 0 {
		err = v.readInRows(ctx, list, o)
	} else {
		err = v.readInTurns(ctx, list, o)
	}
	if err != nil {
		return nil, err
	}
	for i := range list {
		p := &list[i]
		p.Least, p.Max = milliseconds(p.least), milliseconds(p.waits.Max())
		p.P50, p.P95 = milliseconds(p.waits.Percentile(0.5)), milliseconds(p.waits.Percentile(0.95))
	}
	slices.SortStableFunc(list, func(a, b PageTime) int { return cmp.Compare(b.P95, a.P95) })
	return &PagesReport{Machine: thisMachine(""), Pages: list}, nil
}

// readInTurns reads one page after the other, again and again, so that a disturbance affects few requests of each.
func (v *visitor) readInTurns(ctx context.Context, list []PageTime, o PagesOptions) error {
	for round := range o.Times {
		for i := range list {
			if err := v.measure(ctx, &list[i]); err != nil {
				return err
			}
		}
		if o.Progress != nil && (round+1)%10 == 0 {
			fmt.Fprintf(o.Progress, "%d pages, %d of %d times\n", len(list), round+1, o.Times)
		}
	}
	return nil
}

// readInRows reads a page as often as is wanted before the next one: systems count processor time too coarsely for one request.
func (v *visitor) readInRows(ctx context.Context, list []PageTime, o PagesOptions) error {
	for i := range list {
		p := &list[i]
		before, _ := processesCPU(o.ServerPIDs)
		for range o.Times {
			if err := v.measure(ctx, p); err != nil {
				return err
			}
		}
		if after, known := processesCPU(o.ServerPIDs); known {
			p.ServerCPU = milliseconds(after-before) / float64(o.Times)
		}
		if o.Progress != nil {
			fmt.Fprintf(o.Progress, "%d of %d pages: %s\n", i+1, len(list), p.Page)
		}
	}
	return nil
}

func (v *visitor) measure(ctx context.Context, p *PageTime) error {
	read, err := v.read(ctx, p.Address)
	if err != nil {
		return err
	}
	p.waits.Add(read.took)
	if p.least == 0 || read.took < p.least {
		p.least = read.took
	}
	p.Status, p.Wire, p.Plain = read.status, read.wire, len(read.text)
	return nil
}

// WriteTable prints the pages for reading.
func (r *PagesReport) WriteTable(w io.Writer) error {
	fmt.Fprintf(w, "%s/%s, %d cores (%s), %s\n\n", r.Machine.OS, r.Machine.Arch, r.Machine.Cores, cmp.Or(r.Machine.CPU, "unknown CPU"),
		r.Machine.GoVersion)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "cpu ms\tleast ms\tp50 ms\tp95 ms\tmax ms\tKB sent\tKB\tstatus\t page")
	for _, p := range r.Pages {
		cpu := "-"
		if p.ServerCPU > 0 {
			cpu = wait(p.ServerCPU)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%.1f\t%.1f\t%d\t %s\n", cpu, wait(p.Least), wait(p.P50), wait(p.P95), wait(p.Max),
			float64(p.Wire)/1e3, float64(p.Plain)/1e3, p.Status, p.Page)
	}
	return t.Flush()
}

// timed is an answer, read whole.
type timed struct {
	status int
	text   string
	wire   int
	took   time.Duration
}
