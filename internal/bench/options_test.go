package bench

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestOptionsAreRefusedWithReasons(t *testing.T) {
	good := Options{URL: "http://127.0.0.1:8080", Keys: []string{"k"}}
	cases := []struct {
		name   string
		change func(*Options)
		says   string // empty: taken
	}{
		{"as it is", func(*Options) {}, ""},
		{"the driver alone", func(o *Options) { *o = Options{Baseline: "sqlite"} }, ""},
		{"nothing at all", func(o *Options) { *o = Options{} }, "nothing to measure"},
		{"no key", func(o *Options) { o.Keys = nil }, "--key is missing"},
		{"too many clients", func(o *Options) { o.Clients = maxClients + 1 }, "--clients"},
		{"negative count", func(o *Options) { o.Count = -1 }, "--count"},
		{"negative rate", func(o *Options) { o.Rate = -1 }, "--rate"},
		{"too long", func(o *Options) { o.Duration = maxDuration + time.Second }, "--duration"},
		{"too few products", func(o *Options) { o.SKUs = 2 }, "--skus"},
		{"unknown driver", func(o *Options) { o.Baseline = "mysql" }, "--baseline"},
		{"no database", func(o *Options) { o.Baseline = "postgres" }, "--database"},
		{"unknown events", func(o *Options) { o.Events = "refunds" }, "--events"},
		{"remote receiver", func(o *Options) { o.Receiver = "0.0.0.0:9000" }, "--receiver"},
		{"a secret without its address", func(o *Options) { o.WebhookSecret = "whsec_x" }, "--webhook-secret"},
		{"keys that do not pair", func(o *Options) { o.AdminKeys = []string{"a", "b"} }, "admin keys"},
	}
	for _, c := range cases {
		options := good
		c.change(&options)
		err := options.prepare()
		if (c.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
	both := Options{URL: "http://127.0.0.1", Baseline: "mysql"}
	if err := both.prepare(); err == nil || !strings.Contains(err.Error(), "--key") || !strings.Contains(err.Error(), "--baseline") {
		t.Errorf("all errors come at once: %v", err)
	}
}

func TestOnlyThisMachineIsATarget(t *testing.T) {
	cases := []struct {
		address string
		remote  bool
		ok      bool
	}{
		{"http://127.0.0.1:8080", false, true},
		{"http://127.1.2.3", false, true},
		{"http://[::1]:8080/base/", false, true},
		{"http://localhost:8080", false, true},
		{"http://192.0.2.1:8080", false, false},
		{"http://192.0.2.1:8080", true, true},
		{"http://10.0.0.1", false, false},
		{"http://[::ffff:127.0.0.1]:80", false, true},
		{"http://[::ffff:10.0.0.1]:80", false, false},
		{"ftp://127.0.0.1", false, false},
		{"127.0.0.1:8080", false, false},
		{"", false, false},
	}
	for _, c := range cases {
		_, err := newTarget(context.Background(), c.address, c.remote)
		if (err == nil) != c.ok {
			t.Errorf("%s (remote %v): %v", c.address, c.remote, err)
		}
	}
}

func TestScenariosAreChosenByName(t *testing.T) {
	count := func(names ...string) int {
		chosen, err := choose(names)
		if err != nil {
			return -1
		}
		return len(chosen)
	}
	all := len(scenarios) - 3 // neighbours takes two accounts, beside three kinds of load, outages many endpoints
	for _, c := range []struct {
		names []string
		want  int
	}{{nil, all}, {[]string{"all"}, all}, {[]string{"neighbours"}, 1}, {[]string{"feed"}, 2}, {[]string{"stock", "orders"}, 2},
		{[]string{"order"}, -1}} {
		if got := count(c.names...); got != c.want {
			t.Errorf("choose(%v): %d, want %d", c.names, got, c.want)
		}
	}
	for _, name := range ScenarioNames() {
		if count(name) < 1 {
			t.Errorf("%s is listed but cannot be chosen", name)
		}
	}
}
