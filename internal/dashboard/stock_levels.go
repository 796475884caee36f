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

// levelFigure is a figure of a level that is edited in its row.
type levelFigure struct {
	input, was string // the beginnings of the names of its inputs: what is typed, and what it was filled from
	label      string
	of         func(stock.Level) string
}

// levelFigures are those figures, in the order of the columns.
var levelFigures = []levelFigure{
	{"onHand-", "wasOnHand-", "On hand", func(l stock.Level) string { return strconv.FormatInt(l.OnHand, 10) }},
	{"threshold-", "wasThreshold-", "Low below", thresholdText},
}

// thresholdText is a level's threshold as an input shows it.
func thresholdText(l stock.Level) string {
	if l.Threshold == nil {
		return ""
	}
	return strconv.FormatInt(*l.Threshold, 10)
}

func (f levelFigure) field(r *request, which, sku, warehouse, value string) field {
	return field{Name: f.input + which, Label: r.say("%s, of %s in %s", f.label, sku, warehouse), Kind: "int", Value: value}
}

// levelsForm has the inputs of the levels of the page. If the form was refused, the inputs that it changes have what
// was typed, and the error.
func levelsForm(r *request, l *listing, list []stock.Row) *form {
	var fields []field
	for _, row := range list {
		which := string(row.ID)
		for _, figure := range levelFigures {
			now := figure.of(row.Level)
			fields = append(fields, figure.field(r, which, row.SKU, row.Warehouse, now), hiddenField(figure.was+which, now))
		}
		fields = append(fields, hiddenField("sku-"+which, row.SKU), hiddenField("warehouse-"+which, row.Warehouse))
	}
	f := r.another("/stock/levels"+strings.TrimPrefix(l.here(), l.path), fields...)
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

// levelEdit is a typed figure: its level, the value that its input was filled from, and the question if it can be read
// in two ways.
type levelEdit struct {
	figure                                     levelFigure
	level, sku, warehouse, typed, was, unclear string
}

// levelEdits are the changed figures of a form, in the order of their levels' ids; point is the locale's decimal sign.
func levelEdits(sent url.Values, point string) (list []levelEdit) {
	for _, figure := range levelFigures {
		for name := range sent {
			which, is := strings.CutPrefix(name, figure.input)
			if !is {
				continue
			}
			e := levelEdit{figure: figure, level: which, sku: sent.Get("sku-" + which), warehouse: sent.Get("warehouse-" + which),
				was: sent.Get(figure.was + which)}
			e.typed, e.unclear = typedWhole(sent.Get(name), point)
			if e.typed != e.was && e.sku != "" {
				list = append(list, e)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b levelEdit) int { return cmp.Compare(a.level, b.level) })
	return list
}

// saveLevels serves POST /stock/levels: the figures of the page that were changed, all of them or none. A figure that
// has changed meanwhile is refused, and its present value is shown at its input.
func (d *Dashboard) saveLevels(r *request) (answer, error) {
	typed := levelEdits(r.http.PostForm, r.format.point())
	l, _ := r.stockList()
	if len(typed) == 0 {
		return redirect(l.here(), "Nothing to save"), nil
	}
	var fields []field
	for _, e := range typed {
		fields = append(fields, e.figure.field(r, e.level, e.sku, e.warehouse, ""))
	}
	return r.submit(r.form("/stock/levels", fields...), d.listStock, func(*form) (answer, error) {
		onHand, thresholds, err := readLevelEdits(typed)
		if err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			if err := sameLevels(tx, typed); err != nil {
				return answer{}, err
			}
			if err := d.setLevels(tx, r, onHand, thresholds); err != nil {
				return answer{}, err
			}
			levels := map[string]bool{}
			for _, e := range typed {
				levels[e.level] = true
			}
			out := redirect(l.here(), r.say("Saved %s", r.format.plural(int64(len(levels)), "level", "levels")))
			return out.undo(undo{Action: "/stock/levels" + strings.TrimPrefix(l.here(), l.path), Fields: formerLevels(typed)}), nil
		})
	})
}

