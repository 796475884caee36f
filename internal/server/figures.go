package server

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/channelsync"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// What /metrics shows of the store and of the merchants' business (docs/monitoring.md). It is read by one statement
// after the other, from counts that writes maintain and from the beginnings of indexes, so that it costs the same at a
// thousand orders and at a million. Scrapes share what was read: it is read again by a scrape at least figuresEvery
// after the last time, and no scrape waits for the reading of another.

// Bounds of reading.
const (
	figuresEvery = 15 * time.Second
	figuresShare = 50               // reading takes at most one part in so many of the time
	figuresTime  = 10 * time.Second // then reading is given up
	figuresWait  = 2 * time.Second  // then the scrape that reads shows what was read before
	figuresKept  = 5 * time.Minute  // then what was read before is not shown any more
	mostLabelled = 100              // channels, endpoints and accounts with series of their own; the others are summed up under "other"
)

// other is the label for what has no series of its own.
const other = "other"

// desc describes a metric of this file.
func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("entrepot_"+name, help, labels, nil)
}

var (
	ordersNow = desc("orders", "Orders by channel and status.", "account", "channel", "status")
	toShip    = desc("order_oldest_to_ship_seconds", "Age of the oldest order that is PROCESSING or PARTIALLY_SHIPPED.", "account")
	pullAge   = desc("channel_pull_age_seconds", "Time since orders were last pulled from the channel's platform.", "account", "channel", "platform")
	pushLag   = desc("channel_push_lag_seconds", "How long the oldest push to the channel's platform has waited or failed, 0 if none does.",
		"account", "channel", "platform")
	lowStock        = desc("stock_levels_low", "Stock levels below their threshold.", "account")
	openJobs        = desc("jobs_open", "Jobs that have not ended.")
	overdueJobs     = desc("jobs_overdue_seconds", "How long the first due job has waited for a node, 0 if none waits.")
	failedJobs      = desc("jobs_failed", "Jobs that failed in the last 24 hours, by type.", "type")
	queueAge        = desc("webhook_queue_age_seconds", "Age of the endpoint's oldest pending delivery.", "account", "endpoint")
	queueLength     = desc("webhook_queue_pending", "Pending deliveries of the endpoint.", "account", "endpoint")
	inUse           = desc("store_connections_in_use", "Connections to the store that this node uses.")
	mostInUse       = desc("store_connections_max", "Connections to the store that this node may use.")
	storeSize       = desc("store_size_bytes", "Size of the store's tables and indexes.")
	diskFree        = desc("disk_free_bytes", "Bytes left on the disk of the data folder.")
	certificateLeft = desc("certificate_expiry_timestamp_seconds", "When the certificate of the server's own TLS ends.")
	figuresTook     = desc("figures_read_seconds", "How long reading these figures from the store took.")
)

// described lists them.
var described = []*prometheus.Desc{ordersNow, toShip, pullAge, pushLag, lowStock, openJobs, overdueJobs, failedJobs, queueAge, queueLength,
	inUse, mostInUse, storeSize, diskFree, certificateLeft, figuresTook}

// figures is a collector of these metrics.
type figures struct {
	s *Server

	mu      sync.Mutex
	last    *read         // nil before the first
	reading chan struct{} // closed when the reading under way ends; nil without one
}

// read is what was read from the store at one time. Times in it are microseconds since 1970.
type read struct {
	at     time.Time // by this machine's clock
	took   time.Duration
	ids    map[id.Tenant]id.Account
	orders []orders.Count
	oldest map[id.Tenant]int64
	syncs  []channelsync.Progress
	low    map[id.Tenant]int64
	jobs   jobs.Backlog
	queues []webhooks.Waiting
	size   int64
}

// Describe lists the metrics, so that none is registered twice.
func (f *figures) Describe(to chan<- *prometheus.Desc) {
	for _, d := range described {
		to <- d
	}
}

// Collect shows what was read last.
func (f *figures) Collect(to chan<- prometheus.Metric) {
	if ends, known := f.s.certificateEnds(); known {
		to <- gauge(certificateLeft, float64(ends.Unix()))
	}
	n := f.s.running.Load()
	if n == nil {
		return
	}
	used, most := n.store.DB.InUse()
	to <- gauge(inUse, float64(used))
	to <- gauge(mostInUse, float64(most))
	if n.store.DB.Engine() == "sqlite" {
		if free, known := freeOf(f.s.config.Dir); known {
			to <- gauge(diskFree, float64(free))
		}
	}
	if r := f.current(n.store.DB); r != nil {
		r.collect(to, n.store.DB.Now())
	}
}

