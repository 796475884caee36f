package prestashop

import (
	"context"
	"time"

	"entrepot/internal/orders"
)

// shop is what is read of a shop before any other request.
type shop struct {
	languages []string // ids
	language  string   // the default one
	zone      *time.Location
	zoneName  string
	home      string            // the category below which all others lie
	states    map[string]string // PS_OS_… to id
	known     map[string]state  // by id
	settings  map[string]string // by the shop's names
}

// state is one status that an order may have in the shop; merchants add their own.
type state struct {
	name    string // as the back office shows it
	ours    orders.Status
	refund  bool
	shipped bool
}

// setting are the shop's settings that are read.
const (
	settingLanguage = "PS_LANG_DEFAULT"
	settingCurrency = "PS_CURRENCY_DEFAULT"
	settingZone     = "PS_TIMEZONE"
	settingHome     = "PS_HOME_CATEGORY"
	settingWeight   = "PS_WEIGHT_UNIT" // a text such as kg
)

// meaning are the meanings of the states of a new installation; a merchant's own are interpreted by their flags.
var meaning = map[string]orders.Status{
	"PS_OS_CHEQUE": orders.Pending, "PS_OS_BANKWIRE": orders.Pending, "PS_OS_COD_VALIDATION": orders.Pending,
	"PS_OS_OUTOFSTOCK_UNPAID": orders.Pending,
	"PS_OS_PAYMENT":           orders.Processing, "PS_OS_PREPARATION": orders.Processing, "PS_OS_OUTOFSTOCK_PAID": orders.Processing,
	"PS_OS_WS_PAYMENT": orders.Processing,
	"PS_OS_SHIPPING":   orders.Shipped, "PS_OS_DELIVERED": orders.Delivered,
	"PS_OS_CANCELED": orders.Cancelled, "PS_OS_ERROR": orders.Cancelled,
	"PS_OS_REFUND": "",
}

// readShop reads the shop once in the session's lifetime.
func (s *session) readShop(ctx context.Context) (*shop, error) {
	if s.shop != nil {
		return s.shop, nil
	}
	names := append(sortedKeys(meaning), settingLanguage, settingCurrency, settingZone, settingHome, settingWeight)
	rows, err := s.list(ctx, "configurations", "configuration", display("name", "value").any("name", names...))
	if err != nil {
		return nil, err
	}
	settings := map[string]string{}
	for _, r := range rows {
		settings[r.get("name")] = r.get("value")
	}
	f := &shop{language: settings[settingLanguage], home: settings[settingHome], zoneName: settings[settingZone], zone: time.UTC,
		states: map[string]string{}, known: map[string]state{}}
	if zone, err := time.LoadLocation(f.zoneName); err == nil && f.zoneName != "" {
		f.zone = zone
	}
	if f.home == "" {
		f.home = "2"
	}
	f.settings = settings
	s.shop = f
	return f, nil
}

// withLanguages is the shop with the languages of its texts, which products need.
func (s *session) withLanguages(ctx context.Context) (*shop, error) {
	f, err := s.readShop(ctx)
	if err != nil || f.languages != nil {
		return f, err
	}
	languages, err := s.list(ctx, "languages", "language", display("id"))
	if err != nil {
		return nil, err
	}
	for _, l := range languages {
		f.languages = append(f.languages, l.get("id"))
	}
	if f.language == "" && len(f.languages) > 0 {
		f.language = f.languages[0]
	}
	return f, nil
}

// withStates is the shop with the states of its orders, which orders need.
func (s *session) withStates(ctx context.Context) (*shop, error) {
	f, err := s.readShop(ctx)
	if err == nil && f.language == "" {
		f, err = s.withLanguages(ctx)
	}
	if err != nil || len(f.known) > 0 {
		return f, err
	}
	return f, s.readStates(ctx, f, f.settings)
}

func (s *session) readStates(ctx context.Context, f *shop, settings map[string]string) error {
	rows, err := s.list(ctx, "order_states", "order_state", full())
	if err != nil {
		return err
	}
	for _, r := range rows {
		at := state{name: r.in("name", f.language), shipped: r.get("shipped") == "1"}
		switch {
		case at.shipped:
			at.ours = orders.Shipped
		case r.get("paid") == "1":
			at.ours = orders.Processing
		}
		f.known[r.get("id")] = at
	}
	for name, ours := range meaning {
		id := settings[name]
		at, there := f.known[id]
		if !there {
			continue
		}
		f.states[name] = id
		at.ours, at.refund = ours, name == "PS_OS_REFUND"
		f.known[id] = at
	}
	return nil
}

// iso is the ISO code of a currency, country or state by its id; "" for none.
func (s *session) iso(ctx context.Context, resource, kind, id string) (string, error) {
	if id == "" || id == "0" {
		return "", nil
	}
	n, err := s.one(ctx, resource, kind, id)
	return n.get("iso_code"), err
}

// carrier is the name of a carrier by its id; "" for none, and if the key may not read it. A shop gives a carrier
// that is changed a new id, so each name is read once.
func (s *session) carrier(ctx context.Context, id string) (string, error) {
	if id == "" || id == "0" {
		return "", nil
	}
	fact := "carrier " + id
	if name := s.link.Facts.Fact(fact); name != "" {
		return name, nil
	}
	n, err := s.one(ctx, "carriers", "carrier", id)
	if err != nil {
		if err = ignoreForbidden(err); err == nil {
			s.cache["carriers/"+id] = nil
		}
		return "", err
	}
	name := n.get("name")
	if name == "0" { // a shop's sign for its own name
		return "", nil
	}
	s.link.Facts.Keep(fact, name)
	return name, nil
}

// one reads a resource by its id, once in the session's lifetime; nil if it does not exist. It is read as a list,
// which leaves no field out.
func (s *session) one(ctx context.Context, resource, kind, id string) (*node, error) {
	key := resource + "/" + id
	if n, ok := s.cache[key]; ok {
		return n, nil
	}
	rows, err := s.list(ctx, resource, kind, full().any("id", id))
	if err != nil {
		return nil, err
	}
	var n *node
	if len(rows) > 0 {
		n = rows[0]
	}
	s.cache[key] = n
	return n, nil
}
