package blackbox

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"entrepot/test/blackbox/harness"
)

// atOnce runs f n times at the same moment and returns when all are done.
func atOnce(n int, f func(i int)) {
	var wait sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wait.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wait.Wait()
}

func init() {
	about("4.1-idem-race 4.1-idem", "racers with one key create one order", func(c *testCase) {
		c.products([3]any{"A-1", 10, 1000})
		body := order("Racer", [3]any{"A-1", 1, 10})
		var created, replayed atomic.Int32
		var mu sync.Mutex
		bodies := map[string]int{}
		atOnce(32, func(int) {
			answer, err := c.account.Key.Do(harness.Request{
				Method: http.MethodPost, Path: "/api/v1/orders", Header: http.Header{"Idempotency-Key": {"race"}}, Body: encode(body),
			})
			if err != nil || answer.Status != http.StatusCreated {
				c.Errorf("a racer: %v %s", err, answer)
				return
			}
			if answer.Header.Get("Idempotent-Replay") == "true" {
				replayed.Add(1)
			} else {
				created.Add(1)
			}
			mu.Lock()
			bodies[string(answer.Body)]++
			mu.Unlock()
		})
		if created.Load() != 1 || replayed.Load() != 31 || len(bodies) != 1 {
			c.Errorf("%d created, %d replayed, %d different answers; want 1, 31, 1", created.Load(), replayed.Load(), len(bodies))
		}
		c.like(c.call(http.MethodGet, "/api/v1/orders", nil), `{"meta":{"total":1}}`)
		c.kinds("", map[string]int{"order.received": 1})
	})

	about("4.1-idem-race 4.1-create-reference", "racers with one reference and no key create one order", func(c *testCase) {
		c.products([3]any{"A-1", 10, 1000})
		body := order("Racer", [3]any{"A-1", 1, 10})
		body["externalReference"] = "RACE"
		statuses := c.tally(24, func(int) harness.Answer { return c.call(http.MethodPost, "/api/v1/orders", body) })
		if statuses[201] != 1 || statuses[409] != 23 {
			c.Errorf("statuses %v, want one 201 and 23 of 409", statuses)
		}
		c.like(c.call(http.MethodGet, "/api/v1/inventory?sku=A-1", nil), `{"data":[{"reserved":1,"available":999}]}`)
	})

	about("4.1-create-customer", "racers with one unknown e-mail create one customer", func(c *testCase) {
		c.products([3]any{"A-1", 10, 1000})
		body := order("Racer", [3]any{"A-1", 1, 10})
		statuses := c.tally(24, func(i int) harness.Answer {
			mine := map[string]any{"customerEmail": []string{"one@race.example", "ONE@race.example"}[i%2]}
			for k, v := range body {
				mine[k] = v
			}
			answer := c.call(http.MethodPost, "/api/v1/orders", mine)
			if answer.Took > time.Minute {
				c.Errorf("an order waited %s for the others: it looks like deadlocks found one by one", answer.Took)
			}
			return answer
		})
		if statuses[201] != 24 {
			c.Errorf("statuses %v, want 24 of 201", statuses)
		}
		c.like(c.call(http.MethodGet, "/api/v1/customers?email=one@race.example", nil), `{"data":[{"ordersCount":24,"totalSpent":240}]}`)
		c.kinds("", map[string]int{"order.received": 24, "customer.created": 1})
	})

	about("4.1-oversell-race 4.1-create-stock", "forty buyers, seven units", func(c *testCase) {
		c.products([3]any{"SCARCE", 1, 7}, [3]any{"PLENTY", 1, 1000})
		made := c.must(c.call(http.MethodPost, "/api/v1/channels", `{"name":"Careful","platform":"CUSTOM","settings":{"oversell":"reject"}}`),
			201)
		channel := made.Text("data", "channel", "id")
		statuses := c.tally(40, func(i int) harness.Answer {
			body := order("Buyer", [3]any{"PLENTY", 1, 1}, [3]any{"SCARCE", 1, 1})
			body["channelId"] = channel
			return c.call(http.MethodPost, "/api/v1/orders", body)
		})
		if statuses[201] != 7 || statuses[409] != 33 {
			c.Errorf("statuses %v, want 7 of 201 and 33 of 409", statuses)
		}
		c.like(c.call(http.MethodGet, "/api/v1/inventory?sku=SCARCE", nil), `{"data":[{"quantity":7,"reserved":7,"available":0}]}`)
		c.like(c.call(http.MethodGet, "/api/v1/inventory?sku=PLENTY", nil), `{"data":[{"reserved":7}]}`)
	})

	about("3.1-race", "ship against cancel: never both", func(c *testCase) {
		c.products([3]any{"A-1", 1, 1000})
		for range 12 {
			body := order("Torn", [3]any{"A-1", 2, 1})
			body["initialStatus"] = "PROCESSING"
			id := c.must(c.call(http.MethodPost, "/api/v1/orders", body), 201).Text("data", "id")
			line := c.call(http.MethodGet, "/api/v1/orders/"+id, nil).Text("data", "items", 0, "id")
			answers := make([]harness.Answer, 4)
			atOnce(4, func(i int) {
				switch i {
				case 0:
					answers[i] = c.call(http.MethodPatch, "/api/v1/orders/"+id+"/status", `{"status":"CANCELLED"}`)
				case 1:
					answers[i] = c.call(http.MethodPatch, "/api/v1/orders/"+id+"/status", `{"status":"SHIPPED"}`)
				case 2:
					answers[i] = c.call(http.MethodPost, "/api/v1/orders/"+id+"/shipments", fmt.Sprintf(`{"items":[{"orderItemId":%q,"quantity":2}]}`,
						line))
				case 3:
					answers[i] = c.call(http.MethodPut, "/api/v1/orders/"+id+"/items", `{"items":[{"sku":"A-1","quantity":5,"unitPrice":1}]}`)
				}
			})
			moves := 0
			for _, answer := range answers[:3] {
				if answer.Status < 300 {
					moves++
				} else if answer.Status != 409 && answer.Status != 422 && answer.Status != 400 {
					c.Errorf("a loser: %s", answer)
				}
			}
			if moves != 1 {
				c.Errorf("%d of three conflicting moves won: %v", moves, answers)
			}
			read := c.call(http.MethodGet, "/api/v1/orders/"+id, nil)
			c.sound(read)
		}
		c.ledgerSums("A-1")
	})

	about("3.1-race 4.1-ship", "parcels in a hurry never exceed the order", func(c *testCase) {
		c.products([3]any{"A-1", 1, 100})
		body := order("Parcels", [3]any{"A-1", 10, 1})
		body["initialStatus"] = "PROCESSING"
		id := c.must(c.call(http.MethodPost, "/api/v1/orders", body), 201).Text("data", "id")
		line := c.call(http.MethodGet, "/api/v1/orders/"+id, nil).Text("data", "items", 0, "id")
		statuses := c.tally(16, func(int) harness.Answer {
			return c.call(http.MethodPost, "/api/v1/orders/"+id+"/shipments", fmt.Sprintf(`{"items":[{"orderItemId":%q,"quantity":3}]}`, line))
		})
		if statuses[201] != 3 || statuses[400] != 13 {
			c.Errorf("statuses %v, want 3 of 201 and 13 of 400", statuses)
		}
		c.like(c.call(http.MethodGet, "/api/v1/orders/"+id, nil), `{"data":{"status":"PARTIALLY_SHIPPED","items":[{"shippedQuantity":9}]}}`)
		c.like(c.call(http.MethodGet, "/api/v1/inventory?sku=A-1", nil), `{"data":[{"quantity":91,"reserved":1}]}`)
		c.ledgerSums("A-1")
	})

	about("4.3-feed-writers 4.3-feed-walk", "a feed followed while others write misses nothing", followFeed)

	about("4.1-list-page 4.1-list-cursor", "cursors over equal values neither overlap nor skip", func(c *testCase) {
		c.products([3]any{"A-1", 1, 1000})
		atOnce(4, func(int) {
			for range 15 {
				c.ok(c.call(http.MethodPost, "/api/v1/orders", order("Same", [3]any{"A-1", 1, 1})), 201)
			}
		})
		for _, sort := range []string{"total:asc", "total:desc", "createdAt:asc", "orderNumber:desc"} {
			seen := map[string]int{}
			path, pages := "/api/v1/orders?limit=7&sort="+sort, 0
			for next := path; next != "" && pages < 20; pages++ {
				answer := c.must(c.call(http.MethodGet, next, nil), 200)
				for i := range answer.List("data") {
					seen[answer.Text("data", i, "id")]++
				}
				next = ""
				if cursor := answer.Text("meta", "nextCursor"); cursor != "" {
					next = path + "&cursor=" + cursor
				}
			}
			paged := map[string]int{}
			for page := 1; page <= 9; page++ {
				answer := c.must(c.call(http.MethodGet, fmt.Sprintf("%s&page=%d", path, page), nil), 200)
				for i := range answer.List("data") {
					paged[answer.Text("data", i, "id")]++
				}
			}
			if len(seen) != 60 || len(paged) != 60 {
				c.Errorf("%s: by cursor %d orders in %d pages, by page %d; want 60", sort, len(seen), pages, len(paged))
			}
		}
	})
}

