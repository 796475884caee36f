// Package views stores the saved views of lists in the dashboard: a name and the query of an address. They are not
// part of the account's data: the API does not show them.
package views

import (
	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// View is one saved view.
type View struct {
	ID    string
	User  id.User
	Page  string // path of the list: "/orders"
	Name  string
	Query string // of the address, encoded
	At    int64
}

// Max is how many views of one list a user can save.
const Max = 20

var table = db.NewTable("dashboard_views",
	db.Col("id", func(v *View) any { return &v.ID }).Fixed(),
	db.Col("user_id", func(v *View) any { return &v.User }).Fixed(),
	db.Col("page", func(v *View) any { return &v.Page }).Fixed(),
	db.Col("name", func(v *View) any { return &v.Name }),
	db.Col("query", func(v *View) any { return &v.Query }),
	db.Col("created_at", func(v *View) any { return &v.At }).Fixed(),
)

// List reads a user's views of a list, oldest first.
func List(tx *db.Tx, user id.User, page string) ([]View, error) {
	return table.All(tx, "AND user_id = $2::UUID AND page = $3 ORDER BY created_at, id LIMIT $4::BIGINT", user, page, Max)
}

// Insert saves a view. Errors: Conflict when there are Max already.
func Insert(tx *db.Tx, v View) (View, error) {
	kept, err := List(tx, v.User, v.Page)
	if err != nil {
		return v, err
	}
	if len(kept) >= Max {
		return v, apperr.New(apperr.Conflict, "too_many_views", "at most %d views are saved; delete one first", Max)
	}
	v.ID, v.At = id.New[string](), tx.Micros()
	table.Insert(tx, v)
	return v, nil
}

// Forget deletes all views of a user, who is being deleted.
func Forget(tx db.Writer, user id.User) {
	tx.Queue("DELETE FROM dashboard_views WHERE tenant_id = $1 AND user_id = $2::UUID", tx.TenantID(), user)
}

// Matching reads the views of all users whose name or query match accepts.
func Matching(tx *db.Tx, match func(text string) bool) (list []View, err error) {
	all, err := table.All(tx, "")
	for _, v := range all {
		if match(v.Name) || match(v.Query) {
			list = append(list, v)
		}
	}
	return list, err
}

// DeleteMatched deletes views that Matching returned. A view that was deleted meanwhile is no error.
func DeleteMatched(tx db.Writer, list []View) {
	for _, v := range list {
		tx.Queue("DELETE FROM dashboard_views WHERE tenant_id = $1 AND user_id = $2::UUID AND id = $3::UUID", tx.TenantID(), v.User, v.ID)
	}
}

// Delete deletes a view of a user. If there is none, the transaction fails with NotFound.
func Delete(tx db.Writer, user id.User, view string) {
	tx.Queue("DELETE FROM dashboard_views WHERE tenant_id = $1 AND user_id = $2::UUID AND id = $3::UUID", tx.TenantID(), user, view).Rows(1,
		apperr.Missing("view"))
}
