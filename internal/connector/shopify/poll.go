package shopify

import (
	"context"
	"slices"
	"strings"

	"entrepot/internal/connector"
)

// Poll returns the outcome of pictures. A picture that the shop does not mention counts as good.
func (s *session) Poll(ctx context.Context, operations []string) (results []connector.Result, err error) {
	var ids []string
	for _, operation := range operations {
		for _, picture := range strings.Fields(operation)[1:] {
			_, number, _ := strings.Cut(picture, ":")
			ids = append(ids, mediaID+number)
		}
	}
	known := map[string]*media{}
	for piece := range slices.Chunk(ids, mostFound) {
		var a struct{ Nodes []*media }
		if _, err := s.call(reading(ctx), queryMedia, vars{"ids": piece}, &a); connector.Is(err, connector.Temporary, connector.Throttled,
			connector.Unauthorized) {
			return results, err
		}
		for i, m := range a.Nodes {
			if i < len(piece) {
				known[piece[i]] = m // nil if its merchant has deleted it
			}
		}
	}
	for _, operation := range operations {
		if r := picturesResult(operation, known); r.State != connector.Waiting {
			results = append(results, r)
		}
	}
	return results, nil
}

// picturesResult says what became of the pictures that an operation names.
func picturesResult(operation string, known map[string]*media) connector.Result {
	r := connector.Result{Operation: operation, State: connector.Live}
	var refused []string
	for _, picture := range strings.Fields(operation)[1:] {
		place, number, _ := strings.Cut(picture, ":")
		switch m := known[mediaID+number]; {
		case m == nil || m.Status == "" || m.Status == ready:
		case m.Status == failed:
			why := "it gives no reason"
			if len(m.MediaErrors) > 0 {
				why = connector.Line(m.MediaErrors[0].Message)
			}
			refused = append(refused, "picture "+place+": "+why)
		default:
			return connector.Result{Operation: operation, State: connector.Waiting}
		}
	}
	if len(refused) > 0 {
		r.State, r.Error = connector.Failed, "the shop could not take "+strings.Join(refused, "; ")
	}
	return r
}
