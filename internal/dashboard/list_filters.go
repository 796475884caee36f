package dashboard

import (
	"slices"
	"strings"
	"time"
)

// menu is a filter that is a button: it opens links, or a form, or leads to a page with all choices.
type menu struct {
	ID, Label string
	All       *chip // leads to the page with all choices, instead of a menu
	Links     []tab
	Inputs    []field
	Hidden    []pair
}

// search adds the search, which is the parameter name.
func (l *listing) search(name, label, placeholder string) {
	l.Find = &field{Form: l.ID(), Name: name, Label: label, Placeholder: placeholder, Value: l.values.Get(name)}
}

// input adds a filter that is typed, and its chip.
func (l *listing) input(name, label string) {
	l.menu(menu{ID: "m-" + name, Label: label, Inputs: []field{{Form: "f", Name: name, Label: label, Value: l.values.Get(name)}}}, name)
	l.chip(label, name)
}

// choice adds a filter by one of some values, and its chip; with the first choice, any, it is not set.
func (l *listing) choice(name, label, any string, options ...option) {
	now := l.values.Get(name)
	m := menu{ID: "m-" + name, Label: label, Links: []tab{{Label: any, To: l.without(name), Current: now == ""}}}
	words := now
	for _, o := range options {
		m.Links = append(m.Links, tab{Label: o.Label, To: l.with(name, o.Value), Current: o.Value == now})
		if o.Value == now {
			words = o.Label
		}
	}
	l.menu(m, name)
	if now != "" {
		l.set(label+": "+short(words), name)
	}
}

// selectOf is an input that chooses one of some values, or any.
func selectOf(name, label, any, value string, options []option) *field {
	f := &field{Form: "f", Name: name, Label: label, Kind: "select", Value: value, Bare: true,
		Options: append([]option{{Label: any}}, options...)}
	f.choose()
	return f
}

// choiceOfMany is choice for values of which there may be very many: one chip leads to a page with all of them
// (choose.go), and another one removes the chosen one. Without options it adds nothing.
func (l *listing) choiceOfMany(name, label, any string, options []option) {
	switch {
	case len(options) == 0:
		return
	case len(options) <= mostInSelect:
		l.choice(name, label, any, options...)
		return
	}
	for _, o := range options {
		if o.Value == l.values.Get(name) {
			l.set(label+": "+short(o.Label), name)
		}
	}
	l.menu(menu{Label: label, All: &chip{Label: label, To: l.with(choosing, name)}}, name)
}

// span adds a filter by time, from and to, and its chips.
func (l *listing) span() {
	m := menu{ID: "m-when", Label: "Date"}
	for _, end := range []pair{{Name: "from", Value: "From"}, {Name: "to", Value: "Until"}} {
		m.Inputs = append(m.Inputs, l.r.when(end.Name, end.Value, l.values.Get(end.Name)))
		l.chip(end.Value, end.Name)
	}
	l.menu(m, "from", "to")
}

// menu adds a filter that is a button and sets some parameters, which its form does not keep.
func (l *listing) menu(m menu, names ...string) {
	m.Hidden = l.hidden(names...)
	l.Menus = append(l.Menus, m)
}

// chip shows a parameter that is set, with its value.
func (l *listing) chip(label, name string) {
	if value := l.values.Get(name); value != "" {
		l.set(label+": "+l.r.whenWords(name, short(value)), name)
	}
}

// set shows in words that some parameters are set; the chip leads to the list without them.
func (l *listing) set(words string, names ...string) {
	l.chipped = append(l.chipped, names...)
	l.Chips = append(l.Chips, chip{Label: words, To: l.without(names...), On: true})
}

// clear adds a chip that takes all filters away but the parameter of the tabs, if a filter is set that has no chip.
func (l *listing) clear(tabs string) {
	if !l.narrowed(append(l.chipped, tabs)...) {
		return
	}
	var all []string
	for name := range l.values {
		if name != "sort" && name != tabs {
			all = append(all, name)
		}
	}
	l.Chips = append(l.Chips, chip{Label: "Clear filters", To: l.without(all...), On: true})
}

// hidden are the list's parameters as inputs of a form, but for some.
func (l *listing) hidden(but ...string) (list []pair) {
	for name := range l.values {
		if !slices.Contains(but, name) {
			list = append(list, pair{Name: name, Value: l.values.Get(name)})
		}
	}
	slices.SortFunc(list, func(a, b pair) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Hidden are the parameters that the form of filters has no input for.
func (l *listing) Hidden() []pair {
	var names []string
	if l.Find != nil {
		names = append(names, l.Find.Name)
	}
	return l.hidden(names...)
}

// whenWords is a filter's value; a day or a time, as people of the user's locale and zone write it.
func (r *request) whenWords(name, value string) string {
	if name != "from" && name != "to" {
		return value
	}
	if at, ok := r.format.moment(value, false); ok {
		if _, err := time.Parse(time.DateOnly, value); err == nil {
			return r.format.write(at, "2 Jan 2006")
		}
		return r.format.Moment(at.UnixMicro(), "2 Jan 2006, 15:04").Words
	}
	return value
}

// when is an input for one end of a span: for a day, or for a time where the address has one, as bookmarks and links
// may. A value that is neither stays as it was written.
func (r *request) when(name, label, value string) field {
	in := field{Name: name, Label: label, Kind: "date", Value: value, Form: "f"}
	if _, err := time.Parse(time.DateOnly, value); value == "" || err == nil {
		return in
	}
	if at, ok := r.format.moment(value, false); ok {
		in.Kind, in.Value = "datetime-local", at.In(r.format.zone).Format("2006-01-02T15:04:05.999")
		return in
	}
	in.Kind = ""
	return in
}

// short cuts what is long.
func short(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:39]) + "…"
	}
	return text
}
