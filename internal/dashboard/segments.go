package dashboard

import (
	"strconv"
	"strings"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
)

// segmentRoutes are saved filters of customers.
var segmentRoutes = []*route{
	{method: "GET", path: "/segments", scope: "read:customers", serve: (*Dashboard).listSegments},
	{method: "POST", path: "/segments", scope: "write:customers", serve: (*Dashboard).createSegment},
	{method: "GET", path: "/segments/{id}", scope: "write:customers", serve: (*Dashboard).editSegment},
	{method: "POST", path: "/segments/{id}", scope: "write:customers", serve: on((*request).segmentOf, (*Dashboard).updateSegment)},
	{method: "POST", path: "/segments/{id}/delete", scope: "write:customers", serve: on((*request).segmentOf, (*Dashboard).deleteSegment)},
}

const segmentsPath = "/segments"

// maxSegmentsShown bounds the segments of the page, each of which is counted.
const maxSegmentsShown = 20

// segmentsView is what templates/segments.html shows.
type segmentsView struct {
	*listing
	Rows   []segmentRow
	Head   string
	Form   *form
	Label  string
	Back   string
	Delete *ask
	Count  string // how many customers match the rules of the form, "" until requested
}

// Scope is the right to change segments.
func (segmentsView) Scope() string { return "write:customers" }

// segmentRow is a segment with how many customers are in it now.
type segmentRow struct {
	ID, To, Name, Rules, Customers, List string
	At                                   bool
}

func dayText(micros *int64) string {
	if micros == nil {
		return ""
	}
	return time.UnixMicro(*micros).UTC().Format("2006-01-02")
}

func segmentForm(r *request, path string, s customers.Segment) *form {
	orders := ""
	if s.Rules.MinOrders != nil {
		orders = strconv.FormatInt(*s.Rules.MinOrders, 10)
	}
	return r.editing(path, field{Name: "name", Label: "Name", Value: s.Name, Required: true},
		field{Name: "any", Label: "With any of these tags", Value: commaText(s.Rules.TagsAny), Hint: "separated by commas"},
		field{Name: "all", Label: "With all of these tags", Value: commaText(s.Rules.TagsAll)},
		field{Name: "rules.minOrders", Label: "Orders, at least", Kind: "int", Value: orders},
		field{Name: "rules.minTotalSpent", Label: r.say("Spent in %s, at least", r.caller().Currency), Kind: "decimal",
			Digits: money.Digits(r.caller().Currency),
			Value:  amountText(s.Rules.MinTotalSpent, r.caller().Currency)},
		field{Name: "rules.country", Label: "Country", Value: s.Rules.Country, Max: 2, Hint: "two letters: FR"},
		field{Name: "rules.createdAfter", Label: "Known since, or later", Kind: "date", Value: dayText(s.Rules.CreatedAfter)},
		field{Name: "rules.lastOrderAfter", Label: "Last order on, or after", Kind: "date", Value: dayText(s.Rules.LastOrderAfter)},
		field{Name: "rules.lastOrderBefore", Label: "Last order before", Kind: "date", Value: dayText(s.Rules.LastOrderBefore)})
}

// readSegmentForm reads name and rules, which replace the former ones whole. A day that was not changed keeps its
// time.
func readSegmentForm(f *form, before customers.Rules) (name string, rules customers.Rules, err error) {
	o := f.Object()
	said, given := drafts.ReadSegment(o, drafts.ToCreate)
	if err := o.Err(); err != nil {
		return "", rules, err
	}
	if given != nil {
		rules = *given
	}
	rules.TagsAny, rules.TagsAll = customers.Distinct(commaList(f.Value("any"))), customers.Distinct(commaList(f.Value("all")))
	for _, at := range [][2]**int64{{&rules.CreatedAfter, &before.CreatedAfter}, {&rules.LastOrderAfter, &before.LastOrderAfter},
		{&rules.LastOrderBefore, &before.LastOrderBefore}} {
		if dayText(*at[0]) == dayText(*at[1]) {
			*at[0] = *at[1]
		}
	}
	return *said, rules, nil
}

// ruleWords describes rules.
func (r *request) ruleWords(s customers.Rules) string {
	var words []string
	if len(s.TagsAny) > 0 {
		words = append(words, r.say("any of %s", strings.Join(s.TagsAny, ", ")))
	}
	if len(s.TagsAll) > 0 {
		words = append(words, r.say("all of %s", strings.Join(s.TagsAll, ", ")))
	}
	if s.MinOrders != nil {
		words = append(words, r.say("%s or more", r.format.plural(*s.MinOrders, "order", "orders")))
	}
	if s.MinTotalSpent != nil {
		words = append(words, r.say("spent %s or more", r.format.Money(*s.MinTotalSpent, r.caller().Currency)))
	}
	if s.Country != "" {
		words = append(words, r.say("in %s", r.format.country(s.Country)))
	}
	for _, one := range []struct {
		words string
		day   *int64
	}{{"known since", s.CreatedAfter}, {"last order since", s.LastOrderAfter}, {"no order since", s.LastOrderBefore}} {
		if one.day != nil {
			words = append(words, one.words+" "+dayText(one.day))
		}
	}
	if len(words) == 0 {
		return "everybody"
	}
	return strings.Join(words, " · ")
}

