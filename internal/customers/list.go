package customers

import (
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/lists"
)

// Filter selects the customers of a list, and the page.
type Filter struct {
	Search          string // part of e-mail, names, company or phone, or some digits of the phone
	Email           string
	Tag             string
	Segment         *Segment    // only customers who meet its rules; the segment need not be stored
	IncludeInactive bool        // also records merged into another
	After           id.Customer // the last customer of the page before, in place of Offset
	Limit, Offset   int
	Uncounted       bool // the caller needs no total: it is counted only where finding the page depends on it
}

// List reads a page of records with tags and addresses, newest first, and how many match in all.
func List(tx *db.Tx, f Filter) ([]Customer, int64, error) {
	if f.Search != "" && f.Email == "" {
		return listFound(tx, f)
	}
	if f.Segment != nil && f.Email == "" {
		if list, total, found, err := listSegment(tx, f); found || err != nil {
			return list, total, err
		}
	}
	if f.Email == "" && f.Segment == nil {
		return listAll(tx, f)
	}
	list, total, err := table.PageFrom(tx, f.where(tx), f.behind, "c.id DESC", f.Limit, f.Offset)
	if err != nil || len(list) == 0 {
		return list, total, err
	}
	return list, total, load(tx, list)
}

// behind adds the condition that customers come after the page before.
func (f Filter) behind(w *db.Where) { db.AndGiven(w, "c.id < ?::UUID", f.After) }

// listAll is List without a filter, or by a tag alone: only customers that are neither merged nor erased have tags.
func listAll(tx *db.Tx, f Filter) ([]Customer, int64, error) {
	listed := lists.Noun{Rows: "customers c", ID: "c.id"}
	if !f.IncludeInactive {
		listed.Living = "c.merged_into IS NULL"
	}
	n, err := countListed(tx, f.IncludeInactive)
	if err != nil {
		return nil, 0, err
	}
	all := lists.Known(n)
	q := lists.Query{Noun: &listed, All: all, Sort: lists.ByID, Descending: true, Offset: f.Offset, Limit: f.Limit,
		Uncounted: f.Uncounted}
	q.Indexes = []*lists.Index{{From: listed.Rows, ID: listed.ID, Bounds: []lists.Bound{{}}, Sort: lists.ByID.Column, Size: all}}
	if f.After != "" {
		q.After = &lists.Key{ID: string(f.After)}
	}
	if f.Tag != "" {
		n, err := countTagged(tx, f.Tag)
		if err != nil {
			return nil, 0, err
		}
		q.Add(lists.Members("customer_tags m", "customer_id", "tag", "", f.Tag, n))
	}
	keys, total, err := lists.Keys(tx, q)
	if err != nil {
		return nil, 0, err
	}
	list, err := newestFirst(tx, lists.IDs[id.Customer](keys))
	return list, total, err
}

func countTagged(tx *db.Tx, tag string) (n int64, err error) {
	return n, tx.Row("SELECT count(*) FROM customer_tags WHERE tenant_id = $1 AND tag = $2", []any{tx.Tenant, tag}, &n)
}

// newestFirst reads the records of a page with their tags and addresses.
func newestFirst(tx *db.Tx, ids []id.Customer) ([]Customer, error) {
	if len(ids) == 0 {
		return []Customer{}, nil
	}
	args := db.Padded(ids)
	list, err := table.All(tx, "AND id IN "+db.In(len(args), 2)+" ORDER BY id DESC", args...)
	if err != nil {
		return nil, err
	}
	return list, load(tx, list)
}

func (f Filter) where(tx *db.Tx) *db.Where {
	w := db.NewWhere(tx, "c")
	if !f.IncludeInactive {
		w.And("c.merged_into IS NULL")
	}
	if f.Search != "" {
		var contains []string
		var patterns []any
		for _, term := range wantedTerms(f.Search) {
			contains, patterns = append(contains, `c.search LIKE ? ESCAPE '\'`), append(patterns, db.Containing(term))
		}
		w.And("("+strings.Join(contains, " OR ")+")", patterns...)
	}
	db.AndGiven(w, "c.email_key = ?", EmailKey(f.Email))
	if f.Tag != "" {
		andTag(w, f.Tag)
	}
	if f.Segment != nil {
		f.Segment.Rules.where(w)
	}
	return w
}

// andTag adds the condition that customers c have one of the tags, by which the index finds them: EXISTS would check
// each customer.
func andTag(w *db.Where, tags ...string) {
	w.And("c.id IN (SELECT t.customer_id FROM customer_tags t WHERE t.tenant_id = $1 AND t.tag IN " + db.BindAll(w, tags) + ")")
}

// andHasTag is andTag for a few customers c, which other conditions select.
func andHasTag(w *db.Where, tags ...string) {
	w.And("EXISTS (SELECT 1 FROM customer_tags t WHERE t.tenant_id = $1 AND t.customer_id = c.id AND t.tag IN " + db.BindAll(w, tags) + ")")
}
