package orders

import (
	"encoding/json"
	"slices"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/lists"
	"entrepot/internal/search"
)

// TagKey returns the form in which tags are compared: without regard to case.
func TagKey(tag string) string { return search.Fold(tag) }

// DistinctTags returns the tags without those that repeat an earlier one in any case.
func DistinctTags(list []string) []string {
	var out []string
	for _, tag := range list {
		if !hasTag(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}

// Retag returns the tags with some added at the end and others removed. A tag that is there in another case stays as
// it is; one that is both added and removed is removed.
func Retag(tags, add, remove []string) []string {
	list := DistinctTags(slices.Concat(tags, add))
	return slices.DeleteFunc(list, func(tag string) bool { return hasTag(remove, tag) })
}

func hasTag(list []string, tag string) bool {
	return slices.ContainsFunc(list, func(other string) bool { return TagKey(other) == TagKey(tag) })
}

func encodeTags(list []string) string {
	if len(list) == 0 {
		return ""
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(text)
}

// DecodeTags reads the tags of an order as its row has them, "" for none.
func DecodeTags(text string) (list []string, err error) {
	if text == "" {
		return nil, nil
	}
	return list, json.Unmarshal([]byte(text), &list)
}

// tagRow is a tag of an order, by which lists find the order.
type tagRow struct {
	order     id.Order
	tag       string // as TagKey returns it
	createdAt int64  // of the order
}

var tagTable = db.NewTable("order_tags",
	db.Col("order_id", func(t *tagRow) any { return &t.order }),
	db.Col("tag", func(t *tagRow) any { return &t.tag }),
	db.Col("created_at", func(t *tagRow) any { return &t.createdAt }),
)

func (o *Order) tagRows() (rows []tagRow) {
	for _, tag := range o.Tags {
		rows = append(rows, tagRow{o.ID, TagKey(tag), o.CreatedAt})
	}
	return rows
}

// saveTags replaces the rows of the tags of a locked order, if these differ.
func saveTags(tx db.Writer, before, o *Order) {
	if slices.Equal(before.Tags, o.Tags) {
		return
	}
	tx.Queue("DELETE FROM order_tags WHERE tenant_id = $1 AND order_id = $2::UUID", tx.TenantID(), o.ID)
	tagTable.Insert(tx, o.tagRows()...)
}

// TagsInUse reads the tags that orders of the account have, in the form of TagKey and in its order, at most n. It reads
// one entry of the index for each, however many orders have it.
func TagsInUse(tx *db.Tx, n int) ([]string, error) {
	return db.List(tx, func(r db.Rows) (tag string, err error) { return tag, r.Scan(&tag) },
		`WITH RECURSIVE used(tag) AS (
			SELECT min(t.tag) FROM order_tags t WHERE t.tenant_id = $1
			UNION ALL
			SELECT (SELECT min(t.tag) FROM order_tags t WHERE t.tenant_id = $1 AND t.tag > used.tag) FROM used WHERE used.tag IS NOT NULL)
		SELECT tag FROM used WHERE tag IS NOT NULL LIMIT $2::BIGINT`, tx.Tenant, n)
}

// tagged returns the filter that an order has one of some tags, and the index of these orders by their creation. Each
// run of the index leaves out the orders that an earlier run has.
func (f Filter) tagged(created lists.Filter) (lists.Filter, *lists.Index) {
	const has = "EXISTS (SELECT 1 FROM order_tags x WHERE x.tenant_id = $1 AND x.order_id = {id} AND x.tag IN "
	keys := make([]any, len(f.Tags))
	for i, tag := range f.Tags {
		keys[i] = TagKey(tag)
	}
	in := func(n int) string { return "(?" + strings.Repeat(",?", n-1) + "))" }
	x := &lists.Index{From: "order_tags m", ID: "m.order_id", Has: []string{"created_at"}, Sort: "created_at"}
	for i, key := range keys {
		b := lists.Bound{Where: "m.tag = ?", Args: []any{key}}
		if created.Args != nil {
			b.Where, b.Args = b.Where+" AND "+strings.ReplaceAll(created.Where, "{row}", "m"), append(b.Args, created.Args...)
		}
		if i > 0 {
			earlier := "NOT " + strings.ReplaceAll(has, "{id}", x.ID) + in(i)
			b.Where, b.Args = b.Where+" AND "+db.Unindexed(earlier), append(b.Args, keys[:i]...)
		}
		x.Bounds = append(x.Bounds, b)
	}
	return lists.Filter{Name: "tags", Where: has + in(len(keys)), Args: keys}, x
}

// Assigned selects orders by the users whom they are assigned to: by any of them.
type Assigned struct {
	Users  []id.User
	Nobody bool // also orders that are assigned to nobody
}

// any reports whether the filter is set.
func (a Assigned) any() bool { return a.Nobody || len(a.Users) > 0 }

// assigned returns the filter by assigned users, and the index of these orders by their creation. Orders that are
// assigned to nobody are in no index of their own: Rest has the orders of other users.
func (f Filter) assigned(created lists.Filter) (lists.Filter, *lists.Index) {
	const column, first = "assigned_to", "00000000-0000-0000-0000-000000000000"
	users := make([]any, len(f.Assigned.Users))
	var runs []lists.Bound
	for i, user := range f.Assigned.Users {
		users[i] = user
		runs = append(runs, bound(equal(column, "::UUID", user), created))
	}
	one := lists.Filter{Name: column, Columns: []string{column}, Where: "{row}.assigned_to IS NULL", Args: users}
	among := ""
	if len(users) > 0 {
		among = "IN (?::UUID" + strings.Repeat(",?::UUID", len(users)-1) + ")"
		one.Where = "{row}.assigned_to " + among
	}
	if !f.Assigned.Nobody {
		return one, f.index("created_at", nil, runs...)
	}
	others := lists.Bound{Where: "o.assigned_to >= ?::UUID", Args: []any{first}}
	if len(users) > 0 {
		one.Where = "({row}.assigned_to IS NULL OR " + one.Where + ")"
		others.Where, others.Args = others.Where+" AND "+db.Unindexed("o.assigned_to NOT "+among), append(others.Args, users...)
	}
	one.Rest = f.index("", nil, others)
	return one, nil
}
