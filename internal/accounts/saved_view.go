package accounts

import (
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// SavedView is a saved view of a list in the dashboard: a name and the query of an address. It is not part of the
// account's data: the API does not show it.
type SavedView struct {
	ID    string
	User  id.User
	Page  string // path of the list: "/orders"
	Name  string
	Query string // of the address, encoded
	At    int64
}

// MaxViews is how many views of one list a user can save.
const MaxViews = 20

var savedViews = db.NewTable("dashboard_views",
	db.Col("id", func(v *SavedView) any { return &v.ID }).Fixed(),
	db.Col("user_id", func(v *SavedView) any { return &v.User }).Fixed(),
	db.Col("page", func(v *SavedView) any { return &v.Page }).Fixed(),
	db.Col("name", func(v *SavedView) any { return &v.Name }),
	db.Col("query", func(v *SavedView) any { return &v.Query }),
	db.Col("created_at", func(v *SavedView) any { return &v.At }).Fixed(),
)

// SavedViews reads a user's views of a list, oldest first.
func SavedViews(tx *db.Tx, user id.User, page string) ([]SavedView, error) {
	return savedViews.All(tx, "AND user_id = $2::UUID AND page = $3 ORDER BY created_at, id LIMIT $4::BIGINT", user, page, MaxViews)
}

// SaveView saves a view. Errors: Conflict when there are MaxViews already.
func SaveView(tx *db.Tx, v SavedView) (SavedView, error) {
	kept, err := SavedViews(tx, v.User, v.Page)
	if err != nil {
		return v, err
	}
	if len(kept) >= MaxViews {
		return v, apperr.New(apperr.Conflict, "too_many_views", "at most %d views are saved; delete one first", MaxViews)
	}
	v.ID, v.At = id.New[string](), tx.Micros()
	savedViews.Insert(tx, v)
	return v, nil
}

// ForgetViews deletes all views of a user, who is being deleted.
func ForgetViews(tx db.Writer, user id.User) {
	tx.Queue("DELETE FROM dashboard_views WHERE tenant_id = $1 AND user_id = $2::UUID", tx.TenantID(), user)
}

// ViewsMatching reads the saved views of all users whose name or query match accepts.
func ViewsMatching(tx *db.Tx, match func(text string) bool) (list []SavedView, err error) {
	all, err := savedViews.All(tx, "")
	for _, v := range all {
		if match(v.Name) || match(v.Query) {
			list = append(list, v)
		}
	}
	return list, err
}

// DeleteViews deletes saved views that ViewsMatching returned. A view that was deleted meanwhile is no error.
func DeleteViews(tx db.Writer, list []SavedView) {
	for _, v := range list {
		tx.Queue("DELETE FROM dashboard_views WHERE tenant_id = $1 AND user_id = $2::UUID AND id = $3::UUID", tx.TenantID(), v.User, v.ID)
	}
}

// DeleteView deletes a saved view of a user. If there is none, the transaction fails with NotFound.
func DeleteView(tx db.Writer, user id.User, view string) {
	tx.Queue("DELETE FROM dashboard_views WHERE tenant_id = $1 AND user_id = $2::UUID AND id = $3::UUID", tx.TenantID(), user, view).Rows(1,
		apperr.Missing("view"))
}
