package client

import (
	"context"
	"encoding/json"
	"net/url"
	"time"
)

// Changes is one page of a change feed (interface §4.3). Pass Next as since of the following call
// until More is false, then keep it for the next visit.
type Changes struct {
	Items []json.RawMessage
	Next  string
	More  bool
}

// ProductChanges reads the products changed since a time ("" = from the beginning), at most 1,000.
func (c *Client) ProductChanges(ctx context.Context, since string) (Changes, error) {
	return c.changes(ctx, "/api/v1/sdk/products/changes", since)
}

// StockChanges reads the stock levels changed since a time.
func (c *Client) StockChanges(ctx context.Context, since string) (Changes, error) {
	return c.changes(ctx, "/api/v1/sdk/inventory/changes", since)
}

func (c *Client) changes(ctx context.Context, path, since string) (Changes, error) {
	query := url.Values{}
	if since != "" {
		query.Set("since", since)
	}
	var page struct {
		Data []json.RawMessage `json:"data"`
		Meta struct {
			HasMore   bool   `json:"hasMore"`
			NextSince string `json:"nextSince"`
		} `json:"meta"`
	}
	err := c.get(ctx, path, query, &page)
	return Changes{Items: page.Data, Next: page.Meta.NextSince, More: page.Meta.HasMore}, err
}

// Job is background work of the service (interface §4.3), for example the publishing that follows a
// product import.
type Job struct {
	JobID          string      `json:"jobId"`
	Type           string      `json:"type"`
	Status         string      `json:"status"`
	TotalItems     int         `json:"totalItems"`
	ProcessedItems int         `json:"processedItems"`
	Created        int         `json:"created"`
	Updated        int         `json:"updated"`
	Failed         int         `json:"failed"`
	Errors         []ItemError `json:"errors"`
	CompletedAt    *time.Time  `json:"completedAt"`
}

// Job reads a job by the id that an import answered.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	var out struct{ Data Job }
	err := c.get(ctx, "/api/v1/sdk/jobs/"+url.PathEscape(id), nil, &out)
	return out.Data, err
}
