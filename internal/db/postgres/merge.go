package postgres

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// inOrder merges what the members of a group write such that it takes locks in the order of all locks (decision 26): first the locks that
// transactions share, then what each writes before the clock, lane by lane, then the clocks, once for all of a tenant, and what is behind
// them. A member that gives stamps by statements that are no forms comes last, with a turn of the clock of its own; all of such a group are
// of one tenant (see mixable).
func inOrder(group [][]*engine.Step) []*engine.Step {
	if len(group) == 1 {
		return group[0]
	}
	var shared, apart []*engine.Step
	var before, behind lanes
	var clocks clocks
	for _, member := range group {
		at := slices.IndexFunc(member, func(s *engine.Step) bool { return s.Clock != nil })
		if at < 0 {
			at = len(member)
		}
		lane := -1
		for _, s := range member[:at] {
			if s.Share != nil {
				shared = append(shared, s)
			} else {
				lane = before.add(lane, s)
			}
		}
		switch last := member[at:]; {
		case len(last) == 0:
		case slices.ContainsFunc(last[1:], func(s *engine.Step) bool { return s.Form == nil }):
			apart = append(apart, last...)
		default:
			clock := clocks.of(last[0].Clock)
			lane = -1
			for _, s := range last[1:] {
				lane = behind.add(lane, later(s, clock.Length))
			}
			clock.Length += last[0].Clock.Length
		}
	}
	slices.SortFunc(shared, func(a, b *engine.Step) int {
		return cmp.Or(cmp.Compare(a.Share.Tenant, b.Share.Tenant), cmp.Compare(a.Share.Number, b.Share.Number))
	})
	shared = slices.CompactFunc(shared, func(a, b *engine.Step) bool { return *a.Share == *b.Share })
	before.sort()
	steps := append(shared, before.steps()...)
	if len(clocks) > 0 {
		steps = append(append(steps, clocks.step()), behind.steps()...)
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

// later is a step whose stamps are moved by what the members before it take of the clock.
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

// lanes are steps of one text or form each, in an order that keeps that of every member.
type lanes [][]*engine.Step

// add puts a step behind the lane at last, or into it, and gives its own. Nothing is behind -1.
func (l *lanes) add(last int, s *engine.Step) int {
	for i := max(last, 0); i < len(*l); i++ {
		if first := (*l)[i][0]; first.Form == s.Form && (s.Form != nil || first.SQL == s.SQL) {
			(*l)[i] = append((*l)[i], s)
			return i
		}
	}
	*l = slices.Insert(*l, last+1, []*engine.Step{s})
	return last + 1
}

// sort orders the steps of each lane by tenant, $1, and by the record that they name: $2, or the first column of a form's first row.
func (l lanes) sort() {
	for _, lane := range l {
		slices.SortStableFunc(lane, func(a, b *engine.Step) int {
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

// steps are all, lane after lane; a read that several want is done once, and rows of a form share statements.
func (l lanes) steps() (all []*engine.Step) {
	for _, lane := range l {
		switch {
		case lane[0].Form != nil:
			all = append(all, merged(lane)...)
		case lane[0].Reads:
			all = append(all, slices.CompactFunc(lane, func(a, b *engine.Step) bool { return a.Want == b.Want && slices.Equal(a.Args, b.Args) })...)
		default:
			all = append(all, lane...)
		}
	}
	return all
}

// merged writes the rows of steps of one form by as few statements as may be. What one of them comes up against says nothing of a single
// step, so it has none of their errors.
func merged(lane []*engine.Step) (steps []*engine.Step) {
	form := lane[0].Form
	var sheets []*sheet
	for _, s := range lane {
		head := s.Args[:form.Head]
		at := slices.IndexFunc(sheets, func(sh *sheet) bool { return slices.Equal(sh.head, head) })
		if at < 0 {
			at = len(sheets)
			sheets = append(sheets, &sheet{form: form, head: head, counted: s.Want >= 0, seen: map[rowKey]seen{}})
		}
		for row := range slices.Chunk(s.Args[form.Head:], form.Width) {
			sheets[at].add(row)
		}
	}
	if len(sheets) > 1 && form.Mixed != nil && !slices.ContainsFunc(sheets, func(sh *sheet) bool { return sh.counted != sheets[0].counted }) {
		return mixed(sheets)
	}
	for _, sh := range sheets {
		steps = append(steps, sh.steps()...)
	}
	return steps
}

// mixed writes the rows of several heads in common statements, each row with its head.
func mixed(sheets []*sheet) []*engine.Step {
	all := &sheet{form: sheets[0].form, counted: sheets[0].counted, mixed: true}
	for wave, left := 0, true; left; wave++ {
		var rows [][]any
		for _, sh := range sheets {
			if wave < len(sh.waves) {
				for _, row := range sh.waves[wave] {
					rows = append(rows, slices.Concat(sh.head, row))
				}
			}
		}
		if left = len(rows) > 0; left {
			all.waves = append(all.waves, rows)
		}
	}
	return all.steps()
}

// sheet gathers the rows of a form that have one head.
type sheet struct {
	form    *engine.Form
	head    []any
	counted bool // each row must be touched
	mixed   bool // each row begins with a head of its own
	waves   [][][]any
	seen    map[rowKey]seen
}

// rowKey is what a row's key columns hold; seen is where such a row stands, and how many waves have one.
type (
	rowKey [5]any
	seen   struct{ waves, at int }
)

// add takes a row into the first wave that has none of its key, or adds it up.
func (sh *sheet) add(row []any) {
	wave := 0
	if len(sh.form.Key) > 0 {
		var key rowKey
		for i, column := range sh.form.Key {
			key[i] = row[column]
		}
		known := sh.seen[key]
		if known.waves > 0 && len(sh.form.Sum) > 0 {
			sh.sum(known.at, row)
			return
		}
		wave = known.waves
		known.waves++
		if wave < len(sh.waves) {
			known.at = len(sh.waves[wave])
		}
		sh.seen[key] = known
	}
	if wave == len(sh.waves) {
		sh.waves = append(sh.waves, nil)
	}
	sh.waves[wave] = append(sh.waves[wave], row)
}

// sum adds a row to one of the first wave.
func (sh *sheet) sum(at int, row []any) {
	total := slices.Clone(sh.waves[0][at])
	for _, column := range sh.form.Sum {
		total[column] = total[column].(int64) + row[column].(int64)
	}
	sh.waves[0][at] = total
}

func (sh *sheet) steps() (steps []*engine.Step) {
	for _, wave := range sh.waves {
		for piece := range engine.Pieces(wave) {
			s := &engine.Step{Want: -1, Args: slices.Concat(append([][]any{sh.head}, piece...)...)}
			if s.SQL = sh.form.Text(len(piece)); sh.mixed {
				s.SQL = sh.form.MixedText(len(piece))
			}
			if sh.counted {
				s.Rows(int64(len(piece)), nil)
			}
			steps = append(steps, s)
		}
	}
	return steps
}
