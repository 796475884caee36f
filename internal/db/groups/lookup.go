package groups

import (
	"cmp"
	"slices"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// Lookup is what one caller reads together with others; an engine keeps the rows of an answer in a type R of its own.
type Lookup[R any] struct {
	Tenant  id.Tenant
	Pending []*engine.Pending
	Replies []*R // to each of these
}

// Statement is one statement of a group of look-ups: a read that one or several callers want, or the keys of several of them.
type Statement[R any] struct {
	Tenant id.Tenant
	SQL    string
	Keyed  *engine.Keyed
	Lone   bool // its tenant is the only one of the group
	Mixed  bool // the keys have heads of their own

	args    []any
	replies []*R // each wants all rows
	keys    []keyOf
	wanted  map[keyOf][]*R // each wants the rows of some keys
}

// keyOf is a key; of a mixed statement, with its head.
type keyOf struct {
	head [2]any
	key  any
}

// mostHead is how many arguments a head has at the most.
const mostHead = len(keyOf{}.head)

// Statements are what a group looks up, each read once, with new replies. In a mixed group, of several tenants, keys of all of them share
// statements, which come first; those of one tenant follow together.
func Statements[R any](group []*Lookup[R], mixed bool) []*Statement[R] {
	var all []*Statement[R]
	type text struct {
		tenant id.Tenant
		sql    string
	}
	byText := map[text][]*Statement[R]{}
	for _, l := range group {
		l.Replies = make([]*R, len(l.Pending))
		for i, p := range l.Pending {
			l.Replies[i] = new(R)
			args := Plain(p.Args)
			name := text{l.Tenant, p.SQL}
			mix := mixed && l.Tenant != 0 && p.Keyed != nil && p.Keyed.Mixed != "" && p.Keyed.Head <= mostHead
			switch {
			case mix:
				name = text{-1, p.Keyed.Mixed}
			case p.Keyed != nil:
				name.sql = p.Keyed.Text(1)
			}
			at := slices.IndexFunc(byText[name], func(s *Statement[R]) bool { return s.covers(p, args) })
			if at < 0 {
				at = len(byText[name])
				s := &Statement[R]{Tenant: name.tenant, SQL: p.SQL, args: args, Keyed: p.Keyed, Lone: !mixed, Mixed: mix}
				byText[name] = append(byText[name], s)
				all = append(all, s)
			}
			byText[name][at].add(l.Replies[i], args)
		}
	}
	slices.SortStableFunc(all, func(a, b *Statement[R]) int { return cmp.Compare(a.Tenant, b.Tenant) })
	return all
}

// mostArgs is how many arguments a read has at the most that others may wait for.
const mostArgs = 64

// mostKeys is how many keys a common statement has at the most: for longer lists PostgreSQL's planner may choose to read a whole table. It
// does not know how long the arrays of a mixed one are.
const (
	mostKeys  = 64
	mostMixed = 512
)

// Long reports whether others should not wait for one of these reads.
func Long(pending []*engine.Pending) bool {
	return slices.ContainsFunc(pending, func(p *engine.Pending) bool { return len(p.Args) > mostArgs })
}

// covers reports whether a statement can serve a read of the same text, or the same Keyed, too.
func (s *Statement[R]) covers(p *engine.Pending, args []any) bool {
	switch {
	case p.Keyed == nil:
		return slices.EqualFunc(s.args, args, equal)
	case s.Mixed:
		return len(s.keys)+len(args)-s.Keyed.Head <= mostMixed
	}
	return slices.EqualFunc(s.args[:s.Keyed.Head], args[:s.Keyed.Head], equal) && len(s.keys)+len(args)-s.Keyed.Head <= mostKeys
}

// equal reports whether two arguments are the same; those of other types than strings, numbers and truth values never are.
func equal(a, b any) bool {
	switch a.(type) {
	case nil, string, int64, bool:
		return a == b
	}
	return false
}

// add has the statement serve one more read.
func (s *Statement[R]) add(r *R, args []any) {
	if s.Keyed == nil {
		s.replies = append(s.replies, r)
		return
	}
	if s.wanted == nil {
		s.wanted = map[keyOf][]*R{}
	}
	var of keyOf
	if s.Mixed {
		copy(of.head[:], args[:s.Keyed.Head])
	}
	for _, of.key = range args[s.Keyed.Head:] {
		replies, known := s.wanted[of]
		if !known {
			s.keys = append(s.keys, of)
		}
		if !slices.Contains(replies, r) {
			s.wanted[of] = append(replies, r)
		}
	}
}

// Text is the statement's text and arguments.
func (s *Statement[R]) Text() (string, []any) {
	switch {
	case s.Keyed == nil:
		return s.SQL, s.args
	case s.Mixed:
		args := make([]any, 0, s.Keyed.Head+1)
		for i := range s.Keyed.Head {
			args = append(args, column(s.keys, func(k keyOf) any { return k.head[i] }))
		}
		return s.Keyed.Mixed, append(args, column(s.keys, func(k keyOf) any { return k.key }))
	}
	keys := engine.Padded(s.keys)
	args := slices.Clone(s.args[:s.Keyed.Head])
	for _, k := range keys {
		args = append(args, k.key)
	}
	return s.Keyed.Text(len(keys)), args
}

// All are the replies to a read without keys; each wants every row.
func (s *Statement[R]) All() []*R { return s.replies }

// Of are the replies that want the rows of a key.
func (s *Statement[R]) Of(key string) []*R { return s.wanted[keyOf{key: key}] }

// Nth are the replies that want the rows of a mixed statement's n-th key, from 1; false if there is none.
func (s *Statement[R]) Nth(n int) (replies []*R, ok bool) {
	if n < 1 || n > len(s.keys) {
		return nil, false
	}
	return s.wanted[s.keys[n-1]], true
}

// column is an array of texts or numbers.
func column(keys []keyOf, of func(keyOf) any) any {
	if _, numbers := of(keys[0]).(int64); numbers {
		return Each[int64](keys, of)
	}
	return Each[string](keys, of)
}

// Each is a list of what of returns for the elements of another, all of one type.
func Each[T, K any](keys []K, of func(K) any) []T {
	list := make([]T, len(keys))
	for i, k := range keys {
		list[i] = of(k).(T)
	}
	return list
}
