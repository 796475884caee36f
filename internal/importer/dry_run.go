package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"net/http"
	"strings"
	"sync"

	"entrepot/internal/importer/client"
)

// ask reads from the service what a dry run of orders needs: which products it has, whether the channel exists, and
// which references are taken. It stores nothing. What the key may not read is not checked, and a note says so.
func (r *importRun) ask(ctx context.Context) error {
	m, orders := r.maker.(*orderMaker)
	if !orders || r.Shop == nil {
		return nil
	}
	check := &orderChecker{shop: r.Shop, onNew: r.OnNew, seed: maphash.MakeSeed(), references: map[uint64]struct{}{},
		unknown:   map[string]bool{},
		customers: map[string]string{}}
	r.checker = check
	lacking, err := r.lacking(ctx, m.missing.list)
	switch client.StatusOf(err) {
	case 0:
		if err != nil {
			return err
		}
	case http.StatusNotFound:
		return wrongCall("--channel %s: the service has no such channel, so that every order would be refused", r.Channel)
	case http.StatusForbidden:
		fmt.Fprintln(r.Log, "not checked: whether the products and the channel are there; the key has no scope write:products")
	default:
		return err
	}
	if r.CreateMissing {
		r.state.Counts.Missing = len(lacking)
	} else {
		for _, one := range lacking {
			check.unknown[one.sku] = true
		}
	}
	r.doing("asking which orders are there already")
	err = r.Shop.EachReference(ctx, func(reference string) error {
		check.references[maphash.String(check.seed, reference)] = struct{}{}
		return nil
	})
	if client.StatusOf(err) == http.StatusForbidden {
		fmt.Fprintln(r.Log, "not checked: whether the orders are there already; the key has no scope read:orders")
		return nil
	}
	return err
}

// orderChecker replaces the sender in a dry run: it reports what would happen to each order. The references of all
// orders of the account take about 20 bytes each.
type orderChecker struct {
	shop       Shop
	onNew      func([]byte)
	seed       maphash.Seed
	references map[uint64]struct{}
	unknown    map[string]bool // SKUs that no product has and that are not created

	mu        sync.Mutex        // of customers, and held during onNew
	customers map[string]string // customerId -> why the service would refuse it, "" when it would not
}

func (s *orderChecker) send(ctx context.Context, c *chunk) outcome {
	out := outcome{chunk: c}
	for _, item := range c.items {
		if out.err = s.one(ctx, item, c.body[item.from:item.to], &out); out.err != nil {
			break
		}
	}
	return out
}

func (s *orderChecker) one(ctx context.Context, item chunkItem, body []byte, out *outcome) error {
	var o struct {
		CustomerID string `json:"customerId"`
		Items      []struct {
			SKU string `json:"sku"`
		} `json:"items"`
	}
	if err := json.Unmarshal(body, &o); err != nil {
		out.refuse(item, "", "validation_failed", "the order is not as the service takes it: "+err.Error())
		return nil
	}
	if item.credit != nil {
		if moved, err := s.wouldMove(ctx, item, out); moved || err != nil {
			return err
		}
	}
	if _, taken := s.references[maphash.String(s.seed, item.item)]; taken {
		out.existing++
		out.faults = append(out.faults, item.note(item.item, "externalReference", "exists",
			"an order with this reference is there already and would be left as it is"))
		return nil
	}
	var unknown []string
	for _, line := range o.Items {
		if s.unknown[line.SKU] {
			unknown = append(unknown, line.SKU)
		}
	}
	if len(unknown) > 0 {
		unknown = distinct(unknown)
		names := strings.Join(unknown[:min(len(unknown), 10)], ", ")
		if more := len(unknown) - 10; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		out.refuse(item, "items", "unknown_sku", fmt.Sprintf("the catalog has no product %s; --create-missing-products creates what is missing", names))
		return nil
	}
	if why, err := s.customer(ctx, o.CustomerID); err != nil || why != "" {
		if err == nil {
			out.refuse(item, "customerId", "customer_refused", why)
		}
		return err
	}
	out.created++
	if s.onNew != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.onNew(body)
	}
	return nil
}

// wouldMove reports whether the status of the order that a credit note names would change.
func (s *orderChecker) wouldMove(ctx context.Context, item chunkItem, out *outcome) (bool, error) {
	plan := item.credit
	order, found, err := s.shop.FindOrder(ctx, plan.original)
	if err != nil || !found || !plan.covers(order) || order.Status != plan.status && !plan.follows(order.Status) {
		return false, err
	}
	out.moved++
	out.faults = append(out.faults, item.note(item.item, "originalReference", "original_moved",
		"the order %s it takes back would be %s; no order would be made of the note itself", plan.original, plan.status))
	return true, nil
}

// follows reports whether the plan allows to change an order with a status (interface §3.1).
func (p *creditPlan) follows(status string) bool {
	if p.status == "RETURNED" {
		return status == "SHIPPED" || status == "DELIVERED"
	}
	return status == "PENDING" || status == "PROCESSING" || status == "PARTIALLY_SHIPPED"
}

// customer asks for each customerId once.
func (s *orderChecker) customer(ctx context.Context, id string) (why string, err error) {
	if id == "" {
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if why, asked := s.customers[id]; asked {
		return why, nil
	}
	customer, err := s.shop.Customer(ctx, id)
	switch status := client.StatusOf(err); {
	case status == http.StatusNotFound:
		why = "the service has no customer " + id
	case status == http.StatusForbidden: // the key may not read customers: the import itself will show it
	case err != nil:
		return "", err
	case customer.Status == "erased":
		why = "the customer " + id + " was erased"
	}
	s.customers[id] = why
	return why, nil
}

// distinct keeps the first of equal texts.
func distinct(texts []string) (kept []string) {
	seen := map[string]bool{}
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			kept = append(kept, text)
		}
	}
	return kept
}
