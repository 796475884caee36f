package customers

import (
	"strconv"
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
	q := &query{args: []any{tx.Tenant}}
	where := " FROM customers c WHERE " + q.where(f)
	var total int64
	if err := tx.Row("SELECT count(*)"+where, q.args, &total); err != nil || total == 0 || int64(f.Offset) >= total {
		return []Customer{}, total, err
	}
	list, err := db.List(tx, scan, "SELECT "+columns+where+" ORDER BY c.id DESC LIMIT "+q.bind(f.Limit)+"::BIGINT OFFSET "+q.bind(f.Offset)+"::BIGINT", q.args...)
	if err != nil {
		return nil, 0, err
	}
	return list, total, Load(tx, list)
}

// query gathers conditions and their arguments.
type query struct{ args []any }

func (q *query) bind(v any) string {
	q.args = append(q.args, v)
	return "$" + strconv.Itoa(len(q.args))
}

func (q *query) where(f Filter) string {
	conditions := []string{"c.tenant_id = $1"}
	if !f.IncludeInactive {
		conditions = append(conditions, "c.status <> 'secondary'")
	}
	if f.Search != "" {
		conditions = append(conditions, "c.search LIKE "+q.bind(likePattern(f.Search))+` ESCAPE '\'`)
	}
	if f.Email != "" {
		conditions = append(conditions, "c.email_key = "+q.bind(EmailKey(f.Email)))
	}
	if f.Tag != "" {
		conditions = append(conditions, hasTag([]string{q.bind(f.Tag)}))
	}
	if f.Rules != nil {
		conditions = append(conditions, f.Rules.where(q)...)
	}
	return strings.Join(conditions, " AND ")
}

// hasTag is true for a customer c with one of the tags, given as placeholders.
func hasTag(tags []string) string {
	return "EXISTS (SELECT 1 FROM customer_tags t WHERE t.tenant_id = $1 AND t.customer_id = c.id AND t.tag IN (" + strings.Join(tags, ",") + "))"
}

// likePattern finds a text anywhere on a folded column.
func likePattern(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ToLower(text)) + "%"
}
