//go:build unix

package crash

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"
	"time"

	wooshop "entrepot/internal/connector/woocommerce/fakeshop"
	"entrepot/test/blackbox/harness"
)

var pauses = flag.Int("pauses", 0, "how often a node is paused, on each engine")

// TestPaused stops a node at random moments, as a virtual machine that is paused, and lets it go on: on PostgreSQL one of three nodes, for
// longer than its leases last, so that the others take over what it had; on SQLite the only one, for a moment. Meanwhile clients write,
// and repeat at another node what is not answered, channels with many orders are deleted, customers merged, products imported, and
// a shop sells and is kept up to date. Nothing is lost, doubled or missing, and an ordered endpoint gets everything in its order.
func TestPaused(t *testing.T) {
	if *pauses == 0 {
		t.Skip("takes minutes: make crash, or -pauses")
	}
	harness.Each(t, func(t *testing.T, engine harness.Engine) {
		t.Logf("seed %d, %d pauses", *seed, *pauses)
		p := &paused{T: t, random: rand.New(rand.NewPCG(*seed, 7))}
		receiver := harness.NewReceiver()
		defer receiver.Close()
		first := harness.Start(t, engine, harness.Options{Retries: "300ms,300ms,1s,1s,1s", Env: []string{"ENTREPOT_PULL_EVERY=2s"}})
		p.nodes = []*harness.Server{first}
		if engine == harness.Postgres {
			p.nodes = append(p.nodes, first.Peer(t), first.Peer(t))
		}
		account := first.FirstAccount(t)
		plain, ordered := receiver.Inbox(), receiver.Inbox()
		account.Endpoint(t, plain)
		p.call(account.Key, 0, http.StatusOK, http.MethodPatch, "/developer/webhooks/"+account.Endpoint(t, ordered),
			map[string]any{"ordered": true})
		seedCatalog(t, account)
		workers := newWorkers(*clients, account.Key)
		for _, w := range workers {
			w.client.Most = 3 * time.Second
			for _, node := range p.nodes {
				w.nodes = append(w.nodes, node.Base)
			}
		}
		others := first.NewAccount(t, "enterprise")
		seedCatalog(t, others)
		stop := make(chan struct{})
		var running sync.WaitGroup
		for _, w := range workers {
			running.Go(func() { w.work(stop) })
		}
		var ended int
		shop := p.open(others.Key) // first, so that orders without a channel are this one's
		running.Go(func() { harness.Repeat(stop, func() { p.steps(others.Key, ended); ended++ }) })
		var bought []int64
		running.Go(func() {
			harness.Repeat(stop, func() {
				bought = append(bought, shop.Place(wooshop.Wish{SKUs: map[string]int64{sku(len(bought) % skus): 1}, Email: "woo@crash.example"}))
				time.Sleep(200 * time.Millisecond)
			})
		})
		for range *pauses {
			p.pause(engine == harness.SQLite)
		}
		close(stop)
		running.Wait()
		for _, w := range workers {
			w.client.Most = 0
		}
		settleAll(workers)
		p.sold(others.Key, shop, bought)
		audit(t, fmt.Sprintf("%d pauses", *pauses), first, account, plain, workers)
		late := auditOrder(t, account, ordered)
		t.Logf("%s: %d rounds of operations in steps, %d orders of a shop; %d deliveries came again behind a later one", engine, ended,
			len(bought), late)
	})
}

// paused is one run.
type paused struct {
	*testing.T
	nodes  []*harness.Server
	random *rand.Rand
	calls  int
}

// pause stops a node and lets it go on.
func (p *paused) pause(short bool) {
	between, least, most := 800, 3200, 3000 // ms; leases of queues last 2.5 s, those of jobs 3
	if short {
		between, least, most = 300, 0, 700
	}
	time.Sleep(time.Duration(p.random.IntN(between)) * time.Millisecond)
	node := p.nodes[p.random.IntN(len(p.nodes))]
	if err := syscall.Kill(node.PID(), syscall.SIGSTOP); err != nil {
		p.Fatal(err)
	}
	time.Sleep(time.Duration(least+p.random.IntN(most)) * time.Millisecond)
	if err := syscall.Kill(node.PID(), syscall.SIGCONT); err != nil {
		p.Fatal(err)
	}
}

// call sends a request to the nodes in turn until one has answered; 0 for a status takes any below 500.
func (p *paused) call(key harness.Client, node, status int, method, path string, body any) harness.Answer {
	p.Helper()
	key.Base = p.nodes[node%len(p.nodes)].Base
	var answer harness.Answer
	if err := harness.Eventually(5*time.Minute, func() (err error) {
		if answer, err = key.Call(method, "/api/v1"+path, body); err == nil && answer.Status >= 500 {
			err = fmt.Errorf("%s", answer)
		}
		return err
	}); err != nil || status != 0 && answer.Status != status {
		p.Errorf("%s %s: %v %s", method, path, err, answer)
	}
	return answer
}

