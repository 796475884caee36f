package dashboard

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
)

// ruleRoutes are the settings of a channel (interface §4.5.7).
var ruleRoutes = []*route{
	{method: "GET", path: "/channels/{id}/rules", scope: "write:channels", serve: (*Dashboard).showRules},
	{method: "POST", path: "/channels/{id}/rules", scope: "write:channels",
		serve: on((*request).channelOf, (*Dashboard).changeRules)},
	{method: "POST", path: "/channels/{id}/rules/undo", scope: "write:channels",
		serve: on((*request).channelOf, (*Dashboard).undoRules)},
}

type rulesView struct {
	Form    *form
	Groups  []ruleGroup
	Back    string
	Preview *rulesPreview // nil before a change was checked
}

// ruleGroup are the settings of one subject.
type ruleGroup struct {
	ID, Head string
	Fields   []*field
	Rows     [][2]*field // statuses of the platform, and what each means
}

// rules are a channel's settings as a form declares them.
type rules struct {
	r      *request
	fields []field
	heads  []string       // of the groups
	starts []int          // the first field of each group
	stored map[string]any // the settings as they are
}

func (u *rules) group(head string, fields ...field) {
	u.heads, u.starts = append(u.heads, head), append(u.starts, len(u.fields))
	u.fields = append(u.fields, fields...)
}

// text is a stored setting as an input shows it, "" if the channel has none.
func (u *rules) text(name string) string {
	switch value := u.stored[name].(type) {
	case string:
		return value
	case json.Number:
		return value.String()
	case bool:
		return strconv.FormatBool(value)
	}
	return ""
}

// unless is a stored setting, "" for its default.
func (u *rules) unless(name, usual string) string {
	if value := u.text(name); value != usual {
		return value
	}
	return ""
}

// pick is a setting with a list of values, of which "" is the default. A stored value that the list lacks is added.
func (u *rules) pick(name, label, hint, usual string, options ...option) field {
	in := field{Name: "settings." + name, Label: label, Hint: hint, Kind: "select", ClearBlank: true, Value: u.text(name),
		Options: append([]option{{Label: u.r.say("%s (default)", usual)}}, options...)}
	if !slices.ContainsFunc(in.Options, func(o option) bool { return o.Value == in.Value }) {
		in.Options = append(in.Options, option{Value: in.Value, Label: in.Value})
	}
	return in
}

// freeStatusRows is how many empty rows the form has for statuses of the platform.
const freeStatusRows = 2

// rulesOf are a channel's settings: all that its platform takes, with what they are.
func (d *Dashboard) rulesOf(r *request, c channels.Channel, warehouses []stock.Warehouse) *rules {
	u := &rules{r: r}
	decoder := json.NewDecoder(strings.NewReader(c.Settings))
	decoder.UseNumber()
	_ = decoder.Decode(&u.stored) // what cannot be read counts as not given, as in the operation
	oversell := u.pick("oversell", "An order for more than there is",
		"Of orders that come through the API. What a platform has sold always comes in.", "Accept it, and sell below zero",
		option{Value: "reject", Label: "Refuse it"})
	oversell.Value = u.unless("oversell", "allow")
	if c.Platform == channels.Custom {
		u.group("Orders", oversell)
		return u
	}
	from := ""
	if at, ok := apijson.ParseTime(u.text("ordersFrom"), false); ok {
		from = r.format.local(at.UnixMicro())
	}
	u.group("Orders", oversell,
		field{Name: "settings.ordersFrom", Label: "Orders from", Kind: "datetime-local", Value: from, ClearBlank: true, Hint: r.say("Older orders stay out. Default: %s, the channel's first day.",
			r.format.Stamp(c.CreatedAt).Full)},
		d.pullEveryField(u),
		field{Name: "settings.pushRefunds", Label: "Tell the shop about refunds", Kind: "checkbox", Value: u.text("pushRefunds"),
			Hint: d.refundsHint(c.Platform)})
	u.group("What the shop's statuses mean", r.statusFields(u)...)
	send := u.pick("stock", "Stock", "", "Send it to the shop", option{Value: "off", Label: "Do not send it: the shop counts its own"})
	send.Value = u.unless("stock", "push")
	u.group("Stock", send,
		field{Name: "settings.stockBuffer", Label: "Kept back", Kind: "int", Value: u.text("stockBuffer"), ClearBlank: true, Max: 10,
			Hint: "Pieces of each SKU that the shop does not show. Default: 0."},
		warehousesField(u, warehouses))
	hide := u.pick("unpublish", "A product that is taken off", "", "Hide it in the shop", option{Value: "delete", Label: "Delete it in the shop"})
	hide.Value = u.unless("unpublish", "hide")
	u.group("Prices and products",
		field{Name: "settings.priceFactor", Label: "Price factor", Kind: "decimal", Value: u.text("priceFactor"), ClearBlank: true, Max: 20,
			Hint: "Prices are multiplied by it: 1.10 is ten per cent more. Default: 1."}, hide)
	if known, ok := d.Commerce.Connectors.ByPlatform(c.Platform); ok {
		u.group(r.say("Only for %s", channels.PlatformName(c.Platform)), u.platformFields(known.Profile().Settings)...)
	}
	return u
}

