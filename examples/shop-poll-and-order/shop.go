package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// product is the part of a changed product that this shop needs (interface §4.3). The price stays as it was written:
// money is never a float.
type product struct {
	SKU    string      `json:"sku"`
	Name   string      `json:"name"`
	Price  json.Number `json:"price"`
	Status string      `json:"status"`
}

// receipt is the answer to a new order (interface §2.2).
type receipt struct {
	ID          string `json:"id"`
	Status      string `json:"status"`
	TotalAmount string `json:"totalAmount"`
	Currency    string `json:"currency"`
}

type shop struct {
	base, key string
	http      *http.Client
}

// poll applies every product changed since the stored cursor. The cursor is stored after each page
// has been applied: a crash repeats a page, and never skips one.
func (s shop) poll(ctx context.Context, cursor cursorFile, apply func(product) error) error {
	since, err := cursor.load()
	if err != nil {
		return err
	}
	for more := true; more; {
		var page struct {
			Data []product
			Meta struct {
				NextSince string
				HasMore   bool
			}
		}
		path := "/api/v1/sdk/products/changes"
		if since != "" {
			path += "?since=" + url.QueryEscape(since)
		}
		if err := s.call(ctx, http.MethodGet, path, nil, "", &page); err != nil {
			return err
		}
		for _, p := range page.Data {
			if err := apply(p); err != nil {
				return fmt.Errorf("apply %s: %w", p.SKU, err)
			}
		}
		since, more = page.Meta.NextSince, page.Meta.HasMore
		if err := cursor.store(since); err != nil {
			return err
		}
	}
	return nil
}

// order sends an order. The shop's own number is the external reference and also the idempotency key, so an order that
// is sent again, after a lost answer or from a second worker, gets the first receipt and never a second order. Call it
// again until it answers.
func (s shop) order(ctx context.Context, order []byte) (receipt, error) {
	var own struct{ ExternalReference string }
	if err := json.Unmarshal(order, &own); err != nil {
		return receipt{}, err
	}
	if own.ExternalReference == "" {
		return receipt{}, errors.New("the order needs an externalReference: the shop's own number")
	}
	var answer struct{ Data receipt }
	err := s.call(ctx, http.MethodPost, "/api/v1/orders", order, own.ExternalReference, &answer)
	return answer.Data, err
}

// call sends one request and decodes its answer; a refusal becomes an error that quotes the service.
func (s shop) call(ctx context.Context, method, path string, body []byte, idempotencyKey string, answer any) error {
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("X-API-Key", s.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", idempotencyKey)
	}
	res, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s %s answered %d: %s", method, path, res.StatusCode, text)
	}
	return json.Unmarshal(text, answer)
}

// cursorFile is the path of the file with the cursor of the last poll. A missing file means from the beginning.
type cursorFile string

func (f cursorFile) load() (string, error) {
	text, err := os.ReadFile(string(f))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// store replaces the file in one step, so that a crash leaves the old cursor or the new one.
func (f cursorFile) store(since string) error {
	next := string(f) + ".next"
	if err := os.WriteFile(next, []byte(since+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(next, string(f))
}
