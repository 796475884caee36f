package dashboard

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/importer"
	"entrepot/internal/importer/fileimport"
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

// manyColumns is how many columns may stand between what a check has found and the end of the page.
const manyColumns = 10

// searchedLines is how many lines about rows a page searches for rows that are stored without something.
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
		// a list's lines that are not refused are the values before, those of tracking numbers the orders that have them already
		if !r.files().isList() && p.i.Kind != imports.Shipments {
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
	Sure        *ask      // instead of Run, where prices jump
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
	RefusedRows string // address of the file of refused rows, "" if there are no rows
	Report      string
	Left        string // columns that are left out
}

// showImport serves GET /products/import/{id}.
func (d *Dashboard) showImport(r *request) (answer, error) {
	p, err := d.importPage(r)
	if err != nil {
		return answer{}, err
	}
	counts, _, err := importer.ReadProgress([]byte(p.i.Progress))
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
	return show(screen{Template: "import", Title: k.title(r), Section: k.section,
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
		row := columnRow{Name: r.columnName(c, n), Samples: samplesOf(c), Field: r.files().called(c.Field)}
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
	if g := r.format.gauge(p.job.Processed, max(p.job.Total, p.job.Processed), "%s rows of %s"); g.Max > 0 {
		v.Gauge = &g
	}
	if left := r.format.timeLeft(p.job, r.format.now.UnixMicro()); left != "" {
		v.Under = left + ". " + under
	}
	if p.i.Stop {
		v.Under = "It stops after the rows in hand."
	} else if may {
		v.Stop = &formButton{Form: r.form(p.path("/stop")), Label: "Stop"}
	}
}

// outcome shows the results of an import so far.
func (v *importView) outcome(r *request, i imports.Import, c importer.Counts) {
	f := r.format
	if i.Kind == imports.Orders {
		v.Figures = orderOutcome(f, c)
		return
	}
	if i.Kind == imports.Shipments {
		v.Figures = []figure{countFigure(f, c.Created, "order shipped", "orders shipped"), {f.Count(int64(c.Existing)), "already shipped", false},
			refusedFigure(f, c)}
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

// ended shows an import on which no job works, with what it has changed, as the dry run saw it: a wrong file is set
// right by that.
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
		v.See = &crumb{r.say("See the %s", strings.ToLower(r.files().label)), r.files().section}
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
		v.NotesMore = r.say("The first %s; the report has all.", r.format.Count(shownLines))
	}
	v.Report = prefix + p.path("/report")
	if len(p.lines) == 0 {
		return
	}
	if p.found.Delimiter != "" && p.found.Sheet == "" {
		v.RefusedRows = prefix + p.path("/refused")
	}
	if len(p.lines) == shownLines {
		v.RefusedMore = r.say("The first %s; the file to download has all.", r.format.Count(shownLines))
	}
}

// formatNames are how people call what a file was exported by.
var formatNames = map[string]string{"shopify": "export of Shopify", "woocommerce": "export of WooCommerce", "magento": "export of Magento",
	"prestashop": "export of PrestaShop", "jsonl": "JSON lines", "json": "JSON", "xlsx": "Excel workbook"}

// encodingNames likewise of what letters are written in.
var encodingNames = map[string]string{"utf-8": "UTF-8", "utf-16le": "UTF-16", "utf-16be": "UTF-16", "windows-1252": "Windows-1252"}

var delimiterNames = map[string]string{"\t": "tabs", ";": "“;”", ",": "“,”", "|": "“|”"}

// fileWords describes what was detected of a file.
func (r *request) fileWords(p importPage) string {
	words := []string{r.bytes(p.i.Size)}
	if p.found.Rows > 0 {
		words = append(words, r.format.plural(int64(p.found.Rows), "row", "rows"))
	}
	words = append(words, r.format.plural(int64(len(p.found.Columns)), "column", "columns"))
	if name := formatNames[p.found.Format]; name != "" {
		words = append(words, name)
	}
	if p.found.Sheet != "" {
		words = append(words, r.say("sheet “%s”", p.found.Sheet))
	} else if name := encodingNames[p.found.Encoding]; name != "" {
		words = append(words, name)
	} else if p.found.Encoding != "" {
		words = append(words, strings.ToUpper(p.found.Encoding))
	}
	if p.found.Delimiter != "" {
		name := delimiterNames[p.found.Delimiter]
		if name == "" {
			name = "“" + p.found.Delimiter + "”"
		}
		words = append(words, r.say("cells separated by %s", name))
	}
	text := strings.Join(words, ", ")
	if p.found.Decimals != "" {
		text += ". " + r.format.words.Rule(p.found.Decimals)
	}
	return text
}

// bytes is a size in words.
func (r *request) bytes(n int64) string {
	switch {
	case n < 1<<10:
		return r.format.plural(n, "byte", "bytes")
	case n < 1<<20:
		return r.say("%s KB", r.format.Count((n+512)>>10))
	}
	return r.say("%s MB", r.format.plain(strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64)))
}

// timeLeft is the estimated remaining time of a job at its speed so far; "" if unknown. The job's cursor has the row
// at which it began.
func (f format) timeLeft(j jobs.Job, now int64) string {
	from, err := strconv.ParseInt(j.Cursor, 10, 64)
	done, took := j.Processed-from, time.Duration(now-j.StartedAt)*time.Microsecond
	if err != nil || done <= 0 || j.StartedAt == 0 || j.Total <= j.Processed || took <= 0 {
		return ""
	}
	left := time.Duration(float64(took) * float64(j.Total-j.Processed) / float64(done))
	switch seconds := left.Seconds(); {
	case seconds < 60:
		return f.say("About %d s left", max(1, int(math.Ceil(seconds))))
	case seconds < 5400:
		return f.say("About %d min left", int(math.Round(seconds/60)))
	default:
		return f.say("About %d h left", int(math.Round(seconds/3600)))
	}
}
