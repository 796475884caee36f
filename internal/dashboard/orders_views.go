package dashboard

import (
	"net/url"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// orderViewRoutes are the views of the list that a user has saved.
var orderViewRoutes = []*route{
	{method: "POST", path: "/orders/views", scope: "read:orders", serve: (*Dashboard).saveOrderView},
	{method: "POST", path: "/orders/views/delete", scope: "read:orders", serve: (*Dashboard).deleteOrderView},
}

// savedTabs adds the user's views to the tabs, and returns the id of the one that is shown now; "" for none.
func (q orderList) savedTabs(saved []accounts.SavedView) (now string) {
	for _, v := range saved {
		current := v.Query == q.values.Encode() && v.Query != ""
		if current {
			now = v.ID
			for i := range q.Tabs {
				q.Tabs[i].Current = false
			}
		}
		q.Tabs = append(q.Tabs, tab{Label: v.Name, To: prefix + "/orders?" + v.Query, Current: current})
	}
	return now
}

// saveOrderView serves POST /orders/views.
func (d *Dashboard) saveOrderView(r *request) (answer, error) {
	sent := r.http.PostForm
	q, err := r.readOrders(sent)
	if err != nil {
		return answer{}, err
	}
	name := strings.TrimSpace(sent.Get("name"))
	if name == "" || len([]rune(name)) > 40 || strings.ContainsRune(name, 0) {
		return answer{}, apperr.At("name", "must be a name of at most 40 characters")
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		_, err := accounts.SaveView(tx, accounts.SavedView{User: r.session.User.ID, Page: "/orders", Name: name, Query: q.values.Encode()})
		return redirect(q.first(), "Saved the view"), err
	})
}

// deleteOrderView serves POST /orders/views/delete.
func (d *Dashboard) deleteOrderView(r *request) (answer, error) {
	view, ok := id.Parse[string](r.http.PostForm.Get("view"))
	if !ok {
		return answer{}, apperr.Missing("view")
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		saved, err := accounts.SavedViews(tx, r.session.User.ID, "/orders")
		if err != nil {
			return answer{}, err
		}
		out := redirect("/orders", "Deleted the view")
		for _, v := range saved {
			if v.ID == view {
				out = out.undo(undo{Action: "/orders/views", Fields: viewFields(v)})
			}
		}
		accounts.DeleteView(tx, r.session.User.ID, view)
		return out, nil
	})
}

// viewFields are the inputs that save a view as it is.
func viewFields(v accounts.SavedView) map[string]string {
	fields := map[string]string{"name": v.Name}
	query, _ := url.ParseQuery(v.Query) // it was encoded here
	for name := range query {
		fields[name] = query.Get(name)
	}
	return fields
}