// refundsHint says what a platform does with a refund that is recorded here. None moves money for it.
func (d *Dashboard) refundsHint(platform string) string {
	if known, ok := d.Commerce.Connectors.ByPlatform(platform); ok {
		if calls, ok := known.(connector.Platform); ok && calls.Capabilities().NoRefunds != "" {
			return "Not possible here: a refund in the shop pays the buyer, or the shop takes none. An order with a refund then says so."
		}
	}
	return "Refunds that are recorded here are noted on the order in the shop, once. No money moves. Refunds made in the shop come in anyway."
}

// pullEveryField is how often orders are fetched.
func (d *Dashboard) pullEveryField(u *rules) field {
	usual := cmp.Or(d.Commerce.PullEvery, 5*time.Minute)
	options := []option{{Value: "60", Label: "Every minute"}, {Value: "300", Label: "Every 5 minutes"},
		{Value: "900", Label: "Every 15 minutes"}, {Value: "3600", Label: "Every hour"}, {Value: "21600", Label: "Every 6 hours"},
		{Value: "86400", Label: "Once a day"}}
	words := func(seconds string) string {
		if i := slices.IndexFunc(options, func(o option) bool { return o.Value == seconds }); i >= 0 {
			return options[i].Label
		}
		return u.r.say("Every %s seconds", seconds)
	}
	in := u.pick("pullEvery", "Orders are fetched", "What the platform notifies of comes at once.",
		words(strconv.Itoa(int(usual.Seconds()))), options...)
	if last := &in.Options[len(in.Options)-1]; last.Label == last.Value {
		last.Label = words(last.Value)
	}
	return in
}

// warehousesField has the account's warehouses, and codes of the setting that no warehouse has.
func warehousesField(u *rules, list []stock.Warehouse) field {
	in := field{Name: "settings.warehouses", Label: "Warehouses", Kind: "checks", ClearBlank: true,
		Hint: "Only the stock of those that are ticked is shown. Default: none is ticked, which means all."}
	for _, w := range list {
		in.Options = append(in.Options, option{Value: w.Code, Label: w.Code + " " + w.Name})
	}
	stored, _ := u.stored["warehouses"].([]any)
	for _, one := range stored {
		code, _ := one.(string)
		in.Values = append(in.Values, code)
		if !slices.ContainsFunc(in.Options, func(o option) bool { return o.Value == code }) {
			in.Options = append(in.Options, option{Value: code, Label: u.r.say("%s (no such warehouse)", code)})
		}
	}
	return in
}

// statusFields are rows of two inputs: a status of the platform, and what it means here.
func (r *request) statusFields(u *rules) (list []field) {
	known := []option{{Label: "Choose"}}
	for _, s := range orders.Statuses {
		known = append(known, option{Value: string(s), Label: statusWords[s].Word})
	}
	stored, _ := u.stored["statusMap"].(map[string]any)
	theirs := append(slices.Sorted(maps.Keys(stored)), make([]string, freeStatusRows)...)
	for i, name := range theirs {
		ours, _ := stored[name].(string)
		n := strconv.Itoa(i + 1)
		list = append(list, field{Name: statusName(i, "theirs"), Label: r.say("Status of the shop, row %s", n), Value: name, Mono: true, Max: 100},
			field{Name: statusName(i, "ours"), Label: r.say("Means, row %s", n), Kind: "select", Value: ours, Options: known})
	}
	return list
}

