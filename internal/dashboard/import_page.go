package dashboard

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"entrepot/internal/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/fileimport"
	"entrepot/internal/id"
	"entrepot/internal/importer"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
)

// importPage is the data of a page about one import.
type importPage struct {
	i       imports.Import
	options fileimport.Options
	found   importer.Found
	places  []channels.Channel
	job     jobs.Job       // the last that worked on it, zero for none
	lines   []imports.Line // the first refused rows
	notes   []imports.Line // the first rows that are stored without something
}

// shownLines is how many refused rows a page shows; the file to download has all.
const shownLines = 20

// shownDiffs is how many changes a page shows at once: enough to see that columns were read as they are meant.
const shownDiffs = 8

// manyColumns is how many columns may stand between what a check has found and the end of the page.
const manyColumns = 10

// searchedLines is how many lines about rows a page searches for those that are stored without something.
const searchedLines = 1000

// importPage reads the import of the path. Errors: NotFound.
func (d *Dashboard) importPage(r *request) (p importPage, err error) {
	which, err := pathID[id.Import](r, "import")
	if err != nil {
		return p, err
	}
	err = r.read(func(tx *db.Tx) (err error) {
		if p.i, err = imports.ByID(tx, which); err != nil {
			return err
		}
		if p.i.Kind != r.files().kind {
			return apperr.Missing("import")
		}
		if p.places, _, err = channels.List(tx, maxChoices, 0); err != nil {
			return err
		}
		if p.lines, err = imports.Lines(tx, which, p.dry(), true, -1, shownLines); err != nil {
			return err
		}
		if !r.files().isList() { // a list's lines that are not refused are the values before
			if p.notes, err = imports.Lines(tx, which, p.dry(), false, -1, searchedLines); err != nil {
				return err
			}
			p.notes = slices.DeleteFunc(p.notes, func(l imports.Line) bool { return l.Refused })
			p.notes = p.notes[:min(len(p.notes), shownLines)]
		}
		if p.i.Job == "" {
			return nil
		}
		p.job, err = jobs.ByID(tx, p.i.Job)
		return ignoreMissing(err)
	})
	if err == nil {
		p.options, err = fileimport.ReadOptions(p.i)
	}
	if err == nil {
		p.found, err = fileimport.ReadFound(p.i)
	}
	return p, err
}

// dry reports whether the results are those of the dry run.
func (p importPage) dry() bool {
	return p.i.Stage == imports.New || p.i.Stage == imports.Checking || p.i.Stage == imports.Checked
}

func (p importPage) form(r *request) *form { return importForm(r, p.i, p.options, p.found, p.places) }

func (p importPage) path(rest string) string { return kindOf(p.i).path + "/" + string(p.i.ID) + rest }

// figure is a number with what it counts.
type figure struct {
	Number, Label string
	Bad           bool
}

// lineRow is a row of the file that was refused, or stored without something.
type lineRow struct{ Line, SKU, Field, Why string }

// diffRow is what would change in one product.
type diffRow struct {
	SKU     string
	Percent string // of a price that jumps
	Changes []change
}

// importView is what templates/import.html shows.
type importView struct {
	Another string // address where another file is uploaded
	Item    string // what the refused rows are named by
	Other   string // address of the page for price lists, if the file may be one
	Badge   badge
	Steps   []step
	Name    string
	File    string // what is known of it, in words
	Notice  *callout
	Columns []columnRow
	Choices *form // nil where nothing can be chosen any more
	More    []*field
	Become  []*field // what becomes of the orders
	Fold    bool     // the columns are folded

	Head, Under string // of the card that says how far it is
	Ended       stamp  // after Under, empty for none
	Gauge       *gauge
	Figures     []figure
	Run, Stop   *formButton
	Sure        *ask      // in place of Run, where prices jump
	Jumps       []diffRow // these prices
	JumpWords   string
	Drop        *ask
	See         *crumb
	Diffs       []diffRow
	MoreDiffs   []diffRow // those that are folded
	DiffWords   string
	Before      string // address of the file of the values before, "" for none
	New         []string
	Orders      []newOrder // the first ones
	NewWords    string
	Refused     []lineRow
	RefusedMore string
	Notes       []lineRow // rows that are stored, but not whole
	NotesMore   string
	Mend        string // address of the file of refused rows, "" if there are no rows
	Report      string
	Left        string // columns that are left out
}

