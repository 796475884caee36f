package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"entrepot/internal/connector"
)

// changeable is a resource that is read and changed under one path: how to make one, and two members of it with values of the n-th
// writer.
type changeable struct {
	name  string
	make  func(t *testing.T, s *server, n int) (path string)
	one   func(n int) (name string, value any)
	other func(n int) (name string, value any)
	login bool // only people may
}

func textOf(name string) func(int) (string, any) {
	return func(n int) (string, any) { return name, fmt.Sprintf("%s %d", name, n) }
}

func createdAt(path string, body func(n int) map[string]any, inside ...any) func(*testing.T, *server, int) string {
	return func(t *testing.T, s *server, n int) string {
		t.Helper()
		status, made := s.login(t, "POST", path, body(n))
		if status != 201 {
			t.Fatalf("POST %s: %d %v", path, status, made)
		}
		return path + "/" + text(made, append(append([]any{"data"}, inside...), "id")...)
	}
}

var changeables = []changeable{
	{name: "product", make: createdAt("/api/v1/products", func(n int) map[string]any {
		return map[string]any{"sku": fmt.Sprintf("P-%d", n), "name": "P", "price": 1, "stock": map[string]any{"quantity": 1}}
	}), one: textOf("name"), other: func(n int) (string, any) { return "price", n + 100 }},
	{name: "product's stock", make: createdAt("/api/v1/products", func(n int) map[string]any {
		return map[string]any{"sku": fmt.Sprintf("S-%d", n), "name": "S", "price": 1}
	}), one: func(n int) (string, any) { // some writers change the product, some its stock
		if n < 100 && n%2 == 0 {
			return "stock", map[string]any{"quantity": n + 1}
		}
		return "description", fmt.Sprint("text ", n)
	}, other: textOf("name")},
	{name: "warehouse", make: createdAt("/api/v1/warehouses",
		func(n int) map[string]any { return map[string]any{"code": fmt.Sprintf("W%d", n), "name": "W"} }),
		one: textOf("name"), other: func(n int) (string, any) { return "address", map[string]any{"city": fmt.Sprint("City ", n)} }},
	{name: "attribute", make: createdAt("/api/v1/attributes", func(n int) map[string]any {
		return map[string]any{"code": fmt.Sprintf("a%d", n), "label": "A", "type": "select", "options": []string{"x"}}
	}), one: textOf("label"), other: func(n int) (string, any) { return "options", []any{"x", fmt.Sprint(n)} }},
	{name: "category", make: createdAt("/api/v1/categories", func(n int) map[string]any { return map[string]any{"name": fmt.Sprint("C", n)} }),
		one: textOf("name"), other: textOf("slug")},
	{name: "channel", make: createdAt("/api/v1/channels",
		func(n int) map[string]any { return map[string]any{"name": "Ch", "platform": "CUSTOM"} }, "channel"),
		one: textOf("name"), other: func(n int) (string, any) { return "settings", map[string]any{"n": fmt.Sprint(n)} }},
	{name: "segment", make: createdAt("/api/v1/segments", func(n int) map[string]any { return map[string]any{"name": "S"} }),
		one: textOf("name"), other: func(n int) (string, any) { return "rules", map[string]any{"minOrders": n + 1} }},
	{name: "customer", make: createdAt("/api/v1/customers",
		func(n int) map[string]any { return map[string]any{"email": fmt.Sprintf("c%d@example.com", n)} }),
		one: textOf("firstName"), other: textOf("lastName")},
	{name: "user", make: createdAt("/api/v1/users", func(n int) map[string]any {
		return map[string]any{"email": fmt.Sprintf("u%d@example.com", n), "name": "U", "role": "admin", "password": ownerPassword}
	}), one: textOf("name"), other: func(n int) (string, any) { return "role", []string{"admin", "viewer"}[n%2] }, login: true},
	{name: "endpoint", make: createdAt("/api/v1/developer/webhooks", func(n int) map[string]any {
		return map[string]any{"url": "http://127.0.0.1:9/hook", "events": []string{"*"}}
	}), one: textOf("description"), other: func(n int) (string, any) { return "events", []any{"order.received", "order.shipped"}[:1+n%2] }},
	{name: "account", make: func(*testing.T, *server, int) string { return "/api/v1/account" }, one: textOf("name"),
		other: func(n int) (string, any) { return "currency", []string{"USD", "GBP"}[n%2] }, login: true},
	{name: "order", make: createdAt("/api/v1/orders", func(n int) map[string]any {
		return map[string]any{"customerName": "Ada", "items": []any{map[string]any{"sku": "SKU", "quantity": 1, "unitPrice": 1}}}
	}), one: textOf("notes"), other: func(n int) (string, any) { return "paymentMetadata", map[string]any{"n": fmt.Sprint(n)} }},
}

