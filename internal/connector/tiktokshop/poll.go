package tiktokshop

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"entrepot/internal/connector"
)

// Poll requests the results of audits: of all products by one search, and for a failed one the product itself, which
// has the reasons.
func (s *session) Poll(ctx context.Context, operations []string) ([]connector.Result, error) {
	var skus []string
	for _, operation := range operations {
		_, sku, _ := strings.Cut(operation, " ")
		skus = append(skus, sku)
	}
	there, err := s.search(ctx, skus)
	if err != nil {
		return nil, err
	}
	var list []connector.Result
	for _, operation := range operations {
		id, _, _ := strings.Cut(operation, " ")
		i := slices.IndexFunc(there, func(p product) bool { return string(p.ID) == id })
		if i >= 0 && there[i].Status != "FAILED" && there[i].Audit.Status != "FAILED" {
			list = append(list, there[i].outcome(operation))
			continue
		}
		p, err := s.whole(ctx, id)
		switch {
		case connector.Is(err, connector.Missing):
			list = append(list, connector.Result{Operation: operation, State: connector.Gone, Error: "gone on the platform"})
		case err != nil:
			return list, err
		default:
			list = append(list, p.outcome(operation))
		}
	}
	return list, nil
}

// outcome is the meaning of a product's state for its operation.
func (p *product) outcome(operation string) connector.Result {
	r := connector.Result{Operation: operation, State: connector.Live}
	switch p.Status {
	case "ACTIVATE": // then only a change of it can be audited
		switch p.Audit.Status {
		case "AUDITING":
			r.State = connector.Waiting
		case "FAILED":
			r.State, r.Error = connector.Failed, "the audit refused the change, the former content stays on sale: "+p.reasons()
		}
	case "FAILED":
		r.State, r.Error = connector.Failed, "the audit refused it: "+p.reasons()
	case "PENDING", "DRAFT":
		r.State = connector.Waiting
	}
	if p.offSale() {
		r.State, r.Error = connector.Failed, "TikTok took it off sale: "+p.reasons()
	}
	return r
}

// offSale reports whether TikTok has taken it off sale.
func (p *product) offSale() bool { return p.Status == "PLATFORM_DEACTIVATED" || p.Status == "FREEZE" }

// reasons are the audit's reasons, for people.
func (p *product) reasons() string {
	var parts []string
	for _, r := range p.Reasons {
		parts = append(parts, strings.TrimPrefix(r.Position+": "+strings.Join(r.Reasons, ", "), ": "))
	}
	return cmp.Or(connector.Line(strings.Join(parts, "; ")), "TikTok gives no reason")
}