func statusName(row int, which string) string { return "statusMap[" + strconv.Itoa(row) + "]." + which }

// platformFields are the settings that only the channel's platform has.
func (u *rules) platformFields(list []connector.Setting) (fields []field) {
	for _, s := range list {
		if s.Values == nil {
			fields = append(fields, field{Name: "settings." + s.Name, Label: s.Label, Value: u.text(s.Name), ClearBlank: true, Max: 1000,
				Hint: u.r.say("%s Default: %s.", u.r.say(s.Note), u.r.say(s.Default))})
			continue
		}
		var options []option
		for _, v := range s.Values {
			options = append(options, option{Value: v.Value, Label: v.Words})
		}
		fields = append(fields, u.pick(s.Name, s.Label, s.Note, sentence(s.Default), options...))
	}
	return fields
}

// ruleForm declares the form of a channel's settings. With it are the settings as they are stored.
func (d *Dashboard) ruleForm(r *request, c channels.Channel) (*form, *rules, error) {
	var warehouses []stock.Warehouse
	err := r.read(func(tx *db.Tx) (err error) {
		warehouses, _, err = stock.Warehouses(tx, maxChoices, 0)
		return err
	})
	u := d.rulesOf(r, c, warehouses)
	return r.editing("/channels/"+string(c.ID)+"/rules", u.fields...), u, err
}

// showRules serves GET /channels/{id}/rules.
func (d *Dashboard) showRules(r *request) (answer, error) {
	c, err := r.channelOf()
	if err != nil {
		return answer{}, err
	}
	f, u, err := d.ruleForm(r, c)
	if err != nil {
		return answer{}, err
	}
	return r.rulesPage(c, f, u, nil), nil
}

// rulesPage is the page of a channel's settings; preview is what the typed change would do, if it was checked.
func (r *request) rulesPage(c channels.Channel, f *form, u *rules, preview *rulesPreview) answer {
	at := "/channels/" + string(c.ID)
	view := rulesView{Form: f, Back: prefix + at, Preview: preview}
	for i, head := range u.heads {
		end := len(f.Fields)
		if i+1 < len(u.starts) {
			end = u.starts[i+1]
		}
		g := ruleGroup{ID: "rules-" + strconv.Itoa(i), Head: head, Fields: f.Fields[u.starts[i]:end]}
		if strings.HasPrefix(g.Fields[0].Name, "statusMap[") {
			for row := range slices.Chunk(g.Fields, 2) {
				g.Rows = append(g.Rows, [2]*field{row[0], row[1]})
			}
		}
		view.Groups = append(view.Groups, g)
	}
	return show(screen{Template: "rules", Title: r.say("Rules of %s", c.Name), Section: "/channels",
		Crumbs: []crumb{{"Channels", "/channels"}, {c.Name, at}, {"Rules", ""}}, Data: view})
}

// typed is the document of the settings that a form changes; those that are not changed are left out, and ones that
// are emptied are null.
func (u *rules) typed(r *request, f *form) *apijson.Object {
	out := *f
	out.Fields, out.object, out.unclear = nil, nil, nil
	for i, in := range f.Fields {
		if strings.HasPrefix(in.Name, "settings.") && in.digest() != u.fields[i].digest() {
			out.Fields = append(out.Fields, r.settingTyped(in))
		}
	}
	meanings, wrong := statusesTyped(f)
	if stored, _ := u.stored["statusMap"].(map[string]any); !maps.Equal(meanings, stored) {
		in := &field{Name: "settings.statusMap", Kind: "json", Value: "null"}
		if len(meanings) > 0 {
			in.Value = string(text(meanings))
		}
		out.Fields = append(out.Fields, in)
	}
	o := out.Object()
	for _, one := range wrong {
		o.AddError(one.Path, "%s", one.Message)
	}
	return o
}

// settingTyped is a changed input in the API's form: a time with its zone, and a number of a list as a number.
func (r *request) settingTyped(in *field) *field {
	value := strings.TrimSpace(in.Value)
	switch {
	case value == "":
	case in.Kind == "datetime-local":
		if at, ok := r.format.moment(value, false); ok {
			return &field{Name: in.Name, Kind: "json", Value: string(text(at.UTC().Format(time.RFC3339Nano)))}
		}
	case in.Kind == "select" && numeral.MatchString(value):
		return &field{Name: in.Name, Kind: "json", Value: value}
	}
	return in
}

