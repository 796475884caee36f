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
}

// Failed reports whether a page was not answered with 200.
func (r *PagesReport) Failed() bool {
	return slices.ContainsFunc(r.Pages, func(p PageTime) bool { return p.Status != http.StatusOK })
}

// Pages logs in, finds the pages of a dashboard by their links and reads each of them repeatedly, one request at a
// time and one page after the other, so that a disturbance affects few requests of each. It changes nothing but the
// user's time of last login.
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
	waits, least := make([]Histogram, len(list)), make([]time.Duration, len(list))
	for round := range o.Times {
		for i := range list {
			read, err := v.read(ctx, list[i].Address)
			if err != nil {
				return nil, err
			}
			waits[i].Add(read.took)
			if least[i] == 0 || read.took < least[i] {
				least[i] = read.took
			}
			list[i].Status, list[i].Wire, list[i].Plain = read.status, read.wire, len(read.text)
		}
		if o.Progress != nil && (round+1)%10 == 0 {
			fmt.Fprintf(o.Progress, "%d pages, %d of %d times\n", len(list), round+1, o.Times)
		}
	}
	for i := range list {
		list[i].Least, list[i].Max = milliseconds(least[i]), milliseconds(waits[i].Max())
		list[i].P50, list[i].P95 = milliseconds(waits[i].Percentile(0.5)), milliseconds(waits[i].Percentile(0.95))
	}
	slices.SortStableFunc(list, func(a, b PageTime) int { return cmp.Compare(b.P95, a.P95) })
	return &PagesReport{Machine: thisMachine(""), Pages: list}, nil
}

// WriteTable prints the pages for reading.
func (r *PagesReport) WriteTable(w io.Writer) error {
	fmt.Fprintf(w, "%s/%s, %d cores (%s), %s\n\n", r.Machine.OS, r.Machine.Arch, r.Machine.Cores, orDefault(r.Machine.CPU, "unknown CPU"),
		r.Machine.GoVersion)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "least ms\tp50 ms\tp95 ms\tmax ms\tKB sent\tKB\tstatus\t page")
	for _, p := range r.Pages {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.1f\t%.1f\t%d\t %s\n", wait(p.Least), wait(p.P50), wait(p.P95), wait(p.Max), float64(p.Wire)/1e3,
			float64(p.Plain)/1e3, p.Status, p.Page)
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