// followFeed reads the product feed with three readers while six writers change prices and create products, one reader
// with a cursor cut to milliseconds; in the end every reader must know every product's last price.
func followFeed(c *testCase) {
	const products, writers, changes = 40, 6, 60
	var all []map[string]any
	for i := range products {
		all = append(all, map[string]any{"sku": fmt.Sprintf("F-%02d", i), "name": "F", "price": 0})
	}
	c.must(c.call(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", map[string]any{"products": all}), 200)
	var writing sync.WaitGroup
	var mu sync.Mutex
	made := map[string]bool{}
	for w := range writers {
		random := rand.New(rand.NewPCG(uint64(w), 7))
		writing.Go(func() {
			for n := range changes {
				if n%10 == 9 {
					sku := fmt.Sprintf("NEW-%d-%d", w, n)
					if !c.ok(c.call(http.MethodPost, "/api/v1/products", map[string]any{"sku": sku, "name": "N", "price": 1}), 201) {
						return
					}
					mu.Lock()
					made[sku] = true
					mu.Unlock()
					continue
				}
				sku := fmt.Sprintf("F-%02d", random.IntN(products))
				if !c.ok(c.call(http.MethodPatch, "/api/v1/sdk/prices/bulk-update",
					map[string]any{"updates": []any{map[string]any{"sku": sku, "price": w*1000 + n + 1}}}), 200) {
					return
				}
			}
		})
	}
	finished := make(chan struct{})
	go func() { writing.Wait(); close(finished) }()
	var reading sync.WaitGroup
	readers := make([]map[string]string, 3)
	for reader := range readers {
		readers[reader] = map[string]string{}
		reading.Go(func() {
			since := ""
			for last := false; ; {
				select {
				case <-finished:
					last = true
				default:
				}
				path := "/api/v1/sdk/products/changes?limit=17"
				if since != "" {
					path += "&since=" + since
				}
				answer := c.call(http.MethodGet, path, nil)
				if !c.ok(answer, 200) {
					return
				}
				previous := ""
				for i := range answer.List("data") {
					at := answer.Text("data", i, "changedAt")
					if at <= previous {
						c.Errorf("changedAt does not grow: %s after %s", at, previous)
					}
					previous = at
					readers[reader][answer.Text("data", i, "sku")] = fmt.Sprint(answer.At("data", i, "price"))
				}
				since = answer.Text("meta", "nextSince")
				if reader == 2 && len(since) == len("2026-01-02T03:04:05.678901Z") {
					since = since[:len(since)-4] + "Z" // a client that keeps milliseconds only
				}
				more := answer.At("meta", "hasMore") == true
				if last && !more {
					return
				}
			}
		})
	}
	reading.Wait()
	<-finished
	truth := map[string]string{}
	for page := 1; ; page++ {
		answer := c.must(c.call(http.MethodGet, fmt.Sprintf("/api/v1/products?limit=250&page=%d", page), nil), 200)
		for i := range answer.List("data") {
			truth[answer.Text("data", i, "sku")] = fmt.Sprint(answer.At("data", i, "price"))
		}
		if len(answer.List("data")) < 250 {
			break
		}
	}
	if len(truth) != products+len(made) {
		c.Errorf("%d products, want %d", len(truth), products+len(made))
	}
	for reader, known := range readers {
		for sku, price := range truth {
			if known[sku] != price {
				c.Errorf("reader %d missed a change of %s: knows %q, it is %s", reader, sku, known[sku], price)
			}
		}
	}
}