// statusesTyped are the meanings of the platform's statuses in a form. Rows of which half is empty are wrong.
func statusesTyped(f *form) (meanings map[string]any, wrong []apperr.Detail) {
	meanings = map[string]any{}
	for i := 0; f.find(statusName(i, "theirs")) != nil; i++ {
		theirs, ours := strings.TrimSpace(f.At(statusName(i, "theirs")).Value), f.At(statusName(i, "ours")).Value
		switch {
		case theirs == "" && ours != "":
			wrong = append(wrong, apperr.Detail{Path: statusName(i, "theirs"), Message: "is required"})
		case theirs != "" && ours == "":
			wrong = append(wrong, apperr.Detail{Path: statusName(i, "ours"), Message: "is required"})
		case theirs != "" && meanings[theirs] != nil:
			wrong = append(wrong, apperr.Detail{Path: statusName(i, "theirs"), Message: "is there twice"})
		case theirs != "":
			meanings[theirs] = ours
		}
	}
	return meanings, wrong
}

// changeRules serves POST /channels/{id}/rules: the first time the page says what the change would do, and the second
// time the change is stored. What was typed in between is checked again.
func (d *Dashboard) changeRules(r *request, c channels.Channel) (answer, error) {
	f, u, err := d.ruleForm(r, c)
	if err != nil {
		return answer{}, err
	}
	return r.submit(f, d.showRules, func(f *form) (answer, error) {
		draft, err := ruleDraft(u.typed(r, f))
		if err != nil {
			return answer{}, err
		}
		at := "/channels/" + string(c.ID) + "/rules"
		if draft.Settings == nil && r.stale == nil {
			return redirect(at, "Nothing to save"), nil
		}
		if r.stale == nil && f.Value(checkedName) != changeDigest(draft) {
			return d.previewRules(r, c, f, u, draft)
		}
		return d.saveRules(r, c, draft, redirect(at, "Saved the rules").undo(undo{Action: at + "/undo",
			Fields: map[string]string{"settings": former(c, draft)}}))
	})
}

// ruleDraft is a change of settings alone. Errors: Invalid.
func ruleDraft(o *apijson.Object) (commerce.ChannelDraft, error) {
	draft := drafts.ReadChannelChange(o)
	return commerce.ChannelDraft{Settings: draft.Settings, Oversell: draft.Oversell}, o.Err()
}

// former are the present values of the settings that a draft changes, as JSON.
func former(c channels.Channel, draft commerce.ChannelDraft) string {
	var stored, changed map[string]json.RawMessage
	if draft.Settings == nil || json.Unmarshal([]byte(*draft.Settings), &changed) != nil {
		return "{}"
	}
	_ = json.Unmarshal([]byte(c.Settings), &stored)
	for name := range changed {
		changed[name] = stored[name] // nil is null: the channel had none
	}
	return string(text(changed))
}

// saveRules changes a channel's settings, and answers with out.
func (d *Dashboard) saveRules(r *request, c channels.Channel, draft commerce.ChannelDraft, out answer) (answer, error) {
	if err := d.Commerce.CheckAddresses(r.http.Context(), c.Platform, draft); err != nil {
		return answer{}, err
	}
	out, err := d.write(r, func(tx *db.Tx) (answer, error) {
		_, err := d.Commerce.UpdateChannel(tx, r.caller(), c.ID, commerce.Expected{}, draft)
		return out, err
	})
	if err == nil {
		err = d.Commerce.FinishItems(r.http.Context(), r.store(), r.caller().Tenant, c.ID)
	}
	return out, err
}

// undoRules serves POST /channels/{id}/rules/undo: the settings that a change replaced apply again.
func (d *Dashboard) undoRules(r *request, c channels.Channel) (answer, error) {
	at := "/channels/" + string(c.ID) + "/rules"
	return r.submit(r.form(at+"/undo", hiddenField("settings", "")), d.showRules, func(f *form) (answer, error) {
		document, err := jsonvalue.Parse([]byte(`{"settings":` + f.Value("settings") + `}`))
		if err != nil {
			return answer{}, apperr.At("settings", "cannot be read")
		}
		draft, err := ruleDraft(apijson.Read(document))
		if err != nil {
			return answer{}, err
		}
		return d.saveRules(r, c, draft, redirect(at, "Restored the rules"))
	})
}
