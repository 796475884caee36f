package dashboard

import (
	"encoding/json"
	"strconv"
	"strings"

	"entrepot/internal/base/money"
	"entrepot/internal/importer/fileimport"
	"entrepot/internal/imports"
)

// shownDiffs is how many changes a page shows at once: enough to see that columns were read as they are meant.
const shownDiffs = 8

// diffRow is what would change in one product.
type diffRow struct {
	SKU     string
	Percent string // of a price that jumps
	Changes []change
}

// checked shows the result of the dry run.
func (v *importView) checked(r *request, p importPage, may bool) error {
	var c fileimport.Checked
	if err := json.Unmarshal([]byte(p.i.Checked), &c); err != nil {
		return err
	}
	f := r.format
	v.Head, v.Under = "What would happen", "Nothing is stored yet."
	v.Fold = len(v.Columns) > manyColumns
	v.Figures = []figure{countFigure(f, c.Created, "new product", "new products"), {f.Count(int64(c.Updated)), "changed", false},
		{f.Count(int64(c.Unchanged)), "the same already", false}, refusedFigure(f, c.Counts)}
	switch k := r.files(); {
	case k == orderFiles:
		v.orderFigures(r, c)
	case k == shipmentFiles:
		v.Figures = []figure{countFigure(f, c.Created, "order to ship", "orders to ship"), {f.Count(int64(c.Existing)), "already shipped", false},
			{f.Count(int64(c.Codes["not_found"])), "not found", false}, {f.Count(int64(c.Codes["nothing_to_ship"])), "with nothing to ship", false},
			refusedFigure(f, c.Counts)}
	case k.isList():
		v.Figures = v.Figures[1:]
	}
	n := c.Created + c.Updated + c.Moved
	if may && n > 0 {
		v.Run = &formButton{Form: r.form(p.path("/run")), Label: r.say("Import %s", f.plural(int64(n), r.files().one, r.files().many)), Tone: "primary"}
	}
	if n == 0 {
		notice := newCallout("", "There is nothing to import", r.say("No row of the file would create or change %s.", r.files().row))
		v.Notice = &notice
	}
	if len(c.Warehouses) > 0 {
		notice := newCallout("warn", "New warehouses",
			r.say("The list names warehouses that do not exist: %s. The import creates them; if a code is wrong, correct the file first.",
				strings.Join(c.Warehouses, ", ")))
		v.Notice = &notice
	}
	v.diffs(r, p, c)
	v.jumps(r, p, c)
	for _, d := range c.New {
		v.New = append(v.New, d.SKU+" "+d.Name)
	}
	if c.Created > len(c.New) && p.i.Kind == imports.Products {
		v.NewWords = r.say("The first %s of %s.", f.Count(int64(len(c.New))), f.Count(int64(c.Created)))
	}
	v.Left = strings.Join(c.NotImported, ", ")
	return nil
}

// jumps shows the prices that would change by more than half, the largest first, and asks before these are imported.
func (v *importView) jumps(r *request, p importPage, c fileimport.Checked) {
	if c.Jumps == 0 {
		return
	}
	f := r.format
	words := f.plural(int64(c.Jumps), "price changes by more than half", "prices change by more than half")
	notice := newCallout("bad", words, "If a column, its decimals or its currency were misread, choose them below and check again.")
	v.Notice = &notice
	for _, d := range c.Jumped {
		v.Jumps = append(v.Jumps, diffRow{SKU: d.SKU, Percent: signedPercent(f, d.Percent), Changes: r.diffWords(d)})
	}
	if c.Jumps > len(c.Jumped) {
		v.JumpWords = r.say("The largest %s of %s.", f.Count(int64(len(c.Jumped))), f.Count(int64(c.Jumps)))
	}
	if v.Run != nil {
		sure := newAsk("accept-jumps", "Import prices that change by more than half?",
			r.say("%s. Look at them first: the largest stand on top.", words),
			v.Run.Label+", "+words, r.form(p.path("/run"), hiddenField("jumps", strconv.Itoa(c.Jumps))))
		sure.Close = "Not yet"
		v.Sure, v.Run = &sure, nil
	}
}

