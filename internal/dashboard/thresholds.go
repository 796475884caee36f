package dashboard

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/stock"
)

// hiddenOfLevel are the hidden inputs of a threshold: its level, and the value that its input was filled from.
var hiddenOfLevel = []string{"sku-", "warehouse-", "was-"}

// thresholdText is a level's threshold as an input shows it.
func thresholdText(l stock.Level) string {
	if l.Threshold == nil {
		return ""
	}
	return strconv.FormatInt(*l.Threshold, 10)
}

func thresholdField(which, sku, warehouse, value string) field {
	return field{Name: "threshold-" + which, Label: "Low below, of " + sku + " in " + warehouse, Kind: "int", Value: value}
}

// thresholdForm has one input for each level of the page. If the form was refused, the input of a level that it
// changes has what was typed, and the error.
func thresholdForm(r *request, l *listing, list []stock.Row) *form {
	var fields []field
	for _, row := range list {
		which, now := string(row.ID), thresholdText(row.Level)
		fields = append(fields, thresholdField(which, row.SKU, row.Warehouse, now))
		for i, value := range []string{row.SKU, row.Warehouse, now} {
			fields = append(fields, hiddenField(hiddenOfLevel[i]+which, value))
		}
	}
	f := r.another("/stock/thresholds"+strings.TrimPrefix(l.here(), l.path), fields...)
	if r.refused == nil {
		return f
	}
	f.restore(fields) // levels that were not changed show what they are now
	f.Message, f.Problems = r.refused.Message, r.refused.Problems
	for _, in := range f.Fields {
		if typed := r.refused.find(in.Name); typed != nil {
			in.Value, in.Error = typed.Value, typed.Error
		}
	}
	for i, p := range f.Problems {
		if !slices.ContainsFunc(f.Fields, func(in *field) bool { return in.ID() == p.ID }) {
			f.Problems[i].ID = "" // its level is not on the page any more
		}
	}
	return f
}

// threshold is a typed threshold: its level, the value that its input was filled from, and the question if it can be
// read in two ways.
type threshold struct{ level, sku, warehouse, typed, was, unclear string }

// typedThresholds are the changed thresholds of a form, in the order of their levels' ids; point is the locale's
// decimal sign.
func typedThresholds(sent url.Values, point string) (list []threshold) {
	for name := range sent {
		if which, is := strings.CutPrefix(name, "threshold-"); is {
			t := threshold{level: which, sku: sent.Get("sku-" + which), warehouse: sent.Get("warehouse-" + which), was: sent.Get("was-" + which)}
			t.typed, t.unclear = typedWhole(sent.Get(name), point)
			if t.typed != t.was && t.sku != "" {
				list = append(list, t)
			}
		}
	}
	slices.SortFunc(list, func(a, b threshold) int { return cmp.Compare(a.level, b.level) })
	return list
}

// setThresholds serves POST /stock/thresholds: those that were changed. A threshold that somebody else has changed
// meanwhile is refused, and its present value is shown at its input.
func (d *Dashboard) setThresholds(r *request) (answer, error) {
	typed := typedThresholds(r.http.PostForm, r.format.point())
	l, _ := r.stockList()
	if len(typed) == 0 {
		return redirect(l.here(), "Nothing was changed"), nil
	}
	var fields []field
	for _, t := range typed {
		fields = append(fields, thresholdField(t.level, t.sku, t.warehouse, ""))
	}
	return r.submit(r.form("/stock/thresholds", fields...), d.listStock, func(*form) (answer, error) {
		update, err := readThresholds(typed)
		if err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			if err := sameThresholds(tx, typed); err != nil {
				return answer{}, err
			}
			done, err := d.Commerce.SetThresholds(tx, r.caller(), update)
			if err != nil {
				return answer{}, err
			}
			if len(done.Errors) > 0 {
				return answer{}, apperr.New(apperr.Conflict, "conflict", "%s: %s", done.Errors[0].Key, done.Errors[0].Error)
			}
			out := redirect(l.here(), r.format.plural(int64(done.Updated), "threshold", "thresholds")+" saved")
			return out.undo(undo{Action: "/stock/thresholds" + strings.TrimPrefix(l.here(), l.path), Fields: formerThresholds(typed)}), nil
		})
	})
}

// readThresholds are the levels to update; a threshold of 0 is none. Errors: Invalid, shown at the inputs.
func readThresholds(list []threshold) (update commerce.StockUpdate, err error) {
	var wrong []apperr.Detail
	for i, t := range list {
		figure, err := strconv.ParseInt(cmp.Or(t.typed, "0"), 10, 64)
		if t.unclear != "" || err != nil || figure < 0 || figure > limits.MaxStock {
			words := cmp.Or(t.unclear, "must be a whole number from 0 to "+strconv.Itoa(limits.MaxStock))
			wrong = append(wrong, apperr.Detail{Path: "threshold-" + t.level, Message: words})
		}
		update.Drafts = append(update.Drafts, commerce.StockDraft{Index: i, SKU: t.sku, Warehouse: t.warehouse, Quantity: figure})
	}
	if len(wrong) > 0 {
		err = apperr.Validation(wrong)
	}
	return update, err
}

// sameThresholds checks that thresholds are what their inputs were filled from, or what was typed. Errors:
// Precondition, shown at the inputs.
func sameThresholds(tx *db.Tx, list []threshold) error {
	skus := make([]string, len(list))
	for i, t := range list {
		skus[i] = t.sku
	}
	levels, err := stock.OfSKUs(tx, skus)
	if err != nil {
		return err
	}
	stale := apperr.New(apperr.Precondition, "precondition_failed", "thresholds changed meanwhile")
	for _, t := range list {
		now := "" // of a level that is gone
		if i := slices.IndexFunc(levels[t.sku], func(l stock.Level) bool { return l.Warehouse == t.warehouse }); i >= 0 {
			now = thresholdText(levels[t.sku][i])
		}
		if now != t.was && now != t.typed {
			stale.Details = append(stale.Details, apperr.Detail{Path: "threshold-" + t.level,
				Message: "changed meanwhile: it is " + cmp.Or(now, "none") + " now"})
		}
	}
	if len(stale.Details) > 0 {
		return stale
	}
	return nil
}

// formerThresholds are the inputs of the form that restores thresholds. What was none becomes 0, which is the same.
func formerThresholds(list []threshold) map[string]string {
	fields := map[string]string{}
	for _, t := range list {
		fields["sku-"+t.level], fields["warehouse-"+t.level] = t.sku, t.warehouse
		fields["threshold-"+t.level], fields["was-"+t.level] = cmp.Or(t.was, "0"), cmp.Or(t.typed, "0")
	}
	return fields
}
