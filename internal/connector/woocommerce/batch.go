package woocommerce

import (
	"context"
	"net/http"
	"strings"

	"entrepot/internal/connector"
)

// batchAnswer has an entry for each entry of the request, in its place.
type batchAnswer struct {
	Create []found `json:"create"`
	Update []found `json:"update"`
	Delete []found `json:"delete"`
}

// each matches entries with what they are about.
func (a batchAnswer) each(made, changed []*upsert, do func(*upsert, found)) {
	for i, u := range made {
		do(u, entryAt(a.Create, i))
	}
	for i, u := range changed {
		do(u, entryAt(a.Update, i))
	}
}

func entryAt(list []found, i int) found {
	if i < len(list) {
		return list[i]
	}
	return found{Error: &problem{Message: "the shop said nothing about it"}}
}

// batch sends entries to a batch address, in halves when the shop takes fewer at once.
func (s *session) batch(ctx context.Context, path string, create, update []map[string]any, remove []int64) (batchAnswer, error) {
	var answer batchAnswer
	if len(create)+len(update)+len(remove) == 0 {
		return answer, nil
	}
	body := map[string]any{}
	if len(create) > 0 {
		body["create"] = create
	}
	if len(update) > 0 {
		body["update"] = update
	}
	if len(remove) > 0 {
		body["delete"] = remove
	}
	_, err := s.call(ctx, http.MethodPost, "/wc/v3"+path, nil, body, &answer)
	var f = connector.FailureOf(err)
	tooLarge := f != nil && f.Kind == connector.Rejected &&
		(f.Code == "woocommerce_rest_request_entity_too_large" || strings.Contains(f.Message, "413"))
	if !tooLarge || len(create)+len(update)+len(remove) < 2 {
		return answer, err
	}
	first, err := s.batch(ctx, path, create[:len(create)/2], update[:len(update)/2], remove[:len(remove)/2])
	if err != nil {
		return answer, err
	}
	second, err := s.batch(ctx, path, create[len(create)/2:], update[len(update)/2:], remove[len(remove)/2:])
	return batchAnswer{
		append(first.Create, second.Create...),
		append(first.Update, second.Update...),
		append(first.Delete, second.Delete...),
	}, err
}
