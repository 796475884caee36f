package engine

import "slices"

// Sums adds up rows of forms that several transactions write, so that one row is written for each record. The zero Sums is empty.
type Sums struct {
	forms []*Form // in the order in which they came
	of    map[*Form]*summed
}

// summed are the rows of a form, each behind its head.
type summed struct {
	rows [][]any
	at   map[RowKey]int
}

// Sums reports whether rows of the form may be added up with those of other transactions, whatever their heads.
func (f *Form) Sums() bool { return len(f.Sum) > 0 && f.Mixed != nil }

// Add adds the rows of a step whose form has sums.
func (s *Sums) Add(step *Step) {
	f := step.Form
	of := s.of[f]
	if of == nil {
		if s.of == nil {
			s.of = map[*Form]*summed{}
		}
		of = &summed{at: map[RowKey]int{}}
		s.of[f], s.forms = of, append(s.forms, f)
	}
	head := step.Args[:f.Head]
	for row := range slices.Chunk(step.Args[f.Head:], f.Width) {
		key := f.KeyOf(head, row)
		if at, known := of.at[key]; known {
			f.AddUp(of.rows[at][f.Head:], row)
			continue
		}
		of.at[key] = len(of.rows)
		of.rows = append(of.rows, slices.Concat(head, row))
	}
}

// Empty reports whether there are no rows.
func (s *Sums) Empty() bool { return len(s.forms) == 0 }

// Steps are the writes of all rows. It forgets them.
func (s *Sums) Steps() (steps []*Step) {
	for _, f := range s.forms {
		for piece := range Pieces(s.of[f].rows) {
			steps = append(steps, &Step{SQL: f.MixedText(len(piece)), Args: slices.Concat(piece...), Want: -1})
		}
	}
	s.Clear()
	return steps
}

// Clear forgets all rows.
func (s *Sums) Clear() { *s = Sums{} }
