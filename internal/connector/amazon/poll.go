package amazon

import (
	"context"
	"encoding/json"
	"strings"

	"entrepot/internal/connector"
)

// What operations begin with.
const (
	feedPrefix     = "feed "
	listingsPrefix = "listings "
)

// Poll requests the results of new listings and of feeds.
func (s *session) Poll(ctx context.Context, operations []string) ([]connector.Result, error) {
	var results []connector.Result
	listings := map[string][]string{}
	var skus []string
	for _, operation := range operations {
		if text, ok := strings.CutPrefix(operation, listingsPrefix); ok {
			var list []string
			_ = json.Unmarshal([]byte(text), &list)
			listings[operation], skus = list, append(skus, list...)
		}
	}
	if len(skus) > 0 {
		there, err := s.find(ctx, skus)
		if err != nil {
			return nil, err
		}
		for _, operation := range operations {
			if list := listings[operation]; len(list) > 0 {
				results = append(results, s.listed(operation, list, there)...)
			}
		}
	}
	for _, operation := range operations {
		part, ok := partOf(operation)
		if !ok {
			continue
		}
		ended, err := s.partEnded(ctx, operation, part)
		if err != nil {
			return results, err
		}
		results = append(results, ended...)
	}
	return results, nil
}

// listed returns the results for the listings of a product, when all of them are live or one of them failed. Then
// those that may still become live are named, too, so that they are taken off sale.
func (s *session) listed(operation string, skus []string, there map[string]listing) (results []connector.Result) {
	failed := false
	var waiting []connector.Result
	for _, sku := range skus {
		l := there[sku]
		r := connector.Result{SKU: sku, State: connector.Live, Operation: operation, URL: s.page(l.asin())}
		switch reason := l.refusal(); {
		case reason != "":
			failed = true
			r.State, r.Error = connector.Failed, reason
		case l.asin() == "":
			waiting = append(waiting, r)
			continue
		default:
			r.IDs = s.ids(l)
		}
		results = append(results, r)
	}
	if len(waiting) > 0 && !failed {
		return nil
	}
	return append(append(results, waiting...), connector.Result{State: connector.Live, Operation: operation})
}
