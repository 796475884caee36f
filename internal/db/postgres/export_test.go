package postgres

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"entrepot/internal/db/engine"
	"entrepot/internal/db/groups"
	"entrepot/internal/id"
)

// Gathered is how many planned transactions of a tenant wait for the group before them.
func (e *Engine) Gathered(tenant id.Tenant) int { return e.groups.Waiting(tenant) }

// LookingUp is how many look-ups wait for the message before them.
func (e *Engine) LookingUp() int { return e.lookups.Waiting() }

// Statements are the statements that answer several callers' reads, keys in order and more than four of them cut.
func Statements(callers ...[]*engine.Pending) (all []string) {
	group := make([]*lookup, len(callers))
	for i, pending := range callers {
		group[i] = &lookup{Pending: pending}
	}
	for _, q := range groups.Statements(group, false) {
		sql, args := q.Text()
		text, end := []string{sql}, ""
		if q.Keyed != nil {
			head := q.Keyed.Head
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
func InOrder(members ...[]*engine.Step) []*engine.Step { return inOrder(members, nil) }

// BulkWaiting is how many pieces of bulk operations of a tenant are inside or wait.
func (e *Engine) BulkWaiting(tenant id.Tenant) int {
	e.bulk.mu.Lock()
	defer e.bulk.mu.Unlock()
	if at := e.bulk.open[tenant]; at != nil {
		return at.users
	}
	return 0
}

// HoldMixed has a group of several tenants be under way until release is called.
func (e *Engine) HoldMixed() (release func()) {
	entered, end, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		e.mixed.Together(-1, planned{}, func([]planned) error {
			close(entered)
			<-end
			return nil
		})
		close(ended)
	}()
	<-entered
	return func() { close(end); <-ended }
}

// MixedWaiting is how many planned transactions wait for the next group of several tenants.
func (e *Engine) MixedWaiting() int { return e.mixed.Waiting() }

// Apart reports whether a tenant has groups of its own for a while.
func (e *Engine) Apart(tenant id.Tenant) bool { return e.apart.has(tenant, time.Now()) }

// SetApart has a tenant have groups of its own until the test ends.
func (e *Engine) SetApart(tenant id.Tenant) { e.apart.add(tenant, time.Now().Add(time.Hour)) }

// ArrayForms is how many forms have a statement that takes arrays.
func (e *Engine) ArrayForms() (n int) {
	e.forms.known.Range(func(_, form any) bool {
		if form.(*arrayForm) != nil {
			n++
		}
		return true
	})
	return n
}
