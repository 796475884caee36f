package customers

import (
	"encoding/json"
	"fmt"
	"time"

	"entrepot/internal/base/money"
)

// storedRules is the stored form of rules: JSON without absent rules. Times are cut to milliseconds.
type storedRules struct {
	TagsAny         []string    `json:"tagsAny,omitempty"`
	TagsAll         []string    `json:"tagsAll,omitempty"`
	MinOrders       *int64      `json:"minOrders,omitempty"`
	MinTotalSpent   json.Number `json:"minTotalSpent,omitempty"`
	Country         string      `json:"country,omitempty"`
	CreatedAfter    *time.Time  `json:"createdAfter,omitempty"`
	LastOrderAfter  *time.Time  `json:"lastOrderAfter,omitempty"`
	LastOrderBefore *time.Time  `json:"lastOrderBefore,omitempty"`
}

// text returns the stored form of the rules.
func (r Rules) text() string {
	s := storedRules{TagsAny: r.TagsAny, TagsAll: r.TagsAll, MinOrders: r.MinOrders, Country: r.Country,
		CreatedAfter: moment(r.CreatedAfter), LastOrderAfter: moment(r.LastOrderAfter), LastOrderBefore: moment(r.LastOrderBefore)}
	if r.MinTotalSpent != nil {
		s.MinTotalSpent = json.Number(r.MinTotalSpent.String())
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // plain values always encode
	}
	return string(text)
}

func parseRules(text string) (r Rules, err error) {
	var s storedRules
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return r, fmt.Errorf("rules of a segment: %w", err)
	}
	r = Rules{TagsAny: s.TagsAny, TagsAll: s.TagsAll, MinOrders: s.MinOrders, Country: s.Country,
		CreatedAfter: micros(s.CreatedAfter), LastOrderAfter: micros(s.LastOrderAfter), LastOrderBefore: micros(s.LastOrderBefore)}
	if s.MinTotalSpent != "" {
		spent, err := money.Parse(string(s.MinTotalSpent))
		if err != nil {
			return r, fmt.Errorf("rules of a segment: %w", err)
		}
		r.MinTotalSpent = &spent
	}
	return r, nil
}

func moment(micros *int64) *time.Time {
	if micros == nil {
		return nil
	}
	at := time.UnixMicro(*micros).UTC().Truncate(time.Millisecond)
	return &at
}

func micros(at *time.Time) *int64 {
	if at == nil {
		return nil
	}
	micros := at.UnixMicro()
	return &micros
}

// Same reports whether two sets of rules are equal.
func (r Rules) Same(other Rules) bool { return r.text() == other.text() }