// showImport serves GET /products/import/{id}.
func (d *Dashboard) showImport(r *request) (answer, error) {
	p, err := d.importPage(r)
	if err != nil {
		return answer{}, err
	}
	counts, _, err := importer.Kept([]byte(p.i.Progress))
	if err != nil {
		return answer{}, err
	}
	k := r.files()
	view := importView{Another: r.page(k.path, k.path), Item: k.item, Name: p.i.Name, Badge: importBadge(p.i, counts),
		Steps: importSteps(p.i.Stage), File: r.fileWords(p)}
	may := r.caller().May("write:" + k.scope)
	view.columns(r, p, may)
	switch p.i.Stage {
	case imports.New:
		view.Notice = newNotice(p)
		if k == productFiles && p.found.Problem != "" && p.likePrices() {
			view.Other = prefix + priceImportsPath
		}
	case imports.Checking:
		view.progress(r, p, "Checking the file", "Nothing is stored yet.", may)
	case imports.Checked:
		err = view.checked(r, p, may)
	case imports.Running:
		view.progress(r, p, "Importing", "You can leave this page: the import goes on, also after a restart.", may)
		view.outcome(r, p.i, counts)
	default:
		view.ended(r, p, counts, may)
	}
	if p.i.Stage != imports.New { // what an earlier check found is of other columns
		view.refused(r, p)
	}
	if may && !p.i.UnderWay() {
		gone := newAsk("discard-import", "Delete this file?", "What it has stored stays. The list of its refused rows goes with it.",
			"Delete the file", r.form(p.path("/discard")))
		view.Drop = &gone
	}
	return show(screen{Template: "import", Title: k.title(), Section: k.section,
		Crumbs: []crumb{{k.label, k.section}, {"Import", strings.TrimPrefix(view.Another, prefix)}, {p.i.Name, ""}}, Data: view}), err
}

// samplesOf are cells of a column; what separates the elements of a list in one cannot be seen.
func samplesOf(c importer.Column) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ';'
		}
		return r
	}, strings.Join(c.Samples, " · "))
}

// newNotice says what must be chosen before the dry run, or why the last one failed; nil for nothing.
func newNotice(p importPage) *callout {
	switch {
	case p.found.Problem != "":
		c := newCallout("warn", "Something has to be chosen", sentence(p.found.Problem)+".")
		return &c
	case p.i.Failure != "":
		c := newCallout("bad", "The file could not be checked", sentence(p.i.Failure)+".")
		return &c
	case slices.ContainsFunc(p.found.Columns, func(c importer.Column) bool { return c.Guessed }) || len(p.options.Columns) > 0:
		c := newCallout("", "Look at the columns", "Some were taken for a field because of what they are called. Guesses are marked.")
		return &c
	}
	return nil
}

// likePrices reports whether the file lacks names but has prices, so that it may be a price list.
func (p importPage) likePrices() bool {
	has := func(field string) bool {
		return slices.ContainsFunc(p.found.Columns, func(c importer.Column) bool { return c.Field == field })
	}
	return has("sku") && has("price") && !has("name")
}

// columns shows how each column is imported, with options if they can still be changed.
func (v *importView) columns(r *request, p importPage, may bool) {
	chosen := may && (p.i.Stage == imports.New || p.i.Stage == imports.Checked)
	if chosen {
		v.Choices = p.form(r)
		v.More = v.Choices.Fields[len(p.found.Columns):]
		if at := slices.IndexFunc(v.More, func(f *field) bool { return f.Name == "status" }); at >= 0 {
			v.More, v.Become = v.More[:at], v.More[at:]
		}
	}
	for n, c := range p.found.Columns {
		row := columnRow{Name: columnName(c, n), Samples: samplesOf(c), Field: r.files().called(c.Field)}
		if chosen && c.Name != "" {
			row.Choice = v.Choices.Fields[n]
			row.Guessed = p.i.Stage == imports.New && c.Field != "" && p.options.Columns[c.Name] == c.Field
		}
		if len(c.Samples) == 0 {
			row.Samples = "blank"
		}
		v.Columns = append(v.Columns, row)
	}
}

// progress shows how far a job is.
func (v *importView) progress(r *request, p importPage, head, under string, may bool) {
	v.Head, v.Under = head, under
	if g := r.format.gauge(p.job.Processed, max(p.job.Total, p.job.Processed), "rows of"); g.Max > 0 {
		v.Gauge = &g
	}
	if left := timeLeft(p.job, r.format.now.UnixMicro()); left != "" {
		v.Under = left + ". " + under
	}
	if p.i.Stop {
		v.Under = "It stops after the rows in hand."
	} else if may {
		v.Stop = &formButton{Form: r.form(p.path("/stop")), Label: "Stop"}
	}
}

