package server

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"entrepot/internal/backups"
	"entrepot/internal/base/id"
	"entrepot/internal/channelsync"
	"entrepot/internal/orders"
)

// SetFree makes what is left on every disk n bytes until undo is called.
func SetFree(n uint64) (undo func()) {
	before := freeOf
	freeOf = func(string) (uint64, bool) { return n, true }
	return func() { freeOf = before }
}

// Series is one series of /metrics; Other says that it sums up what has no series of its own.
type Series struct {
	Name  string
	Other bool
	Value float64
}

// CollectMany shows so many accounts, each with a channel, an order and a low level; the nth was pulled n seconds ago.
func CollectMany(n int) (list []Series) {
	now := time.Unix(1_800_000_000, 0)
	r := &read{ids: map[id.Tenant]id.Account{}, oldest: map[id.Tenant]int64{}, low: map[id.Tenant]int64{}}
	for i := range n {
		tenant, channel := id.Tenant(i+1), id.New[id.Channel]()
		at := now.Add(-time.Duration(i+1) * time.Second).UnixMicro()
		r.orders = append(r.orders, orders.Count{Tenant: tenant, Channel: channel, Status: orders.Processing, Orders: 1})
		r.syncs = append(r.syncs, channelsync.Progress{Tenant: tenant, Channel: channel, Platform: "SHOPIFY", PulledAt: at})
		r.ids[tenant] = id.New[id.Account]()
		r.oldest[tenant], r.low[tenant] = at, 1
	}
	to := make(chan prometheus.Metric, 20*n+100)
	r.collect(to, now)
	close(to)
	for m := range to {
		var text dto.Metric
		if err := m.Write(&text); err != nil {
			panic(err)
		}
		_, name, _ := strings.Cut(m.Desc().String(), `fqName: "`)
		name, _, _ = strings.Cut(name, `"`)
		s := Series{Name: name, Value: text.GetGauge().GetValue()}
		for _, label := range text.Label {
			s.Other = s.Other || label.GetValue() == "other"
		}
		list = append(list, s)
	}
	return list
}

// MetricNames are the names of the metrics of the store and of the business, with what each is.
func MetricNames() map[string]string {
	names := map[string]string{}
	all := make(chan *prometheus.Desc, 100)
	(&figures{}).Describe(all)
	backups.Collector(nil, nil).Describe(all)
	close(all)
	for d := range all {
		_, name, _ := strings.Cut(d.String(), `fqName: "`)
		name, rest, _ := strings.Cut(name, `"`)
		_, help, _ := strings.Cut(rest, `help: "`)
		names[name], _, _ = strings.Cut(help, `"`)
	}
	return names
}
