package dashboard

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/limits"
)

// mostVariantOptions of a product are shown as inputs of its variants, and as many can be typed to build variants from;
// other attributes of variants stay as they are.
const mostVariantOptions = 3

// rowAt begins the names of the inputs of a row of variants.
func rowAt(i int) string { return "variants[" + strconv.Itoa(i) + "]." }

// valueAt is the name of the input with a row's value of an option.
func valueAt(i, option int) string { return rowAt(i) + "values[" + strconv.Itoa(option) + "]" }

func optionName(k int) string { return "options[" + strconv.Itoa(k) + "]" }
func makeName(k int) string   { return "make[" + strconv.Itoa(k) + "].name" }
func makeValues(k int) string { return "make[" + strconv.Itoa(k) + "].values" }

// optionNames are the attributes in which the variants differ: those of the stored variants, then those that variants
// were built from on this page.
func (p productPage) optionNames(sent url.Values) (names []string) {
	for _, o := range p.product.Options() {
		if names = append(names, o.Name); len(names) == mostVariantOptions {
			return names
		}
	}
	for k := len(names); k < mostVariantOptions && sent.Get(optionName(k)) != ""; k++ {
		names = append(names, sent.Get(optionName(k)))
	}
	return names
}

// rowCount is how many rows of variants the form has: the stored ones and a blank one, or those that were sent.
func (p productPage) rowCount(sent url.Values) int {
	n := len(p.product.Variants)
	for n < limits.MaxVariants && sent.Has(rowAt(n)+"sku") {
		n++
	}
	return min(max(n, len(p.product.Variants)+1), max(limits.MaxVariants, len(p.product.Variants)))
}

// variantFields are the inputs of all variants, and those that variants are built from.
func (p productPage) variantFields(r *request, sent url.Values, currency string) (fields []field) {
	names := p.optionNames(sent)
	for k, name := range names {
		fields = append(fields, hiddenField(optionName(k), name))
	}
	for i := range p.rowCount(sent) {
		var v catalog.Variant
		if i < len(p.product.Variants) {
			v = p.product.Variants[i]
		}
		at, stored, values := rowAt(i), v.SKU != "", attributesOf(v.Attributes)
		sku := field{Name: at + "sku", Label: "SKU", Value: v.SKU, Mono: true, Placeholder: "SKU"}
		if stored {
			sku.Kind = "hidden"
		}
		fields = append(fields, sku)
		for k, name := range names {
			fields = append(fields, field{Name: valueAt(i, k), Label: p.labelOf(name), Value: valueText(values[name])})
		}
		fields = append(fields, field{Name: at + "name", Label: "Name", Value: v.Name, Placeholder: "Name"},
			field{Name: at + "price", Label: "Price", Kind: "decimal", Digits: money.Digits(currency),
				Value: amountText(v.Price, currency), ClearBlank: stored, Placeholder: "as product"},
			field{Name: at + "compareAtPrice", Label: "Price before", Kind: "decimal", Digits: money.Digits(currency),
				Value: amountText(v.CompareAt, currency), ClearBlank: stored, Placeholder: "none"})
		fields = append(fields, r.tradeFields(at, v.Trade, currency, stored)...)
	}
	options := p.product.Options()
	for k := range mostVariantOptions {
		name := field{Name: makeName(k), Label: r.say("Option %d", k+1),
			Placeholder: []string{"Size", "Colour", "Material"}[k]}
		values := field{Name: makeValues(k), Label: "Its values", Placeholder: []string{"S, M, L", "red, blue", "wool"}[k]}
		if k < len(options) {
			name.Value, values.Value = p.labelOf(options[k].Name), commaText(options[k].Values)
		}
		fields = append(fields, name, values)
	}
	return fields
}

// labelOf is what people call an attribute.
func (p productPage) labelOf(code string) string {
	for _, a := range p.attributes {
		if a.Code == code {
			return a.Label
		}
	}
	return code
}

// codeOf is the attribute that people mean by a name: one of the product's options, one of the account's attributes, or
// a new one of that name.
func (p productPage) codeOf(name string, known []string) string {
	for _, code := range known {
		if strings.EqualFold(code, name) || strings.EqualFold(p.labelOf(code), name) {
			return code
		}
	}
	for _, a := range p.attributes {
		if strings.EqualFold(a.Code, name) || strings.EqualFold(a.Label, name) {
			return a.Code
		}
	}
	return name
}

