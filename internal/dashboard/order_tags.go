package dashboard

import (
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// orderTagRoutes are the tags of one order, and whom it is assigned to.
var orderTagRoutes = []*route{
	{method: "POST", path: "/orders/{id}/tags", scope: "write:orders", serve: on((*request).orderOf, (*Dashboard).tagOrder)},
	{method: "POST", path: "/orders/{id}/assign", scope: "write:orders", serve: on((*request).orderOf, (*Dashboard).assignOrder)},
}

// tagsCard shows the tags of an order, and whom it is assigned to. Its forms are nil for a user who may only read.
type tagsCard struct {
	Tags   []string
	Add    *form
	Remove *form // each of its buttons removes the tag of its value
	Who    string
	Assign *form
}

// tagsCard makes the card; names are the account's users, without those the user may not know.
func (r *request) tagsCard(o *orders.Order, names map[id.User]string) tagsCard {
	card := tagsCard{Tags: o.Tags, Who: r.userWord(o.AssignedTo, names)}
	if r.caller().May("write:orders") {
		card.Add = tagForm(r, o)
		card.Remove = r.another(r.acting(o, "/tags"))
		card.Assign = r.assignForm(o, names)
	}
	return card
}

// tagForm is the form that adds tags to an order, and with its field remove removes some.
func tagForm(r *request, o *orders.Order) *form {
	return r.form(r.acting(o, "/tags"), field{Name: "add", Label: "Add tags", Kind: "commas", Hint: "Separated by commas", Complete: "off"},
		field{Name: "remove", Kind: "hidden"})
}

// assignForm is the form that assigns an order to a user.
func (r *request) assignForm(o *orders.Order, names map[id.User]string) *form {
	return r.editing(r.acting(o, "/assign"), field{Name: "assignedTo", Label: "Assigned to", Kind: "select", ClearBlank: true,
		Value: string(o.AssignedTo), Options: r.userOptions(o.AssignedTo, names)})
}

// tagOrder serves POST /orders/{id}/tags.
func (d *Dashboard) tagOrder(r *request, o *orders.Order) (answer, error) {
	return r.submit(tagForm(r, o), d.showOrder, func(f *form) (answer, error) {
		f.At("remove").Kind = "commas"
		if len(tagsTyped(f)) == 0 {
			return answer{}, apperr.At("add", "must not be empty")
		}
		return d.changeTags(r, o, f, "Saved the tags")
	})
}

// assignOrder serves POST /orders/{id}/assign.
func (d *Dashboard) assignOrder(r *request, o *orders.Order) (answer, error) {
	names, err := r.readUserNames()
	if err != nil {
		return answer{}, err
	}
	return r.submit(r.assignForm(o, names), d.showOrder, func(f *form) (answer, error) {
		said := r.say("Unassigned %s", orders.Number(o.Number))
		if user := id.User(f.Value("assignedTo")); user != "" {
			said = r.say("Assigned %s", orders.Number(o.Number))
		}
		return d.changeTags(r, o, f, said)
	})
}

// tagsTyped are the tags to add and to remove that a form has.
func tagsTyped(f *form) []string {
	return append(commaList(f.Value("add")), commaList(f.Value("remove"))...)
}

// changeTags changes an order by the members of POST bulk-tag that a form has.
func (d *Dashboard) changeTags(r *request, o *orders.Order, f *form, said string) (answer, error) {
	body := f.Object()
	tagging := drafts.ReadOrderTagging(body)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		err := d.Commerce.TagOrder(tx, r.caller(), o.ID, tagging)
		return redirect(r.acting(o, ""), said), err
	})
}

// readUserNames reads the names of the account's users, if the user may know them.
func (r *request) readUserNames() (names map[id.User]string, err error) {
	err = r.read(func(tx *db.Tx) (err error) {
		names, err = r.userNames(tx)
		return err
	})
	return names, err
}

// userNames are the names of the account's users; of a user who may not read them the own one.
func (r *request) userNames(tx *db.Tx) (map[id.User]string, error) {
	if !r.caller().May("read:users") {
		return map[id.User]string{r.session.User.ID: r.session.User.Name}, nil
	}
	return userNames(tx)
}

// userWord is what a user is called: "" for nobody.
func (r *request) userWord(user id.User, names map[id.User]string) string {
	switch {
	case user == "":
		return ""
	case user == r.session.User.ID:
		return cmp.Or(names[user], "You")
	case r.caller().May("read:users"):
		return cmp.Or(names[user], "A deleted user")
	}
	return "Another user"
}

// userOptions are nobody and the account's users by name, first the user of the session. now is one more that may be
// deleted; "" for none.
func (r *request) userOptions(now id.User, names map[id.User]string) []option {
	list := []option{{Label: "Nobody"}}
	if _, known := names[now]; now != "" && !known {
		list = append(list, option{Value: string(now), Label: r.userWord(now, names)})
	}
	return append(list, r.users(names)...)
}

// users are the account's users by name, first the user of the session.
func (r *request) users(names map[id.User]string) (list []option) {
	for user, name := range names {
		if user == r.session.User.ID {
			name += " (me)"
		}
		list = append(list, option{Value: string(user), Label: name})
	}
	slices.SortFunc(list, func(a, b option) int {
		me := string(r.session.User.ID)
		switch {
		case a.Value == me:
			return -1
		case b.Value == me:
			return 1
		}
		return cmp.Or(strings.Compare(a.Label, b.Label), strings.Compare(a.Value, b.Value))
	})
	return list
}

