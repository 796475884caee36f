package ebay

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"entrepot/internal/connector"
)

// account is the part of the seller's account that a listing needs.
type account struct{ fulfillment, payment, returns, location string }

// settings of a channel that choose among what the account has.
const (
	settingFulfillment = "fulfillmentPolicyId"
	settingPayment     = "paymentPolicyId"
	settingReturns     = "returnPolicyId"
	settingLocation    = "merchantLocationKey"
	settingCategory    = "categoryId"
)

// policies reads the account's policies and locations, and returns what is missing.
func (s *session) policies(ctx context.Context) (*account, []string, error) {
	a, missing := &account{}, []string{}
	for _, p := range []struct {
		resource, setting, id string
		into                  *string
	}{
		{"fulfillment_policy", settingFulfillment, "fulfillmentPolicyId", &a.fulfillment},
		{"payment_policy", settingPayment, "paymentPolicyId", &a.payment},
		{"return_policy", settingReturns, "returnPolicyId", &a.returns},
	} {
		if *p.into = s.link.Channel.Value(p.setting); *p.into != "" {
			continue
		}
		var out map[string]json.RawMessage
		if _, err := s.get(ctx, accounts+"/"+p.resource, url.Values{"marketplace_id": {s.market.id}}, &out); err != nil {
			return nil, nil, err
		}
		for _, raw := range out {
			var list []map[string]any
			if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
				continue
			}
			*p.into, _ = list[0][p.id].(string)
		}
		if *p.into == "" {
			missing = append(missing, "the account has no "+strings.ReplaceAll(p.resource, "_", " ")+" for "+s.market.id)
		}
	}
	if a.location = s.link.Channel.Value(settingLocation); a.location == "" {
		var out struct {
			Locations []struct{ MerchantLocationKey, MerchantLocationStatus string }
		}
		if _, err := s.get(ctx, inventory+"/location", nil, &out); err != nil {
			return nil, nil, err
		}
		for _, l := range out.Locations {
			if a.location == "" && l.MerchantLocationStatus != "DISABLED" {
				a.location = l.MerchantLocationKey
			}
		}
		if a.location == "" {
			missing = append(missing, "the account has no inventory location")
		}
	}
	return a, missing, nil
}

// readAccount reads the account once in the session's life.
func (s *session) readAccount(ctx context.Context) (*account, error) {
	if s.account == nil {
		a, missing, err := s.policies(ctx)
		if err != nil {
			return nil, err
		}
		if len(missing) > 0 {
			return nil, connector.Failf(connector.Rejected, "%s", strings.Join(missing, "; "))
		}
		s.account = a
	}
	return s.account, nil
}