// current is what was read last. It reads again if that is due and nobody does; nil if there is nothing to show.
func (f *figures) current(store *db.DB) *read {
	f.mu.Lock()
	wait := f.last == nil
	if f.reading == nil && (f.last == nil || time.Since(f.last.at) >= max(figuresEvery, figuresShare*f.last.took)) {
		f.reading, wait = make(chan struct{}), true
		go f.read(store, f.reading)
	}
	reading := f.reading
	f.mu.Unlock()
	if wait {
		select {
		case <-reading:
		case <-time.After(figuresWait):
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == nil || time.Since(f.last.at) > figuresKept {
		return nil
	}
	return f.last
}

// read reads everything on one snapshot.
func (f *figures) read(store *db.DB, ended chan struct{}) {
	ctx, cancel := context.WithTimeout(db.Background(context.Background()), figuresTime)
	defer cancel()
	r := &read{at: time.Now()}
	err := store.Read(ctx, db.Across, func(tx *db.Tx) error { return r.fill(tx) })
	r.took = time.Since(r.at)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reading = nil
	if err == nil {
		f.last = r
	} else {
		f.s.log.Warn("the figures of /metrics could not be read", "error", err)
	}
	close(ended)
}

func (r *read) fill(tx *db.Tx) (err error) {
	if r.ids, err = accounts.IDs(tx); err != nil {
		return err
	}
	if r.orders, err = orders.CountsEverywhere(tx); err != nil {
		return err
	}
	if r.oldest, err = orders.OldestToShip(tx); err != nil {
		return err
	}
	if r.syncs, err = channelsync.Everywhere(tx); err != nil {
		return err
	}
	if r.low, err = stock.LowEverywhere(tx); err != nil {
		return err
	}
	if r.jobs, err = jobs.Everywhere(tx); err != nil {
		return err
	}
	if r.queues, err = webhooks.LongestQueues(tx, mostLabelled); err != nil {
		return err
	}
	if r.size, err = tx.Size(); err != nil {
		return err
	}
	return nil
}

func gauge(of *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
}

// collect shows what was read, with ages at a time.
func (r *read) collect(to chan<- prometheus.Metric, now time.Time) {
	age := func(since int64) float64 { // of a time in microseconds, 0 for none
		if since == 0 {
			return 0
		}
		return max(0, now.Sub(time.UnixMicro(since)).Seconds())
	}
	r.collectOrders(to)
	r.byAccount(to, toShip, r.oldest, func(sum, of float64) float64 { return max(sum, of) }, age)
	r.byAccount(to, lowStock, r.low, func(sum, of float64) float64 { return sum + of }, func(n int64) float64 { return float64(n) })
	var pull, push float64
	for i, s := range r.syncs {
		if i < mostLabelled {
			labels := []string{r.account(s.Tenant), string(s.Channel), s.Platform}
			to <- gauge(pullAge, age(s.PulledAt), labels...)
			to <- gauge(pushLag, age(s.Pushing), labels...)
			continue
		}
		pull, push = max(pull, age(s.PulledAt)), max(push, age(s.Pushing))
	}
	if len(r.syncs) > mostLabelled {
		to <- gauge(pullAge, pull, other, other, other)
		to <- gauge(pushLag, push, other, other, other)
	}
	to <- gauge(openJobs, float64(r.jobs.Open))
	to <- gauge(overdueJobs, age(r.jobs.Overdue))
	for _, of := range jobs.Types {
		to <- gauge(failedJobs, float64(r.jobs.Failed[of]), string(of))
	}
	for _, q := range r.queues {
		to <- gauge(queueAge, age(q.Since), r.account(q.Tenant), string(q.Endpoint))
		to <- gauge(queueLength, float64(q.Pending), r.account(q.Tenant), string(q.Endpoint))
	}
	to <- gauge(storeSize, float64(r.size))
	to <- gauge(figuresTook, r.took.Seconds())
}

// collectOrders shows the counts of the first mostLabelled channels, in the order of accounts and channels, which is
// that of their creation. Orders without a channel have the channel "none".
func (r *read) collectOrders(to chan<- prometheus.Metric) {
	type place struct {
		tenant  id.Tenant
		channel id.Channel
	}
	list := slices.Clone(r.orders)
	slices.SortFunc(list, func(a, b orders.Count) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Channel, b.Channel))
	})
	rest, shown, before := map[orders.Status]int64{}, 0, place{}
	for _, c := range list {
		if at := (place{c.Tenant, c.Channel}); at != before {
			before = at
			shown++
		}
		if shown > mostLabelled {
			rest[c.Status] += c.Orders
			continue
		}
		to <- gauge(ordersNow, float64(c.Orders), r.account(c.Tenant), cmp.Or(string(c.Channel), "none"), string(c.Status))
	}
	for status, n := range rest {
		to <- gauge(ordersNow, float64(n), other, other, string(status))
	}
}

// byAccount shows a value of each of the first mostLabelled accounts, and of the others what join makes of theirs.
func (r *read) byAccount(to chan<- prometheus.Metric, of *prometheus.Desc, values map[id.Tenant]int64, join func(sum, of float64) float64,
	value func(int64) float64) {
	tenants := make([]id.Tenant, 0, len(values))
	for tenant := range values {
		tenants = append(tenants, tenant)
	}
	slices.Sort(tenants)
	rest := 0.0
	for i, tenant := range tenants {
		if i < mostLabelled {
			to <- gauge(of, value(values[tenant]), r.account(tenant))
			continue
		}
		rest = join(rest, value(values[tenant]))
	}
	if len(tenants) > mostLabelled {
		to <- gauge(of, rest, other)
	}
}

// account is the label of an account: its id.
func (r *read) account(tenant id.Tenant) string { return string(r.ids[tenant]) }