// signedPercent is a change in percent: +900 %.
func signedPercent(f format, percent int64) string {
	if percent < 0 {
		return "−" + f.Count(-percent) + " %"
	}
	return "+" + f.Count(percent) + " %"
}

// diffs shows the first products that a dry run has found to change, with their values before.
func (v *importView) diffs(r *request, p importPage, c fileimport.Checked) {
	for _, d := range c.Changed {
		v.Diffs = append(v.Diffs, diffRow{SKU: d.SKU, Changes: r.diffWords(d)})
	}
	if len(v.Diffs) > shownDiffs+1 {
		v.Diffs, v.MoreDiffs = v.Diffs[:shownDiffs], v.Diffs[shownDiffs:]
	}
	if c.Before > 0 {
		v.Before = prefix + p.path("/before")
	}
	if c.Updated > len(c.Changed) {
		v.DiffWords = r.say("The first %s of %s. ", r.format.Count(int64(len(c.Changed))), r.format.Count(int64(c.Updated)))
	}
	v.DiffWords += r.moveWords(c.Prices)
}

// moveWords says how many prices rise and fall, and by how much at most; "" if none does.
func (r *request) moveWords(m fileimport.Moves) string {
	var parts []string
	for _, move := range []struct {
		count     int
		most      int64
		one, many string
	}{{m.Rise, m.MostRise, "price rises", "prices rise"}, {m.Fall, m.MostFall, "price falls", "prices fall"}} {
		if move.count == 0 {
			continue
		}
		words := r.format.plural(int64(move.count), move.one, move.many)
		switch {
		case move.most == 0:
		case move.count == 1:
			words += r.say(", by %s %%", r.format.Count(move.most))
		default:
			words += r.say(", by %s %% at most", r.format.Count(move.most))
		}
		parts = append(parts, words)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

// diffNames are what people call the fields of a product.
var diffNames = map[string]string{"name": "Name", "slug": "Slug", "description": "Description", "status": "Status", "price": "Price",
	"compareAtPrice": "Price before", "attributes": "Attributes", "categoryIds": "Categories", "media": "Images", "images": "Images",
	"variants": "Variants", "gtin": "GTIN", "weight": "Weight in kg", "cost": "Cost", "taxClass": "Tax class",
	"countryOfOrigin": "Country of origin"}

// diffWords describes the changes of a product.
func (r *request) diffWords(d fileimport.Diff) (list []change) {
	for _, c := range d.Fields {
		name := diffNames[c.Field]
		if name == "" {
			name = sentence(c.Field)
		}
		list = append(list, change{name, r.valueWords(c.Field, c.From), r.valueWords(c.Field, c.To)})
	}
	return list
}

// longValue is how many characters of a value are shown.
const longValue = 60

// valueWords is a value of a product, written as JSON, for people.
func (r *request) valueWords(field string, value json.RawMessage) string {
	text := strings.TrimSpace(string(value))
	switch {
	case text == "" || text == "null" || text == `""` || text == "[]" || text == "{}":
		return "none"
	case field == "price" || field == "compareAtPrice" || field == "cost":
		if amount, err := money.Parse(strings.Trim(text, `"`)); err == nil {
			return r.format.Money(amount, r.caller().Currency)
		}
	case text[0] == '[':
		var list []json.RawMessage
		if json.Unmarshal(value, &list) == nil {
			return r.format.plural(int64(len(list)), "entry", "entries")
		}
	case text[0] == '"':
		var plain string
		if json.Unmarshal(value, &plain) == nil {
			text = plain
		}
	}
	if runes := []rune(text); len(runes) > longValue {
		text = string(runes[:longValue]) + "…"
	}
	return text
}

// jumps is how many prices a checked file would change by more than half.
func (p importPage) jumps() int {
	var c fileimport.Checked
	if p.i.Stage != imports.Checked || json.Unmarshal([]byte(p.i.Checked), &c) != nil {
		return 0
	}
	return c.Jumps
}
