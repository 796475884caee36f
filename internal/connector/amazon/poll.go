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
		feed, ok := strings.CutPrefix(operation, feedPrefix)
		if !ok {
			continue
		}
		ended, err := s.feedEnded(ctx, operation, feed)
		if err != nil {
			return results, err
		}
		results = append(results, ended...)
	}
	return results, nil
}

// listed returns the results for the listings of a product, when all of them are live or one of them failed.
func (s *session) listed(operation string, skus []string, there map[string]listing) (results []connector.Result) {
	failed, waiting := false, false
	for _, sku := range skus {
		l := there[sku]
		r := connector.Result{SKU: sku, State: connector.Live, Operation: operation, URL: s.page(l.asin())}
		switch reason := refusals(l.Issues); {
		case reason != "":
			failed = true
			r.State, r.Error = connector.Failed, reason
		case l.asin() == "":
			waiting = true
			continue
		default:
			r.IDs = s.ids(l, false)
		}
		results = append(results, r)
	}
	if waiting && !failed {
		return nil
	}
	return append(results, connector.Result{State: connector.Live, Operation: operation})
}

// feedEnded returns the results for the SKUs of a feed that has ended.
func (s *session) feedEnded(ctx context.Context, operation, id string) ([]connector.Result, error) {
	all := connector.Result{State: connector.Live, Operation: operation}
	state, report, ended, err := s.feed(ctx, id)
	switch {
	case connector.Is(err, connector.Missing):
		state, ended = feedFatal, true
	case err != nil || !ended:
		return nil, err
	}
	if state != feedDone {
		all.State, all.Error, all.Again = connector.Failed, "Amazon did not process the feed: "+state, true
		return []connector.Result{all}, nil
	}
	text, err := s.report(ctx, report)
	if err != nil {
		return nil, err
	}
	var out struct {
		Issues []struct {
			MessageID int
			SKU       string
			issue
		}
	}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &out); err != nil {
			return nil, &connector.Failure{Kind: connector.Temporary, Message: "a feed's report is not what Amazon documents", Err: err}
		}
	}
	refused := map[string][]issue{}
	var skus []string
	for _, i := range out.Issues {
		if i.Severity != "ERROR" {
			continue
		}
		if i.SKU == "" { // it is about the feed as a whole
			all.State, all.Error = connector.Failed, connector.Line(i.Message)
			continue
		}
		if refused[i.SKU] == nil {
			skus = append(skus, i.SKU)
		}
		refused[i.SKU] = append(refused[i.SKU], i.issue)
	}
	there, err := s.find(ctx, skus) // what was refused may be gone
	if err != nil {
		return nil, err
	}
	results := []connector.Result{all}
	for _, sku := range skus {
		r := connector.Result{SKU: sku, State: connector.Failed, Operation: operation, Error: refusals(refused[sku])}
		if _, known := there[sku]; !known {
			r.State = connector.Gone
		}
		results = append(results, r)
	}
	return results, nil
}
