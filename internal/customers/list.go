package customers

import (
	"strings"

	"entrepot/internal/db"
)

// Filter says which customers a list shows, and which part of them.
type Filter struct {
	Search          string // part of e-mail, names, company or phone
	Email           string
	Tag             string
	Rules           *Rules // of a segment
	IncludeInactive bool   // secondaries too
	Limit, Offset   int
}

// List reads a page of records with tags and addresses, newest first, and how many match in all.
func List(tx *db.Tx, f Filter) ([]Customer, int64, error) {
	if f.Search != "" && f.Email == "" {
		return listFound(tx, f)
	}
	list, total, err := table.Page(tx, f.where(tx), "c.id DESC", f.Limit, f.Offset)
	if err != nil || len(list) == 0 {
		return list, total, err
	}
	return list, total, Load(tx, list)
}

func (f Filter) where(tx *db.Tx) *db.Where {
	w := db.NewWhere(tx, "c")
	if !f.IncludeInactive {
		w.And("c.status <> 'secondary'")
	}
	if f.Search != "" {
		w.AndContains("c.search", strings.ToLower(f.Search))
	}
	db.AndGiven(w, "c.email_key = ?", EmailKey(f.Email))
	if f.Tag != "" {
		andTag(w, f.Tag)
	}
	if f.Rules != nil {
		f.Rules.where(w)
	}
	return w
}

// andTag chooses customers c with one of the tags.
func andTag(w *db.Where, tags ...string) {
	w.And("EXISTS (SELECT 1 FROM customer_tags t WHERE t.tenant_id = $1 AND t.customer_id = c.id AND t.tag IN " + db.BindAll(w, tags) + ")")
}
