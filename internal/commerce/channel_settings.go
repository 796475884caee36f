package commerce

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/channels"
	"entrepot/internal/orders"
)

// channelSettings are the settings that the synchronisation of a channel uses (interface §4.5.7).
type channelSettings struct {
	PullEvery  time.Duration // 0: the service's
	OrdersFrom time.Time     // zero: the channel's creation
	levelRules
	StatusMap map[string]orders.Status
	Remove    bool // unpublishing deletes on the platform

	PushRefunds bool // refunds that are recorded here are pushed to the platform
}

// levelRules decide which stock and prices the platform shows; a changed rule is pushed for all products.
type levelRules struct {
	PushStock   bool
	StockBuffer int64
	Warehouses  []string // nil: all
	PriceFactor string   // decimal; "" for 1
}

// ordersFrom is the time from which orders of a channel are pulled.
func (s channelSettings) ordersFrom(c channels.Channel) time.Time {
	if s.OrdersFrom.IsZero() {
		return time.UnixMicro(c.CreatedAt).UTC()
	}
	return s.OrdersFrom
}

// rereads reports whether orders that were pulled by other settings have to be pulled again: some were left out, or
// the platform's statuses have another meaning now.
func (s channelSettings) rereads(before channelSettings) bool {
	return !s.OrdersFrom.Equal(before.OrdersFrom) || !maps.Equal(s.StatusMap, before.StatusMap)
}

// settingsOf reads a channel's settings; invalid ones count as not given.
func settingsOf(c channels.Channel) channelSettings {
	out := channelSettings{levelRules: levelRules{PushStock: true}, StatusMap: map[string]orders.Status{}}
	var raw map[string]json.RawMessage
	if json.Unmarshal([]byte(c.Settings), &raw) != nil {
		return out
	}
	text := func(name string) (value string) {
		_ = json.Unmarshal(raw[name], &value)
		return value
	}
	whole := func(name string) int64 { // 2.0 and 1e2 are whole numbers, too
		n, err := strconv.ParseFloat(strings.Trim(string(raw[name]), `"`), 64)
		if err != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
			return 0
		}
		return int64(n)
	}
	out.PullEvery = time.Duration(min(max(0, whole("pullEvery")), 86400)) * time.Second
	out.StockBuffer = max(0, whole("stockBuffer"))
	if at, ok := apijson.ParseTime(text("ordersFrom"), false); ok {
		out.OrdersFrom = at
	}
	out.PushStock = text("stock") != "off"
	out.Remove = text("unpublish") == "delete"
	out.PushRefunds = string(raw["pushRefunds"]) == "true"
	_ = json.Unmarshal(raw["warehouses"], &out.Warehouses)
	out.PriceFactor = strings.Trim(string(raw["priceFactor"]), `"`)
	_ = json.Unmarshal(raw["statusMap"], &out.StatusMap)
	return out
}

// maxSettings bounds the settings of a channel, in bytes, as all free JSON.
const maxSettings = 64 << 10

// changeSettings merges the settings of a change into those of a channel (interface §4.5.7): settings left out stay,
// null takes one away. Errors: Invalid if they become too many.
func changeSettings(c *channels.Channel, change string) error {
	stored, err := jsonvalue.Parse([]byte(c.Settings))
	if err != nil {
		return err
	}
	given, err := jsonvalue.Parse([]byte(change)) // it was parsed before
	if err != nil {
		return err
	}
	text := []byte{'{'}
	put := func(name, value *jsonvalue.Value) {
		if value.Kind == 'n' {
			return
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(append(append(text, name.Raw()...), ':'), value.Raw()...)
	}
	for name, value := range stored.All {
		if replaced := given.Member(name.Text()); replaced != nil {
			value = replaced
		}
		put(name, value)
	}
	for name, value := range given.All {
		if stored.Member(name.Text()) == nil {
			put(name, value)
		}
	}
	if text = append(text, '}'); len(text) > maxSettings {
		return apperr.At("settings", "must be at most 64 KiB of JSON, with those that the channel has")
	}
	c.Settings = string(text)
	if oversell := given.Member("oversell"); oversell != nil {
		c.Oversell = cmp.Or(oversell.Text(), "allow")
	}
	return nil
}