// orderTagMenus lead to the choices of the filters by tag and by user. A filter that is set has its chip instead.
func (r *request) orderTagMenus(q orderList) {
	for _, one := range []pair{{Name: "tag", Value: "Tag"}, {Name: "assignedTo", Value: "Assigned to"}} {
		if !q.values.Has(one.Name) {
			q.menu(menu{Label: one.Value, All: &chip{Label: one.Value, To: q.with(choosing, one.Name)}}, one.Name)
		}
	}
}

// tagChoices are the tags that orders have, or nobody and the account's users.
func (r *request) tagChoices(tx *db.Tx, filter string) (list []option, err error) {
	if filter == "tag" {
		tags, err := orders.TagsInUse(tx, maxChoices)
		for _, tag := range tags {
			list = append(list, option{Value: tag, Label: tag})
		}
		return list, err
	}
	names, err := r.userNames(tx)
	return append([]option{{Value: nobody, Label: "Nobody"}}, r.users(names)...), err
}

// nobody is the API's word for orders that are assigned to nobody.
const nobody = "none"

// orderTagChips are the filters by tag and by user that are set.
func (r *request) orderTagChips(q orderList, names map[id.User]string) {
	if len(q.Tags) > 0 {
		q.set(r.say("Tag: %s", short(strings.Join(q.Tags, ", "))), "tag")
	}
	var who []string
	if q.Assigned.Nobody {
		who = append(who, "nobody")
	}
	for _, user := range q.Assigned.Users {
		who = append(who, r.userWord(user, names))
	}
	if len(who) > 0 {
		q.set(r.say("Assigned to: %s", short(strings.Join(who, ", "))), "assignedTo")
	}
}

// Tagging many orders.

// bulkTagView is what templates/orders_tag.html shows: what is to change of the chosen orders.
type bulkTagView struct {
	Words string // "12 orders"
	Form  *form
	Kept  []pair
	Back  string
}

// noChange is the choice that leaves orders assigned as they are.
const noChange = "Leave as it is"

// tagOrders serves POST /orders/bulk-tag: it asks what changes, and then a job changes the chosen orders, or all in
// the view, and reports each.
func (d *Dashboard) tagOrders(r *request) (answer, error) {
	sent := r.http.PostForm
	q, err := r.readOrders(sent)
	if err != nil {
		return answer{}, err
	}
	if sent.Get("all") == "" && len(tickedOrders(sent)) == 0 {
		return answer{to: q.first(), flash: &flash{Tone: "warn", Text: "No order is selected"}}, nil
	}
	var list []jobs.Order
	var names map[id.User]string
	err = r.read(func(tx *db.Tx) (err error) {
		if list, err = r.chosenOrders(tx, sent, commerce.MaxBulkOrders); err == nil {
			names, err = r.userNames(tx)
		}
		return err
	})
	if out, many := q.tooMany(err); many {
		return out, nil
	}
	if err != nil {
		return answer{}, err
	}
	sheet := func(r *request) (answer, error) { return r.tagSheet(q, len(list), names), nil }
	if !sent.Has("assign") {
		return sheet(r)
	}
	return r.submit(r.bulkTagForm(names), sheet, func(f *form) (answer, error) {
		body := f.Object()
		tagging := drafts.ReadOrderTagging(body)
		switch err := body.Err(); {
		case tagging.IsEmpty() && len(tagsTyped(f)) == 0:
			return answer{}, apperr.New(apperr.Invalid, "nothing_to_change", "say what changes: a tag, or whom the orders are assigned to")
		case err != nil:
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			job, err := d.Commerce.TagManyOrders(tx, r.caller(), tagging, list)
			return redirect(bulkReport(job), ""), err
		})
	})
}

// bulkTagForm is the form of the sheet. What is chosen in assign becomes the API's member assignedTo.
func (r *request) bulkTagForm(names map[id.User]string) *form {
	fields := []field{{Name: "add", Label: "Add tags", Kind: "commas", Hint: "Separated by commas", Complete: "off", Focus: true},
		{Name: "remove", Label: "Remove tags", Kind: "commas", Hint: "Separated by commas", Complete: "off"},
		{Name: "assign", Label: "Assign to", Kind: "select",
			Options: append([]option{{Label: noChange}, {Value: nobody, Label: "Nobody"}}, r.users(names)...)}}
	switch to := r.http.PostForm.Get("assign"); to {
	case "":
	case nobody:
		fields = append(fields, field{Name: "assignedTo", Kind: "json", Value: "null"})
	default:
		fields = append(fields, field{Name: "assignedTo", Kind: "json", Value: string(text(to))})
	}
	return r.form("/orders/bulk-tag", fields...)
}

// tagSheet is the page that asks what changes of n orders.
func (r *request) tagSheet(q orderList, n int, names map[id.User]string) answer {
	view := bulkTagView{Words: r.format.plural(int64(n), "order", "orders"), Form: r.bulkTagForm(names), Back: q.with(),
		Kept: append(q.hidden(), r.chosenAgain(n)...)}
	return show(screen{Template: "orders_tag", Title: r.say("Tag or assign %s", view.Words), Section: "/orders",
		Crumbs: []crumb{{"Orders", "/orders"}, {"Tag or assign", ""}}, Data: view})
}