// setLevels sets what is on hand, and thresholds. Errors: Conflict if one of them is refused.
func (d *Dashboard) setLevels(tx *db.Tx, r *request, onHand, thresholds commerce.StockUpdate) error {
	if tx.Try() > 0 {
		if err := tx.LockClock(); err != nil {
			return err
		}
	}
	plan, err := d.Commerce.PlanInventory(tx, r.caller(), onHand)
	if err != nil {
		return err
	}
	done, err := plan.Apply(tx, r.caller())
	refused := done.Errors
	if err == nil && len(thresholds.Drafts) > 0 {
		done, err = d.Commerce.SetThresholds(tx, r.caller(), thresholds)
		refused = append(refused, done.Errors...)
	}
	if err == nil && len(refused) > 0 {
		err = apperr.New(apperr.Conflict, "conflict", "%s: %s", refused[0].Key, refused[0].Error)
	}
	return err
}

// readLevelEdits are the levels to update: what is on hand, and the thresholds, of which 0 is none. Errors: Invalid,
// shown at the inputs.
func readLevelEdits(list []levelEdit) (onHand, thresholds commerce.StockUpdate, err error) {
	var wrong []apperr.Detail
	for _, e := range list {
		update, blank := &onHand, ""
		if e.figure.input == "threshold-" {
			update, blank = &thresholds, "0"
		}
		n, err := strconv.ParseInt(cmp.Or(e.typed, blank), 10, 64)
		if e.unclear != "" || err != nil || n < 0 || n > limits.MaxStock {
			at := e.figure.input + e.level
			if e.unclear == "" {
				wrong = append(wrong, apperr.At(at, "must be a whole number from 0 to %d", limits.MaxStock).Details...)
			} else {
				wrong = append(wrong, apperr.Detail{Path: at, Message: e.unclear})
			}
		}
		update.Drafts = append(update.Drafts, commerce.StockDraft{Index: len(update.Drafts), SKU: e.sku, Warehouse: e.warehouse, Quantity: n})
	}
	if len(wrong) > 0 {
		err = apperr.Validation(wrong)
	}
	return onHand, thresholds, err
}

// sameLevels checks that figures are what their inputs were filled from, or what was typed. Errors: Precondition,
// shown at the inputs.
func sameLevels(tx *db.Tx, list []levelEdit) error {
	var skus []string
	for _, e := range list {
		if !slices.Contains(skus, e.sku) {
			skus = append(skus, e.sku)
		}
	}
	levels, err := stock.OfSKUs(tx, skus)
	if err != nil {
		return err
	}
	stale := apperr.New(apperr.Precondition, "precondition_failed", "stock changed meanwhile")
	for _, e := range list {
		now := "" // of a level that is gone
		if i := slices.IndexFunc(levels[e.sku], func(l stock.Level) bool { return l.Warehouse == e.warehouse }); i >= 0 {
			now = e.figure.of(levels[e.sku][i])
		}
		if now != e.was && now != e.typed {
			stale.Details = append(stale.Details, apperr.At(e.figure.input+e.level,
				"changed meanwhile: it is “%s” now", cmp.Or(now, "none")).Details[0])
		}
	}
	if len(stale.Details) > 0 {
		return stale
	}
	return nil
}

// formerLevels are the inputs of the form that restores figures. A threshold that was none becomes 0, which is the
// same.
func formerLevels(list []levelEdit) map[string]string {
	fields := map[string]string{}
	for _, e := range list {
		fields["sku-"+e.level], fields["warehouse-"+e.level] = e.sku, e.warehouse
		fields[e.figure.input+e.level], fields[e.figure.was+e.level] = cmp.Or(e.was, "0"), cmp.Or(e.typed, "0")
	}
	return fields
}
