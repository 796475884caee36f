package dashboard

import (
	"net/http"
	"path"
	"strconv"

	"entrepot/internal/orders"
)

// openName is the query of the part of an order's page that is opened. What is not opened is not on the page: folded,
// the form, the movements and the JSON of a hundred lines would be most of its elements (decision 19).
const openName = "open"

// What can be opened.
const (
	openLines     = "lines" // their form
	openMovements = "movements"
	openJSON      = "json"
	openReturns   = "returns" // its forms
)

// unfold is the button that opens a part of an order's page, or closes it.
type unfold struct {
	Label, Part string
	Card        string // the id of the card that shows it, to which browsers scroll
	Action      string
	Swaps       string // the ids that it changes: one part replaces another
	Query       []pair // the list that the order was opened from
	Open        bool
}

// opened reports whether a part is opened. A form in it that was sent opens it, too.
func (r *request) opened(part string) bool {
	if r.http.Method == http.MethodPost {
		switch path.Base(r.http.URL.Path) {
		case "lines":
			return part == openLines
		case "returns", "refunds":
			return part == openReturns
		}
		return false
	}
	return r.http.URL.Query().Get(openName) == part
}

func (r *request) unfold(o *orders.Order, part, label string) *unfold {
	card := part
	if part == openMovements {
		card = "timeline"
	}
	return &unfold{Label: label, Part: part, Card: card, Action: prefix + "/orders/" + string(o.ID), Swaps: "lines returns timeline json",
		Query: r.listOf().hidden(), Open: r.opened(part)}
}

// mostOfAnOrder bounds the elements of lines and movements that are on a page together, and with it the page
// (decision 19). A line takes up to elementsOfALine of them, a movement elementsOfAMovement.
const (
	mostOfAnOrder       = 1200
	elementsOfALine     = 12
	elementsOfAMovement = 7
)

// foldLines leaves the lines of a large order out while its movements are opened.
func (r *request) foldLines(view *orderView, f *orderFacts) bool {
	o := f.order
	if !r.opened(openMovements) || elementsOfALine*len(o.Lines)+elementsOfAMovement*len(f.movements) <= mostOfAnOrder {
		return false
	}
	view.Folded = r.unfold(o, "", "Show lines")
	view.Folded.Card = "lines"
	return true
}

// editableLines adds the form of the lines, where they can be edited and somebody does, or says why they cannot.
func (r *request) editableLines(view *orderView, o *orders.Order) {
	if o.Editable() != nil {
		view.NoEdit = "Lines can be edited only while nothing is shipped or refunded"
		return
	}
	if view.Unfold = r.unfold(o, openLines, "Edit lines"); view.Unfold.Open {
		view.Edit = editForm(r, o)
		for _, in := range view.Edit.Fields {
			if found := itemPath.FindStringSubmatch(in.Name); found == nil || found[1] == strconv.Itoa(len(o.Lines)) {
				view.EditMore = append(view.EditMore, in)
			}
		}
	}
}