// variantRow are the inputs of one variant.
type variantRow struct {
	SKU, Name, Price, CompareAt, GTIN *field
	Values                            []*field // of the options
	More                              []*field // those that are folded
	Number                            int      // from 1
	To                                string   // its stock
	Open                              bool     // something that is folded is wrong
}

// variantsView are the rows of variants, and what more can be built from.
type variantsView struct {
	Options []string
	Hidden  []*field // the attributes of the options
	Rows    []variantRow
	Make    [][2]*field
	Wrong   bool // what was typed to build variants is wrong
	New     int  // rows that are not stored yet
}

// Columns is how many columns the table has.
func (v variantsView) Columns() int { return 4 + len(v.Options) }

// variantsView shows the inputs of variants.
func (p productPage) variantsView(f *form) (view variantsView) {
	for k := 0; f.find(optionName(k)) != nil; k++ {
		view.Hidden = append(view.Hidden, f.At(optionName(k)))
		view.Options = append(view.Options, p.labelOf(f.At(optionName(k)).Value))
	}
	for i := 0; f.find(rowAt(i)+"sku") != nil; i++ {
		at := rowAt(i)
		row := variantRow{SKU: f.At(at + "sku"), Name: f.At(at + "name"), Price: f.At(at + "price"),
			CompareAt: f.At(at + "compareAtPrice"), GTIN: f.At(at + "gtin"), Number: i + 1}
		for k := range view.Options {
			row.Values = append(row.Values, f.At(valueAt(i, k)))
		}
		for _, name := range []string{"weight", "cost", "taxClass", "countryOfOrigin"} {
			in := f.At(at + name)
			row.More, row.Open = append(row.More, in), row.Open || in.Error != ""
		}
		if i < len(p.product.Variants) {
			row.To = stockPath(p.product.Variants[i].SKU)
		} else if row.SKU.Value != "" {
			view.New++
		}
		row.Open = row.Open || row.CompareAt.Error != ""
		view.Rows = append(view.Rows, row)
	}
	for k := range mostVariantOptions {
		name, values := f.At(makeName(k)), f.At(makeValues(k))
		view.Make = append(view.Make, [2]*field{name, values})
		view.Wrong = view.Wrong || name.Error != "" || values.Error != ""
	}
	return view
}

// addRows adds a row for each combination of the values that were typed which no row has yet. Errors: Invalid.
func (p productPage) addRows(sent url.Values) error {
	names := p.optionNames(sent)
	var built []catalog.Option
	for k := range mostVariantOptions {
		name, values := strings.TrimSpace(sent.Get(makeName(k))), commaList(sent.Get(makeValues(k)))
		switch {
		case name == "" && len(values) == 0:
			continue
		case name == "":
			return apperr.At(makeName(k), "is missing: these values are of which option?")
		case len(values) == 0:
			return apperr.At(makeValues(k), "are missing: type some with commas between them")
		}
		code := p.codeOf(name, names)
		if slices.ContainsFunc(built, func(o catalog.Option) bool { return o.Name == code }) {
			return apperr.At(makeName(k), "is the same option as above")
		}
		if !slices.Contains(names, code) {
			names = append(names, code)
		}
		built = append(built, catalog.Option{Name: code, Values: values})
	}
	if len(built) == 0 {
		return apperr.At(makeName(0), "is missing: type an option such as Size, and its values")
	}
	if len(names) > mostVariantOptions {
		return apperr.At(makeName(0), "cannot be added: variants are built from at most %d options", mostVariantOptions)
	}
	for k, name := range names {
		sent.Set(optionName(k), name)
	}
	return p.fillRows(sent, names, built)
}

// fillRows appends the rows of the combinations that are missing. Errors: Invalid when there would be too many.
func (p productPage) fillRows(sent url.Values, names []string, built []catalog.Option) error {
	have, taken, next := map[string]bool{}, map[string]bool{p.product.SKU: true}, len(p.product.Variants)
	for i := range p.rowCount(sent) {
		values := make([]string, len(names))
		for k := range names {
			values[k] = strings.TrimSpace(sent.Get(valueAt(i, k)))
		}
		have[combination(values)] = true
		if sku := strings.TrimSpace(sent.Get(rowAt(i) + "sku")); sku != "" {
			taken[sku], next = true, i+1
		}
	}
	var missing [][]string // the values of each new row, by the option's place in names
	for _, chosen := range combinations(built) {
		values := make([]string, len(names))
		for k, o := range built {
			values[slices.Index(names, o.Name)] = chosen[k]
		}
		if !have[combination(values)] {
			missing = append(missing, values)
		}
	}
	if most := limits.MaxVariants - next; len(missing) > most {
		return apperr.At(makeValues(0), "make more variants than the product can have: %d is the most", limits.MaxVariants)
	}
	for _, values := range missing {
		sku := p.product.SKU
		for k, value := range values {
			if sent.Set(valueAt(next, k), value); value != "" {
				sku += "-" + strings.ToUpper(catalog.Slug(value))
			}
		}
		sent.Set(rowAt(next)+"name", strings.Join(slices.DeleteFunc(values, func(v string) bool { return v == "" }), " / "))
		sent.Set(rowAt(next)+"sku", freeCode(sku, taken))
		next++
	}
	return nil
}