// checked shows the result of the dry run.
func (v *importView) checked(r *request, p importPage, may bool) error {
	var c fileimport.Checked
	if err := json.Unmarshal([]byte(p.i.Checked), &c); err != nil {
		return err
	}
	f := r.format
	v.Head, v.Under = "What would happen", "Nothing is stored yet."
	v.Fold = len(v.Columns) > manyColumns
	v.Figures = []figure{countFigure(f, c.Created, "new product", "new products"), {f.Count(int64(c.Updated)), "changed", false},
		{f.Count(int64(c.Unchanged)), "the same already", false}, refusedFigure(f, c.Counts)}
	switch k := r.files(); {
	case k == orderFiles:
		v.orderFigures(r, c)
	case k.isList():
		v.Figures = v.Figures[1:]
	}
	n := c.Created + c.Updated + c.Moved
	if may && n > 0 {
		v.Run = &formButton{Form: r.form(p.path("/run")), Label: "Import " + f.plural(int64(n), r.files().one, r.files().many), Tone: "primary"}
	}
	if n == 0 {
		notice := newCallout("", "There is nothing to import", "No row of the file would create or change "+r.files().row+".")
		v.Notice = &notice
	}
	if len(c.Warehouses) > 0 {
		notice := newCallout("warn", "New warehouses", "The list names warehouses that do not exist: "+strings.Join(c.Warehouses, ", ")+
			". The import creates them; if a code is wrong, correct the file first.")
		v.Notice = &notice
	}
	v.diffs(r, p, c)
	v.jumps(r, p, c)
	for _, d := range c.New {
		v.New = append(v.New, d.SKU+" "+d.Name)
	}
	if c.Created > len(c.New) && p.i.Kind == imports.Products {
		v.NewWords = "The first " + f.Count(int64(len(c.New))) + " of " + f.Count(int64(c.Created)) + "."
	}
	v.Left = strings.Join(c.NotImported, ", ")
	return nil
}

// jumps shows the prices that would change by more than half, the largest first, and asks before these are imported.
func (v *importView) jumps(r *request, p importPage, c fileimport.Checked) {
	if c.Jumps == 0 {
		return
	}
	f := r.format
	words := f.plural(int64(c.Jumps), "price changes by more than half", "prices change by more than half")
	notice := newCallout("bad", words, "If a column, its decimals or its currency were misread, choose them below and check again.")
	v.Notice = &notice
	for _, d := range c.Jumped {
		v.Jumps = append(v.Jumps, diffRow{SKU: d.SKU, Percent: signedPercent(f, d.Percent), Changes: r.diffWords(d)})
	}
	if c.Jumps > len(c.Jumped) {
		v.JumpWords = "The largest " + f.Count(int64(len(c.Jumped))) + " of " + f.Count(int64(c.Jumps)) + "."
	}
	if v.Run != nil {
		sure := newAsk("accept-jumps", "Import prices that change by more than half?", words+". Look at them first: the largest stand on top.",
			v.Run.Label+", "+words, r.form(p.path("/run"), hiddenField("jumps", strconv.Itoa(c.Jumps))))
		sure.Close = "Not yet"
		v.Sure, v.Run = &sure, nil
	}
}

// signedPercent is a change in percent: +900 %.
func signedPercent(f format, percent int64) string {
	if percent < 0 {
		return "−" + f.Count(-percent) + " %"
	}
	return "+" + f.Count(percent) + " %"
}

// diffs shows the first products that a dry run has found to change, with their values before.
func (v *importView) diffs(r *request, p importPage, c fileimport.Checked) {
	for _, d := range c.Changed {
		v.Diffs = append(v.Diffs, diffRow{SKU: d.SKU, Changes: r.diffWords(d)})
	}
	if len(v.Diffs) > shownDiffs+1 {
		v.Diffs, v.MoreDiffs = v.Diffs[:shownDiffs], v.Diffs[shownDiffs:]
	}
	if c.Before > 0 {
		v.Before = prefix + p.path("/before")
	}
	if c.Updated > len(c.Changed) {
		v.DiffWords = "The first " + r.format.Count(int64(len(c.Changed))) + " of " + r.format.Count(int64(c.Updated)) + ". "
	}
	v.DiffWords += r.moveWords(c.Prices)
}

