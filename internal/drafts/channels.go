package drafts

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/jobs"
	"entrepot/internal/limits"
	"entrepot/internal/orders"
)

// ReadChannel reads a new channel (interface §4.5.7).
func ReadChannel(o *apijson.Object) commerce.ChannelDraft {
	o.Record("CreateChannel")
	name := o.Text("name", apijson.Text{Required: true, Max: limits.MaxName}).Value
	d := commerce.ChannelDraft{Name: &name, Platform: apijson.Enum(o, "platform", true, channels.Platforms...).Value}
	readChannelParts(o, &d)
	return d
}

// ReadChannelChange reads a change of a channel.
func ReadChannelChange(o *apijson.Object) commerce.ChannelDraft {
	o.Record("UpdateChannel")
	var d commerce.ChannelDraft
	if f := o.Text("name", apijson.Text{Max: limits.MaxName, Min: 1}); f.Set {
		d.Name = &f.Value
	}
	o.NotNull("name")
	d.Status = apijson.Enum(o, "status", false, channels.Statuses...).Ptr()
	readChannelParts(o, &d)
	return d
}

// readChannelParts reads credentials and settings.
func readChannelParts(o *apijson.Object, d *commerce.ChannelDraft) {
	o.Object("credentials", func(c *apijson.Object) {
		d.Credentials = connector.Credentials{}
		for _, name := range c.Names() {
			if !c.IsText(name) {
				d.NotText = append(d.NotText, name)
			} else {
				// null as ""
				d.Credentials[name] = c.Text(name, apijson.Text{Max: limits.MaxCredential, Keep: true}).Value
			}
		}
	})
	readSettings(o, d)
}

// ReadSettingsPreview reads the settings of which a preview is wanted (interface §4.5.7). It returns their JSON object.
func ReadSettingsPreview(o *apijson.Object) string {
	o.Record("PreviewSettings")
	var d commerce.ChannelDraft
	readSettings(o, &d)
	if d.Settings == nil {
		if !o.HasError("settings") {
			o.AddError("settings", "is required")
		}
		return "{}"
	}
	return *d.Settings
}

// readSettings reads the settings of a channel.
func readSettings(o *apijson.Object, d *commerce.ChannelDraft) {
	if f := o.Free("settings", true); f.Given() && !o.HasError("settings") {
		d.Settings = &f.Value
	}
	if o.HasError("settings") {
		return
	}
	o.Object("settings", func(s *apijson.Object) {
		oversell := apijson.Enum(s, "oversell", false, "allow", "reject").Or("allow")
		d.Oversell = &oversell
		checkSettings(s)
	})
}

// checkSettings reports wrong values of the settings of synchronised channels; commerce reads the values when it uses
// them. Settings of single platforms, and unknown ones, may be anything.
func checkSettings(s *apijson.Object) {
	const most = 1_000_000_000
	s.Int("pullEvery", apijson.Int{Max: most})
	s.Time("ordersFrom", false)
	apijson.Enum(s, "stock", false, "push", "off")
	s.Int("stockBuffer", apijson.Int{Max: most})
	s.Texts("warehouses", false, 1000, apijson.Text{Max: limits.MaxWarehouseCode})
	s.Money("priceFactor", apijson.Money{Positive: true})
	apijson.Enum(s, "unpublish", false, "hide", "delete")
	s.Bool("pushRefunds")
	apijson.Enum(s, "tracking", false, "note", "fulfillment", "extension")
	s.Object("statusMap", func(m *apijson.Object) {
		for _, theirs := range m.Names() {
			apijson.Enum(m, theirs, true, orders.Statuses...)
		}
	})
}

// ReadSync reads a request for work on a channel.
func ReadSync(o *apijson.Object) (d commerce.SyncDraft) {
	o.Record("QueueSync")
	d.Type = apijson.Enum(o, "type", true, jobs.ProductPush, jobs.StockPush, jobs.OrderPull, jobs.StatusPush).Value
	d.ExternalIDs = o.Texts("externalIds", false, 100, apijson.Text{Max: 100}).Value
	d.SKUs = o.Texts("skus", false, 1000, apijson.Text{}).Value
	return d
}
