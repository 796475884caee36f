package postgres

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"entrepot/internal/db/engine"
)

// inOrder merges what the members of a group write such that it takes locks in the order of all locks (decision 26): first the locks that
// transactions share, then what each writes before the clock, lane by lane, then the clock, once for all of them, and what is behind it.
// A member that gives stamps by statements that are no forms comes last, with a turn of the clock of its own.
func inOrder(group [][]*engine.Step) []*engine.Step {
	if len(group) == 1 {
		return group[0]
	}
	var shared, apart []*engine.Step
	var before, behind lanes
	var clock *engine.Tick
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
			if clock == nil {
				clock = &engine.Tick{Tenant: last[0].Clock.Tenant, Now: last[0].Clock.Now}
			}
			lane = -1
			for _, s := range last[1:] {
				lane = behind.add(lane, later(s, clock.Length))
			}
			clock.Length += last[0].Clock.Length
		}
	}
	slices.SortFunc(shared, func(a, b *engine.Step) int { return cmp.Compare(a.Share.Number, b.Share.Number) })
	shared = slices.CompactFunc(shared, func(a, b *engine.Step) bool { return *a.Share == *b.Share })
	before.sort()
	steps := append(shared, before.steps()...)
	if clock != nil {
		steps = append(append(steps, &engine.Step{Want: -1, Clock: clock}), behind.steps()...)
	}
	return append(steps, apart...)
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

// sort orders the steps of each lane by the record that they name: $2, or the first column of a form's first row.
func (l lanes) sort() {
	for _, lane := range l {
		slices.SortStableFunc(lane, func(a, b *engine.Step) int { return strings.Compare(named(a), named(b)) })
	}
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
	for _, sh := range sheets {
		steps = append(steps, sh.steps()...)
	}
	return steps
}

// sheet gathers the rows of a form that have one head.
type sheet struct {
	form    *engine.Form
	head    []any
	counted bool // each row must be touched
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
			s := &engine.Step{SQL: sh.form.Text(len(piece)), Want: -1, Args: slices.Concat(append([][]any{sh.head}, piece...)...)}
			if sh.counted {
				s.Rows(int64(len(piece)), nil)
			}
			steps = append(steps, s)
		}
	}
	return steps
}