// moveWords says how many prices rise and fall, and by how much at most; "" if none does.
func (r *request) moveWords(m fileimport.Moves) string {
	var parts []string
	for _, move := range []struct {
		count     int
		most      int64
		one, many string
	}{{m.Rise, m.MostRise, "price rises", "prices rise"}, {m.Fall, m.MostFall, "price falls", "prices fall"}} {
		if move.count == 0 {
			continue
		}
		words := r.format.plural(int64(move.count), move.one, move.many)
		switch {
		case move.most == 0:
		case move.count == 1:
			words += ", by " + r.format.Count(move.most) + " %"
		default:
			words += ", by " + r.format.Count(move.most) + " % at most"
		}
		parts = append(parts, words)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

// outcome shows the results of an import so far.
func (v *importView) outcome(r *request, i imports.Import, c importer.Counts) {
	f := r.format
	if i.Kind == imports.Orders {
		v.Figures = orderOutcome(f, c)
		return
	}
	v.Figures = []figure{{f.Count(int64(c.Created)), "created", false}, {f.Count(int64(c.Updated)), "updated", false},
		notesFigure(f, c), refusedFigure(f, c)}
	if kindOf(i).isList() {
		v.Figures = v.Figures[1:]
	}
}

// countFigure is a number with what it counts, of one and of several.
func countFigure(f format, n int, one, many string) figure {
	if n == 1 {
		many = one
	}
	return figure{Number: f.Count(int64(n)), Label: many}
}

// lineTable is a table of rows of the file, with the id of its head.
type lineTable struct {
	Head, Item string
	Rows       []lineRow
}

// Lines is the table of some rows.
func (v importView) Lines(head string, rows []lineRow) lineTable {
	return lineTable{head, v.Item, rows}
}

func notesFigure(f format, c importer.Counts) figure { return countFigure(f, c.Notes, "note", "notes") }

func refusedFigure(f format, c importer.Counts) figure {
	refused := countFigure(f, c.RowsRefused, "row refused", "rows refused")
	refused.Bad = c.RowsRefused > 0
	return refused
}

// ended shows an import on which no job works, with what it has changed, as the dry run saw it: a wrong file is set right by that.
func (v *importView) ended(r *request, p importPage, c importer.Counts, may bool) {
	v.outcome(r, p.i, c)
	var checked fileimport.Checked
	if json.Unmarshal([]byte(p.i.Checked), &checked) == nil { // "" after an erasure
		v.diffs(r, p, checked)
	}
	switch p.i.Stage {
	case imports.Stopped:
		v.Head, v.Under = "Stopped", "What was stored stays; the rest can follow."
	case imports.Broken:
		v.Head = "Failed"
		notice := newCallout("bad", "The import could not go on", sentence(p.i.Failure)+".")
		v.Notice = &notice
	default:
		v.Head, v.Under, v.Ended = "Imported", "Ended", r.format.Stamp(p.job.CompletedAt)
		v.See = &crumb{"See the " + strings.ToLower(r.files().label), r.files().section}
		return
	}
	if may {
		v.Run = &formButton{Form: r.form(p.path("/run")), Label: "Go on", Tone: "primary"}
	}
}

// lineRow is what was said of a row.
func (r *request) lineRow(l imports.Line) lineRow {
	row := lineRow{SKU: l.Item, Field: r.files().called(l.Field), Why: restated(l.Message)}
	if row.Field == "" || l.Field == "" {
		row.Field = l.Field
	}
	if row.Line = r.format.Count(l.Line); l.Line == 0 {
		row.Line = r.format.Count(l.Row)
	}
	return row
}

// refused shows the first refused rows and the first that are not stored whole, and where all of them are.
func (v *importView) refused(r *request, p importPage) {
	for _, l := range p.lines {
		v.Refused = append(v.Refused, r.lineRow(l))
	}
	for _, l := range p.notes {
		v.Notes = append(v.Notes, r.lineRow(l))
	}
	if len(p.notes) == shownLines {
		v.NotesMore = "The first " + r.format.Count(shownLines) + "; the report has all."
	}
	v.Report = prefix + p.path("/report")
	if len(p.lines) == 0 {
		return
	}
	if p.found.Delimiter != "" {
		v.Mend = prefix + p.path("/refused")
	}
	if len(p.lines) == shownLines {
		v.RefusedMore = "The first " + r.format.Count(shownLines) + "; the file to download has all."
	}
}
