package postgres

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// inOrder merges what the members of a group write such that it takes locks in the order of all locks (decision 5): first the locks that
// transactions share, then what each writes before the clock, batch by batch, then the clocks, once for all of a tenant, and what is behind
// them. A member that gives stamps by statements that are no forms comes last, with a turn of the clock of its own; all of such a group are
// of one tenant (see mixable).
func inOrder(group [][]*engine.Step, forms *arrays) []*engine.Step {
	if len(group) == 1 {
		return group[0]
	}
	var shared, apart []*engine.Step
	var before, behind batches
	var clocks clocks
	for _, member := range group {
		at := slices.IndexFunc(member, func(s *engine.Step) bool { return s.Clock != nil })
		if at < 0 {
			at = len(member)
		}
		batch := -1
		for _, s := range member[:at] {
			if s.Share != nil {
				shared = append(shared, s)
			} else {
				batch = before.add(batch, s)
			}
		}
		switch last := member[at:]; {
		case len(last) == 0:
		case slices.ContainsFunc(last[1:], func(s *engine.Step) bool { return s.Form == nil }):
			apart = append(apart, last...)
		default:
			clock := clocks.of(last[0].Clock)
			batch = -1
			for _, s := range last[1:] {
				batch = behind.add(batch, later(s, clock.Length))
			}
			clock.Length += last[0].Clock.Length
		}
	}
	slices.SortFunc(shared, func(a, b *engine.Step) int {
		return cmp.Or(cmp.Compare(a.Share.Tenant, b.Share.Tenant), cmp.Compare(a.Share.Number, b.Share.Number))
	})
	shared = slices.CompactFunc(shared, func(a, b *engine.Step) bool { return *a.Share == *b.Share })
	before.sort()
	steps := append(shared, before.steps(forms)...)
	if len(clocks) > 0 {
		steps = append(append(steps, clocks.step()), behind.steps(forms)...)
	}
	return append(steps, apart...)
}

// clocks are the clocks that a group moves, one for each tenant.
type clocks []*engine.Tick

// of is the clock of a member's tenant.
func (c *clocks) of(tick *engine.Tick) *engine.Tick {
	for _, clock := range *c {
		if clock.Tenant == tick.Tenant {
			return clock
		}
	}
	clock := &engine.Tick{Tenant: tick.Tenant, Now: tick.Now}
	*c = append(*c, clock)
	return clock
}

// step moves all of them. Every group takes their locks in one order.
func (c clocks) step() *engine.Step {
	slices.SortFunc(c, func(a, b *engine.Tick) int {
		return cmp.Or(cmp.Compare(clockNumber(a.Tenant), clockNumber(b.Tenant)), cmp.Compare(a.Tenant, b.Tenant))
	})
	c[0].Others = c[1:]
	return &engine.Step{Want: -1, Clock: c[0]}
}

// later is a step with its stamps moved by those that the members before it take from the clock.
func later(s *engine.Step, by int64) *engine.Step {
	if by == 0 || len(s.Form.Stamps) == 0 {
		return s
	}
	moved := *s
	moved.Args = slices.Clone(s.Args)
	for row := s.Form.Head; row < len(moved.Args); row += s.Form.Width {
		for _, column := range s.Form.Stamps {
			moved.Args[row+column] = moved.Args[row+column].(int64) + by
		}
	}
	return &moved
}

// batches are steps of one text or form each, in an order that keeps that of every member.
type batches [][]*engine.Step

// add puts a step into the first batch of its text or form that is not before index last, or into a new one behind last. It returns the
// index of its batch. last is the batch of the member's step before it, -1 for its first.
func (bs *batches) add(last int, s *engine.Step) int {
	for i := max(last, 0); i < len(*bs); i++ {
		if first := (*bs)[i][0]; first.Form == s.Form && (s.Form != nil || first.SQL == s.SQL) {
			(*bs)[i] = append((*bs)[i], s)
			return i
		}
	}
	*bs = slices.Insert(*bs, last+1, []*engine.Step{s})
	return last + 1
}

// sort orders the steps of each batch by tenant, $1, and by the record that they name: $2, or the first column of a form's first row.
func (bs batches) sort() {
	for _, batch := range bs {
		slices.SortStableFunc(batch, func(a, b *engine.Step) int {
			return cmp.Or(cmp.Compare(owner(a), owner(b)), strings.Compare(named(a), named(b)))
		})
	}
}

func owner(s *engine.Step) id.Tenant {
	if len(s.Args) > 0 {
		if tenant, ok := s.Args[0].(id.Tenant); ok {
			return tenant
		}
	}
	return 0
}

