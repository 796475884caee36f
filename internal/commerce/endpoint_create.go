package commerce

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/netguard"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// EndpointDraft is a caller's input for a webhook endpoint (interface §4.5.9); in an update, nil members leave the
// endpoint's.
type EndpointDraft struct {
	URL         *string // checked by CheckURL
	Events      []string
	Description *string
	Status      *webhooks.Status
	Ordered     *bool
}

// CheckURL is the 400 for a URL that endpoints must not have, or nil (interface §6.2). It resolves the host, so call
// it before the transaction.
func (s *Service) CheckURL(ctx context.Context, text string) error {
	err := s.guard().Vet(ctx, text)
	var refused *netguard.Refused
	if errors.As(err, &refused) {
		return apperr.At("url", "%s", refused.Reason)
	}
	return err
}

// CreateEndpoint creates an endpoint, which receives the events that are committed from now on. The second result is
// its signing secret, which is shown once and stored encrypted. Errors: Forbidden if the caller may not read what the
// events are about.
func (s *Service) CreateEndpoint(tx *db.Tx, who accounts.Caller, draft EndpointDraft) (*webhooks.Endpoint, string, error) {
	secret := webhooks.NewSecret()
	e := &webhooks.Endpoint{ID: id.New[id.Endpoint](), Status: webhooks.Active}
	var err error
	if e.Secret, err = s.Encrypt(tx, secret, webhooks.Place(tx.Tenant, e.ID)); err != nil {
		return nil, "", err
	}
	draft.apply(e)
	if err := mayRead(who, e.Events); err != nil {
		return nil, "", err
	}
	e.MadeBy(who.Key, who.Scopes, who.Maker())
	e.Insert(tx)
	audit.Record(tx, who.Actor(), "endpoint.created", "endpoint", string(e.ID), noted(e))
	return e, secret, nil
}

// mayRead is the 403 that names the scopes without which a caller may not read the data of some events: data that the
// caller may not read is not sent for the caller either (interface §4.5.9).
func mayRead(who accounts.Caller, events []string) error {
	return who.NeedsAll(webhooks.ReadScopes(events))
}

// noted is what the audit log records of an endpoint. It has only the host of the URL, because the rest may be a
// secret.
func noted(e *webhooks.Endpoint) map[string]string {
	host := ""
	if u, err := url.Parse(e.URL); err == nil {
		host = u.Host
	}
	return map[string]string{"host": host, "events": strings.Join(e.Events, " "), "status": string(e.Status)}
}

func (d *EndpointDraft) apply(e *webhooks.Endpoint) {
	if d.URL != nil {
		e.URL = *d.URL
	}
	if d.Events != nil {
		e.Events = subscription(d.Events)
	}
	if d.Description != nil {
		e.Description = *d.Description
	}
	if d.Status != nil {
		e.Status = *d.Status
	}
	if d.Ordered != nil {
		e.Ordered = *d.Ordered
	}
}

// subscription is a list of events without repetition; All replaces all others.
func subscription(events []string) (list []string) {
	if slices.Contains(events, webhooks.All) {
		return []string{webhooks.All}
	}
	for _, name := range events {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