// combination is a key of values, in any case.
func combination(values []string) string { return strings.ToLower(strings.Join(values, "\x00")) }

// freeCode is a code, with a number behind it if it is taken; it is taken then.
func freeCode(code string, taken map[string]bool) string {
	free := code
	for n := 2; taken[free]; n++ {
		free = code + "-" + strconv.Itoa(n)
	}
	taken[free] = true
	return free
}

// combinations are all choices of one value of each option, at most one more than a product has variants.
func combinations(options []catalog.Option) [][]string {
	list := [][]string{nil}
	for _, o := range options {
		var longer [][]string
		for _, chosen := range list {
			for _, value := range o.Values {
				if len(longer) <= limits.MaxVariants {
					longer = append(longer, append(slices.Clone(chosen), value))
				}
			}
		}
		list = longer
	}
	return list
}

// givenRows are the rows of which variants are made or changed, in order. A new row without a SKU is left out, unless
// something else was typed there.
func (p productPage) givenRows(f *form) (rows []int) {
	for i := 0; f.find(rowAt(i)+"sku") != nil; i++ {
		if i >= len(p.product.Variants) && f.leftOut(i) {
			for _, in := range f.Fields {
				if strings.HasPrefix(in.Name, rowAt(i)) {
					f.sent.Del(in.Name)
				}
			}
			continue
		}
		rows = append(rows, i)
	}
	return rows
}

// leftOut reports whether nothing was typed into a new row, or whether its SKU was removed.
func (f *form) leftOut(i int) bool {
	at := rowAt(i)
	if strings.TrimSpace(f.Value(at+"sku")) != "" {
		return false
	}
	var values []string
	for k := 0; f.find(valueAt(i, k)) != nil; k++ {
		if value := f.Value(valueAt(i, k)); value != "" {
			values = append(values, value)
		}
	}
	for _, in := range f.Fields {
		name, ours := strings.CutPrefix(in.Name, at)
		if ours && name != "name" && !strings.HasPrefix(name, "values[") && f.Value(in.Name) != "" {
			return false
		}
	}
	name := strings.TrimSpace(f.Value(at + "name"))
	return name == "" && len(values) == 0 || name != "" && name == strings.Join(values, " / ")
}

// readOptions sets the attributes of variants whose values of options were typed. Errors: Invalid at the input.
func (p productPage) readOptions(f *form, draft *catalog.Draft, rows []int) error {
	for j, i := range rows {
		stored := "{}"
		if i < len(p.product.Variants) {
			stored = p.product.Variants[i].Attributes
		}
		values, order, changed := attributesOf(stored), memberNames(stored), false
		for k := 0; f.find(valueAt(i, k)) != nil; k++ {
			name, in := f.At(optionName(k)).Value, f.At(valueAt(i, k))
			if !f.sent.Has(in.Name) || f.Value(in.Name) == in.shown {
				continue
			}
			value, err := attributeValue(p.typeOf(name), strings.TrimSpace(f.Value(in.Name)), f.point)
			if err != nil {
				return apperr.At(in.Name, "%s", err.Error())
			}
			if changed = true; value == nil {
				delete(values, name)
			} else if values[name] = value; !slices.Contains(order, name) {
				order = append(order, name)
			}
		}
		if changed && j < len(draft.Variants) {
			draft.Variants[j].Attributes = patch.To(inOrderOf(order, values))
		}
	}
	return nil
}

// memberNames are the names of an object's members, in their order.
func memberNames(object string) []string {
	v, err := jsonvalue.Parse([]byte(object))
	if err != nil {
		return nil
	}
	return v.Names()
}

// inOrderOf is the JSON object of some members, in an order: that of a product's options follows from it.
func inOrderOf(order []string, values map[string]json.RawMessage) string {
	var members []string
	for _, name := range order {
		if value, has := values[name]; has {
			members = append(members, string(text(name))+":"+string(value))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}