// atOnce runs n calls at the same moment, in turns on this node and another.
func (s *server) atOnce(n int, one func(i int) call) []reply {
	nodes := []*server{s, s.twin()}
	replies := make([]reply, n)
	var start sync.WaitGroup
	start.Add(1)
	var done sync.WaitGroup
	for i := range n {
		c := one(i)
		done.Go(func() {
			start.Wait()
			replies[i] = nodes[i%2].do(c)
		})
	}
	start.Done()
	done.Wait()
	return replies
}

// Of writers who all name the version that is current, one wins; changes of different members all hold.
func TestWritersAtOnce(t *testing.T) {
	const writers, rounds = 6, 3
	engines(t, func(t *testing.T, s *server) {
		set, err := connector.NewSet()
		if err != nil {
			t.Fatal(err)
		}
		s.Commerce.Connectors = set
		s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "SKU", "name": "P", "price": 1})
		for _, c := range changeables {
			t.Run(c.name, func(t *testing.T) {
				header := func(tag string) map[string]string {
					h := map[string]string{"Authorization": "Bearer " + s.token}
					if tag != "" {
						h["If-Match"] = tag
					}
					return h
				}
				for round := range rounds {
					path := c.make(t, s, round)
					read := s.do(call{method: "GET", path: path})
					replies := s.atOnce(writers, func(i int) call {
						name, value := c.one(10*round + i)
						return call{method: "PATCH", path: path, body: map[string]any{name: value}, noKey: true, header: header(read.header.Get("ETag"))}
					})
					won := 0
					for _, r := range replies {
						switch r.status {
						case 200:
							won++
						case 412:
						default:
							t.Errorf("%d %s", r.status, r.body)
						}
					}
					if won != 1 {
						t.Errorf("%d of %d writers under one ETag won", won, writers)
					}
					oneName, oneValue := c.one(100 + round)
					otherName, otherValue := c.other(100 + round)
					for _, r := range s.atOnce(2, func(i int) call {
						return call{method: "PATCH", path: path, body: map[string]any{[]string{oneName, otherName}[i]: []any{oneValue, otherValue}[i]},
							noKey: true, header: header("")}
					}) {
						if r.status != 200 {
							t.Errorf("%d %s", r.status, r.body)
						}
					}
					now := s.do(call{method: "GET", path: path}).json(t)
					for name, value := range map[string]any{oneName: oneValue, otherName: otherValue} {
						if got := at(now, "data", name); plain(got) != plain(value) {
							t.Errorf("%s is %v after %v was written", name, plain(got), plain(value))
						}
					}
				}
			})
		}
		s.sound(t)
	})
}

// plain is a value as JSON writes it, without what the service adds to rules.
func plain(v any) string {
	if object, ok := v.(map[string]any); ok {
		kept := map[string]any{}
		for name, value := range object {
			if value != nil && !(reflect.ValueOf(value).Kind() == reflect.Slice && reflect.ValueOf(value).Len() == 0) {
				kept[name] = value
			}
		}
		v = kept
	}
	text, _ := json.Marshal(v)
	return string(text)
}
