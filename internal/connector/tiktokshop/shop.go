package tiktokshop

import (
	"context"
	"net/http"
	"strings"

	"entrepot/internal/connector"
)

// shop is a shop that the seller's authorisation covers.
type shop struct {
	ID     connector.ID `json:"id"`
	Cipher string       `json:"cipher"`
	Name   string       `json:"name"`
	Region string       `json:"region"`
}

// own finds the channel's shop among those of the authorisation; nil when it is not there.
func (s *session) own(ctx context.Context) (*shop, error) {
	var out struct {
		Shops []shop `json:"shops"`
	}
	if _, err := s.call(ctx, request{method: http.MethodGet, path: "/authorization/202309/shops", account: true}, &out); err != nil {
		return nil, err
	}
	for _, one := range out.Shops {
		if one.Cipher == s.link.Channel.Credentials["shopCipher"] {
			s.region = strings.ToUpper(one.Region)
			return &one, nil
		}
	}
	return nil, nil
}

// market is that of the shop's region.
func (s *session) market(ctx context.Context) (market, error) {
	if s.region == "" {
		if _, err := s.own(ctx); err != nil {
			return market{}, err
		}
	}
	return markets[s.region], nil
}

// salesWarehouse is the warehouse whose stock the service sets: that of the setting warehouseId, else the default one
// for sales.
func (s *session) salesWarehouse(ctx context.Context) (string, error) {
	if s.warehouse == "" {
		s.warehouse = s.link.Channel.Value("warehouseId")
	}
	if s.warehouse != "" {
		return s.warehouse, nil
	}
	there, err := s.warehouses(ctx)
	if err != nil {
		return "", err
	}
	for _, w := range there {
		if w.Type == forSales && w.Status != "DISABLED" && (s.warehouse == "" || w.Default) {
			s.warehouse = string(w.ID)
		}
	}
	if s.warehouse == "" {
		return "", connector.Failf(connector.Rejected, "the shop has no warehouse to sell from")
	}
	return s.warehouse, nil
}

// warehouse is one of the shop's warehouses.
type warehouse struct {
	ID      connector.ID `json:"id"`
	Status  string       `json:"effect_status"`
	Type    string       `json:"type"`
	Default bool         `json:"is_default"`
}

// forSales is the type of a warehouse from which orders are shipped.
const forSales = "SALES_WAREHOUSE"

// warehouses lists the shop's own warehouses. Those of TikTok, from which it ships for the shop, are not among them.
func (s *session) warehouses(ctx context.Context) ([]warehouse, error) {
	if s.listed == nil {
		var out struct {
			Warehouses []warehouse `json:"warehouses"`
		}
		if _, err := s.call(ctx, request{method: http.MethodGet, path: "/logistics/202309/warehouses"}, &out); err != nil {
			return nil, err
		}
		s.listed = append([]warehouse{}, out.Warehouses...)
	}
	return s.listed, nil
}
