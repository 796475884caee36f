package prestashop

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"entrepot/internal/connector"
)

// Test reads the rights of the key and the shop's facts. It requests the list of resources, which only the web service
// itself returns.
func (s *session) Test(ctx context.Context) (connector.Shop, error) {
	doc, _, err := s.call(ctx, http.MethodGet, "", nil, nil)
	if err != nil {
		return connector.Shop{}, err
	}
	api := doc.at("api")
	if api == nil {
		return connector.Shop{}, connector.Failf(connector.Rejected, "the address answers, but not as PrestaShop's web service")
	}
	net := false
	out := connector.Shop{Name: api.attrs["shopName"], URL: s.link.Channel.Value("url"), Version: s.version, PricesIncludeTax: &net}
	for _, r := range s.rights() {
		have := api.at(r.resource)
		var lacks []string
		for _, method := range r.methods {
			if have == nil || have.attrs[method] != "true" && (method != "put" || have.attrs["patch"] != "true") {
				lacks = append(lacks, upper(method))
			}
		}
		if r.without != "" && len(lacks) > 0 {
			out.Lacking = append(out.Lacking, "the key lacks "+strings.Join(lacks, ", ")+" on "+r.resource+", without which "+r.without)
			continue
		}
		for _, method := range lacks {
			out.Missing = append(out.Missing, "the key lacks "+method+" on "+r.resource)
		}
	}
	if len(out.Missing) > 0 {
		return out, nil
	}
	f, err := s.withLanguages(ctx)
	if err == nil {
		f, err = s.withStates(ctx)
	}
	if err != nil {
		return out, err
	}
	out.Timezone = f.zoneName
	if out.Currency, err = s.iso(ctx, "currencies", "currency", f.settings[settingCurrency]); err != nil {
		return out, err
	}
	note, err := s.taxNote(ctx)
	if err != nil {
		return out, err
	}
	out.Notes = append(out.Notes, note)
	return out, nil
}

// right is what a key may do with a resource.
type right struct {
	resource string
	methods  []string
	without  string // what does not work without it; "" if nothing does
}

// rights are those that a key should have.
var rights = []right{
	{"products", []string{"get", "post", "put"}, ""}, {"combinations", []string{"get", "post", "put"}, ""},
	{"stock_availables", []string{"get", "put"}, ""}, {"images", []string{"post"}, ""},
	{"orders", []string{"get"}, ""}, {"order_histories", []string{"get", "post"}, ""}, {"order_carriers", []string{"get", "put"}, ""},
	{"order_states", []string{"get"}, ""}, {"customers", []string{"get"}, ""}, {"addresses", []string{"get"}, ""},
	{"countries", []string{"get"}, ""}, {"currencies", []string{"get"}, ""}, {"languages", []string{"get"}, ""},
	{"configurations", []string{"get"}, ""},
	{"product_options", []string{"get", "post"}, variantsNeed}, {"product_option_values", []string{"get", "post"}, variantsNeed},
	{"categories", []string{"get", "post"}, "products are in no category of ours"},
	{"specific_prices", []string{"get", "post", "put", "delete"}, "products with a reduced price are refused"},
	{"order_details", []string{"get"}, "refunded quantities are not known"}, {"order_slip", []string{"get"}, "refunds are not known"},
	{"order_carriers", []string{"post"}, "orders without a carrier get no tracking number"},
	{taxGroups, []string{"get"}, "tax rules groups have no names here"}, {"states", []string{"get"}, "addresses have no state"},
}

// rights are those that a key should have for what the channel does.
func (s *session) rights() []right {
	if s.link.Channel.Settings["pushRefunds"] != "true" {
		return rights
	}
	return append(slices.Clone(rights), right{"order_slip", []string{"post"}, "refunds that are recorded here get no credit slip"})
}

const variantsNeed = "products with variants are refused"

func upper(method string) string {
	switch method {
	case "get":
		return "View (GET)"
	case "post":
		return "Add (POST)"
	case "put":
		return "Modify (PUT, PATCH)"
	}
	return "Delete (DELETE)"
}
