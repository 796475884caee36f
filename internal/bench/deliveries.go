package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"entrepot/internal/limits"
)

// Events that each kind of traffic makes one of per item.
var eventOf = map[string]string{
	"prices": "product.updated",
	"stock":  "stock.updated",
	"orders": "order.received",
}

const (
	defaultEvents = 20_000           // when no count is given
	silence       = 30 * time.Second // without a delivery: the queue is taken to be drained or stuck
)

// runDeliveries measures webhooks from end to end: it registers endpoints at its own receiver, causes events and
// counts deliveries until all have arrived. The rate is measured from the first request to the last delivery.
func runDeliveries(ctx context.Context, c *campaign, result *Result) error {
	in, err := startReceiver(c.Receiver)
	if err != nil {
		return err
	}
	defer in.close()
	if c.WebhookSecret != "" {
		in.expect("", c.WebhookSecret)
	} else {
		for i, a := range c.accounts {
			ids, err := registerEndpoints(c, a, in, i)
			defer func() { removeEndpoints(c, a, ids) }()
			if err != nil {
				return fmt.Errorf("register an endpoint (the key needs write:webhooks, or give --admin-key or --webhook-secret): %w", err)
			}
		}
	}
	result.Service, result.Deliveries, err = c.deliver(ctx, in, result)
	return err
}

// deliver causes events and waits for their deliveries at the endpoints of every account. Both figures are nil if none came.
func (c *campaign) deliver(ctx context.Context, in *receiver, result *Result) (*Figures, *DeliveryFigures, error) {
	l := c.eventLoop(result.Clients)
	c.say("deliveries: %d requests of %s, %d endpoints an account", l.count, c.Events, c.Endpoints)
	m := startMeter(c.ServerPIDs)
	start := time.Now()
	t, generating, err := l.run(ctx)
	if t != nil {
		result.Refusals = t.refusals
	}
	if err != nil {
		return nil, nil, err
	}
	expected := t.items * c.Endpoints
	got := awaitDeliveries(ctx, in, expected, c.DeliveryTimeout)
	took := got.last.Sub(start)
	d := &DeliveryFigures{
		Expected: expected, Received: got.distinct, Duplicates: got.duplicates,
		BadSignatures: got.badSignatures, Generating: generating.Seconds(), Pause: got.pause.Seconds(),
	}
	if got.distinct == 0 {
		return nil, d, errors.Join(errors.New("no delivery arrived (a service without --dev refuses loopback endpoints)"), complaintOf(got))
	}
	f := &Figures{Seconds: took.Seconds(), Requests: uint64(got.distinct), Items: got.distinct, Latency: latencyOf(&got.lag),
		BytesReceived: got.bytes}
	f.rates()
	m.stop(f)
	switch {
	case got.complaint != "":
		err = complaintOf(got)
	case got.distinct < expected:
		err = fmt.Errorf("%d of %d deliveries did not arrive in time", expected-got.distinct, expected)
	case got.badSignatures > 0:
		err = fmt.Errorf("%d deliveries were signed wrongly", got.badSignatures)
	}
	return f, d, err
}

func complaintOf(got receipts) error {
	if got.complaint == "" {
		return nil
	}
	return errors.New(got.complaint)
}

// eventLoop is the traffic that causes the events: Count of them, or 20,000, rounded up to whole requests.
func (c *campaign) eventLoop(clients int) *loop {
	events := cmp.Or(c.Count, defaultEvents)
	perRequest := min(limits.MaxUpdates, c.SKUs)
	supply := newPriceSource
	switch c.Events {
	case "stock":
		supply = newStockSource
	case "orders":
		supply, perRequest = newOrderSource, 1
	}
	return &loop{
		target: c.target, clients: clients, duration: maxDuration, count: (events + perRequest - 1) / perRequest,
		source: func(client int) (source, error) { return supply(c, c.accounts[client%len(c.accounts)], client), nil },
	}
}

// registerEndpoints creates the account's endpoints and returns their ids, also those created before an error.
func registerEndpoints(c *campaign, a *account, in *receiver, number int) (ids []string, err error) {
	k := c.caller(a.adminKey)
	defer k.close()
	for n := range c.Endpoints {
		id, err := c.registerEndpoint(k, in, in.listener.Addr().String(), fmt.Sprintf("/hook/%d/%d", number, n))
		if err != nil {
			return ids, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// registerEndpoint creates one endpoint at an address.
func (c *campaign) registerEndpoint(k *caller, in *receiver, address, path string) (id string, err error) {
	var made struct {
		Data struct {
			ID     string `json:"id"`
			Secret string `json:"secret"`
		} `json:"data"`
	}
	err = k.call("POST", "/api/v1/developer/webhooks", map[string]any{
		"url": "http://" + address + path, "events": []string{eventOf[c.Events]}, "description": "entrepot bench, may be deleted",
	}, &made)
	in.expect(path, made.Data.Secret)
	return made.Data.ID, err
}

// removeEndpoints deletes the endpoints again, and reports those that it could not delete.
func removeEndpoints(c *campaign, a *account, ids []string) {
	k := c.caller(a.adminKey)
	defer k.close()
	for _, id := range ids {
		if err := k.call("DELETE", "/api/v1/developer/webhooks/"+id, nil, nil); err != nil {
			c.say("deliveries: endpoint %s could not be removed: %v", id, err)
		}
	}
}

// awaitDeliveries waits until all expected deliveries have arrived, none came for a while, or the time is over.
func awaitDeliveries(ctx context.Context, in *receiver, expected int, patience time.Duration) receipts {
	deadline := time.Now().Add(patience)
	quietSince := time.Now()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		got := in.sofar()
		if got.last.After(quietSince) {
			quietSince = got.last
		}
		now := time.Now()
		if got.distinct >= expected || now.After(deadline) || now.Sub(quietSince) > silence {
			return got
		}
		select {
		case <-ctx.Done():
			return got
		case <-ticker.C:
		}
	}
}