// listSegments serves GET /segments.
func (d *Dashboard) listSegments(r *request) (answer, error) {
	return d.segmentScreen(r, segmentsView{Head: "New segment", Form: segmentForm(r, segmentsPath, customers.Segment{}), Label: "Create"}, "")
}

func (d *Dashboard) segmentScreen(r *request, view segmentsView, at id.Segment) (answer, error) {
	l := r.listing(segmentsPath, "segment", "segments")
	l.size, view.listing = maxSegmentsShown, l
	err := r.read(func(tx *db.Tx) error {
		list, total, err := customers.SegmentPage(tx, l.size, l.offset())
		if err != nil {
			return err
		}
		counts, err := customers.CountIn(tx, list)
		if err != nil {
			return err
		}
		for i, n := range counts {
			s := &list[i]
			view.Rows = append(view.Rows, segmentRow{ID: string(s.ID), To: prefix + segmentsPath + "/" + string(s.ID), Name: s.Name,
				Rules: r.ruleWords(s.Rules), Customers: r.format.plural(n, "customer", "customers"), At: s.ID == at,
				List: prefix + "/customers?segmentId=" + string(s.ID)})
		}
		if l.rows(len(list), total) {
			l.Empty = new(r.firstStep("write:customers", empty{Icon: "people", Head: "No segments yet",
				Text:  "A segment is a saved filter of customers: those of a country, those with a tag, those who have not ordered for a year.",
				Label: "New segment", To: "#editor", Curl: r.curl("write:customers", "POST", "/segments", `{"name":"Regulars","rules":{"minOrders":3}}`)}))
		}
		return nil
	})
	return l.show(screen{Template: "segments", Title: "Segments", Section: "/customers", Crumbs: []crumb{{"Customers", "/customers"}},
		Data: view}), err
}

// counting reports whether a form was sent only to count the matching customers.
func (r *request) counting() bool { return r.http.PostForm.Get("count") != "" }

// countRules shows the page again, with the number of customers that match the rules of the form; nothing is stored.
func (d *Dashboard) countRules(r *request, view segmentsView, f *form, s customers.Segment) (answer, error) {
	if f.Value("name") == "" {
		f.sent.Set("name", view.Head) // a count needs none
	}
	_, rules, err := readSegmentForm(f, s.Rules)
	if err != nil {
		return answer{}, err
	}
	err = r.read(func(tx *db.Tx) error {
		counts, err := customers.CountIn(tx, []customers.Segment{{Rules: rules}})
		if err == nil {
			view.Count = r.say("%s in it now", r.format.plural(counts[0], "customer is", "customers are"))
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	view.Form = f
	return d.segmentScreen(r, view, s.ID)
}

// createSegment serves POST /segments.
func (d *Dashboard) createSegment(r *request) (answer, error) {
	return r.submit(segmentForm(r, segmentsPath, customers.Segment{}), d.listSegments, func(f *form) (answer, error) {
		if r.counting() {
			return d.countRules(r, segmentsView{Head: "New segment", Label: "Create"}, f, customers.Segment{})
		}
		name, rules, err := readSegmentForm(f, customers.Rules{})
		if err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			d.Commerce.CreateSegment(tx, r.caller(), name, rules)
			return redirect(segmentsPath, "Created the segment"), nil
		})
	})
}

// segmentOf reads the segment of the path. Errors: NotFound.
func (r *request) segmentOf() (*customers.Segment, error) {
	return recordOf(r, "segment", customers.SegmentByID)
}

func segmentView(r *request, s *customers.Segment) segmentsView {
	home := segmentsPath + "/" + string(s.ID)
	gone := newAsk(
		"delete-segment",
		r.say("Delete %s?", s.Name),
		"The customers stay; only the saved filter goes.",
		"Delete it",
		r.form(home+"/delete"),
	)
	return segmentsView{Head: s.Name, Form: segmentForm(r, home, *s), Label: "Save", Back: prefix + segmentsPath, Delete: &gone}
}

// editSegment serves GET /segments/{id}.
func (d *Dashboard) editSegment(r *request) (answer, error) {
	s, err := r.segmentOf()
	if err != nil {
		return answer{}, err
	}
	return d.segmentScreen(r, segmentView(r, s), s.ID)
}

// updateSegment serves POST /segments/{id}.
func (d *Dashboard) updateSegment(r *request, s *customers.Segment) (answer, error) {
	view := segmentView(r, s)
	return r.submit(view.Form, d.editSegment, func(f *form) (answer, error) {
		if r.counting() {
			return d.countRules(r, view, f, *s)
		}
		name, rules, err := readSegmentForm(f, s.Rules)
		if err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.UpdateSegment(tx, r.caller(), s.ID, commerce.Expected{}, &name, &rules)
			return redirect(segmentsPath, "Saved the segment"), err
		})
	})
}

// deleteSegment serves POST /segments/{id}/delete.
func (d *Dashboard) deleteSegment(r *request, s *customers.Segment) (answer, error) {
	return d.write(r, func(tx *db.Tx) (answer, error) {
		return redirect(segmentsPath, "Deleted the segment"), d.Commerce.DeleteSegment(tx, r.caller(), s.ID, commerce.Expected{})
	})
}
