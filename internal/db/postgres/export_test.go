package postgres

import (
	"fmt"
	"slices"
	"strings"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// Gathered is how many planned transactions of a tenant wait for the group before them.
func (e *Engine) Gathered(tenant id.Tenant) int { return e.groups.gathered(tenant) }

// LookingUp is how many look-ups of a tenant wait for the message before them.
func (e *Engine) LookingUp(tenant id.Tenant) int { return e.lookups.gathered(tenant) }

func (g *gatherings[T]) gathered(tenant id.Tenant) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at := g.open[tenant]; at != nil {
		return len(at.waiting)
	}
	return 0
}

// Statements are the statements that answer several callers' reads, keys in order and more than four of them cut.
func Statements(callers ...[]*engine.Pending) (all []string) {
	group := make([]*lookup, len(callers))
	for i, pending := range callers {
		group[i] = &lookup{pending: pending}
	}
	for _, q := range statements(group) {
		sql, args := q.text()
		text, end := []string{sql}, ""
		if q.keyed != nil {
			head := q.keyed.Head
			slices.SortFunc(args[head:], func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
			if len(args) > head+4 {
				args, end = args[:head+1], "…"
			}
		}
		for _, a := range args {
			text = append(text, fmt.Sprint(a))
		}
		all = append(all, strings.Join(text, " ")+end)
	}
	return all
}

// InOrder is what a group writes whose members write these steps.
func InOrder(members ...[]*engine.Step) []*engine.Step { return inOrder(members) }

// BulkWaiting is how many pieces of bulk operations of a tenant are inside or wait.
func (e *Engine) BulkWaiting(tenant id.Tenant) int {
	e.bulk.mu.Lock()
	defer e.bulk.mu.Unlock()
	if at := e.bulk.open[tenant]; at != nil {
		return at.users
	}
	return 0
}