// steps deletes a channel with many orders, merges a customer with many, and imports products.
func (p *paused) steps(key harness.Client, round int) {
	const many = 130
	call := func(status int, method, path string, body any) harness.Answer {
		p.calls++
		return p.call(key, p.calls, status, method, path, body)
	}
	total := func(filter string) int64 {
		return call(200, http.MethodGet, "/orders?limit=1&"+filter, nil).Count("meta", "total")
	}
	channel := call(201, http.MethodPost, "/channels", map[string]any{"name": "Corner", "platform": "CUSTOM"}).Text("data", "channel", "id")
	from := call(201, http.MethodPost, "/customers", map[string]any{"email": fmt.Sprintf("from-%d@crash.example", round)}).Text("data", "id")
	into := call(201, http.MethodPost, "/customers", map[string]any{"email": fmt.Sprintf("into-%d@crash.example", round)}).Text("data", "id")
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := w; i < 2*many; i += 8 {
				order := map[string]any{"customerName": "Ada Lovelace", "channelId": channel,
					"items": []any{map[string]any{"sku": sku(i % skus), "quantity": 1, "unitPrice": 1}}}
				if i%2 == 0 {
					delete(order, "channelId")
					order["customerId"] = from
				}
				if answer := p.call(key, w, 0, http.MethodPost, "/orders", order); answer.Status != http.StatusCreated {
					p.Errorf("an order: %s", answer)
				}
			}
		})
	}
	all.Wait()
	all.Go(func() {
		p.call(key, round, 0, http.MethodDelete, "/channels/"+channel, nil) // a repetition finds it gone
	})
	all.Go(func() {
		p.call(key, round+1, 0, http.MethodPost, "/customers/merge", map[string]any{"primaryId": into, "secondaryIds": []string{from}})
	})
	all.Go(func() {
		var products []any
		for i := range 400 {
			products = append(products, map[string]any{"sku": fmt.Sprintf("STEP-%d-%d", round, i), "name": "Step", "price": 1})
		}
		p.call(key, round+2, 200, http.MethodPost, "/sdk/products/bulk-import?wait=true", map[string]any{"products": products})
	})
	all.Wait()
	if err := harness.Eventually(2*time.Minute, func() error { // whoever answered first may not be who ended it
		if left, moved := total("channelId="+channel), total("customerId="+into); left != 0 || moved != many {
			return fmt.Errorf("%d orders are left of the channel, %d of %d moved", left, moved, many)
		}
		return nil
	}); err != nil {
		p.Error(err)
	}
	if n := call(200, http.MethodGet, fmt.Sprintf("/products?limit=1&search=STEP-%d-", round), nil).Count("meta", "total"); n != 400 {
		p.Errorf("%d products were imported", n)
	}
}

// open connects a shop of WooCommerce that sells the SKUs of the catalog.
func (p *paused) open(key harness.Client) *wooshop.Shop {
	p.Helper()
	shop := wooshop.New("ck_test", "cs_test")
	host := httptest.NewServer(shop)
	p.Cleanup(host.Close)
	made := p.call(key, 0, http.StatusCreated, http.MethodPost, "/channels", map[string]any{"name": "Woo", "platform": "WOOCOMMERCE",
		"credentials": map[string]any{"url": host.URL, "consumerKey": "ck_test", "consumerSecret": "cs_test"}})
	channel := made.Text("data", "channel", "id")
	p.call(key, 0, http.StatusOK, http.MethodPost, "/channels/"+channel+"/sync/test", nil)
	var all []string
	for n := range skus {
		all = append(all, sku(n))
	}
	p.call(key, 0, 0, http.MethodPost, "/channels/"+channel+"/publications", map[string]any{"skus": all})
	if err := harness.Eventually(5*time.Minute, func() error {
		items, _ := shop.Items()
		if len(items) < skus {
			return fmt.Errorf("%d products are in the shop", len(items))
		}
		return nil
	}); err != nil {
		p.Fatal(err)
	}
	return shop
}

// sold expects each order of the shop to be here once, and the shop's stock to be that here.
func (p *paused) sold(key harness.Client, shop *wooshop.Shop, bought []int64) {
	p.Helper()
	if err := harness.Eventually(5*time.Minute, func() error {
		came := p.call(key, 0, 200, http.MethodGet, "/orders?limit=1&customerEmail=woo@crash.example", nil).Count("meta", "total")
		if came != int64(len(bought)) {
			return fmt.Errorf("%d orders of %d came from the shop", came, len(bought))
		}
		items, doubled := shop.Items()
		if len(doubled) > 0 {
			return fmt.Errorf("twice in the shop: %v", doubled)
		}
		for n := range skus {
			level := p.call(key, 0, 200, http.MethodGet, "/inventory?sku="+sku(n), nil)
			if has := level.Count("data", 0, "available"); items[sku(n)].Quantity != has {
				return fmt.Errorf("%s: %d are available, the shop shows %d", sku(n), has, items[sku(n)].Quantity)
			}
		}
		return nil
	}); err != nil {
		p.Error(err)
	}
}