func named(s *engine.Step) string {
	at := 1
	if s.Form != nil {
		at = s.Form.Head
	}
	if len(s.Args) <= at {
		return ""
	}
	return fmt.Sprint(s.Args[at])
}

// steps are all, batch after batch; a read that several want is done once, and rows of a form share statements.
func (bs batches) steps(forms *arrays) (all []*engine.Step) {
	for _, batch := range bs {
		switch {
		case batch[0].Form != nil:
			all = append(all, merged(batch, forms)...)
		case batch[0].Reads:
			all = append(all, slices.CompactFunc(batch, func(a, b *engine.Step) bool { return a.Want == b.Want && slices.Equal(a.Args, b.Args) })...)
		default:
			all = append(all, batch...)
		}
	}
	return all
}

// merged writes the rows of steps of one form with as few statements as possible. A statement that fails does not say which step is to
// blame, so it has none of their errors.
func merged(batch []*engine.Step, forms *arrays) (steps []*engine.Step) {
	form := batch[0].Form
	var rowSets []*rowSet
	for _, s := range batch {
		head := s.Args[:form.Head]
		at := slices.IndexFunc(rowSets, func(set *rowSet) bool { return slices.Equal(set.head, head) })
		if at < 0 {
			at = len(rowSets)
			rowSets = append(rowSets, &rowSet{form: form, head: head, counted: s.Want >= 0, seen: map[engine.RowKey]seen{}})
		}
		for row := range slices.Chunk(s.Args[form.Head:], form.Width) {
			rowSets[at].add(row)
		}
	}
	otherwise := func(set *rowSet) bool { return set.counted != rowSets[0].counted }
	if len(rowSets) > 1 && form.Mixed != nil && !slices.ContainsFunc(rowSets, otherwise) {
		return mixed(rowSets, forms)
	}
	for _, set := range rowSets {
		steps = append(steps, set.steps(forms)...)
	}
	return steps
}

// mixed writes the rows of several heads in common statements, each row with its head.
func mixed(rowSets []*rowSet, forms *arrays) []*engine.Step {
	all := &rowSet{form: rowSets[0].form, counted: rowSets[0].counted, mixed: true}
	for wave, left := 0, true; left; wave++ {
		var rows [][]any
		for _, set := range rowSets {
			if wave < len(set.waves) {
				for _, row := range set.waves[wave] {
					rows = append(rows, slices.Concat(set.head, row))
				}
			}
		}
		if left = len(rows) > 0; left {
			all.waves = append(all.waves, rows)
		}
	}
	return all.steps(forms)
}

// rowSet gathers the rows of a form that have one head.
type rowSet struct {
	form    *engine.Form
	head    []any
	counted bool // each row must be touched
	mixed   bool // each row begins with a head of its own
	waves   [][][]any
	seen    map[engine.RowKey]seen
}

// seen is where a row of a key stands, and how many waves have one.
type seen struct{ waves, at int }

// add takes a row into the first wave that has none of its key, or adds it up.
func (set *rowSet) add(row []any) {
	wave := 0
	if len(set.form.Key) > 0 {
		key := set.form.KeyOf(nil, row)
		known := set.seen[key]
		if known.waves > 0 && len(set.form.Sum) > 0 {
			set.sum(known.at, row)
			return
		}
		wave = known.waves
		known.waves++
		if wave < len(set.waves) {
			known.at = len(set.waves[wave])
		}
		set.seen[key] = known
	}
	if wave == len(set.waves) {
		set.waves = append(set.waves, nil)
	}
	set.waves[wave] = append(set.waves[wave], row)
}

// sum adds a row to one of the first wave.
func (set *rowSet) sum(at int, row []any) {
	total := slices.Clone(set.waves[0][at])
	set.form.AddUp(total, row)
	set.waves[0][at] = total
}

func (set *rowSet) steps(forms *arrays) (steps []*engine.Step) {
	for _, wave := range set.waves {
		if len(wave) > 1 {
			if form := forms.of(set.form, set.mixed); form != nil {
				if list := form.steps(set.head, wave, set.counted); list != nil {
					steps = append(steps, list...)
					continue
				}
			}
		}
		for piece := range engine.Pieces(wave) {
			s := &engine.Step{Want: -1, Args: slices.Concat(append([][]any{set.head}, piece...)...)}
			if s.SQL = set.form.Text(len(piece)); set.mixed {
				s.SQL = set.form.MixedText(len(piece))
			}
			if set.counted {
				s.Rows(int64(len(piece)), nil)
			}
			steps = append(steps, s)
		}
	}
	return steps
}
