package dashboard

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/importer"
	"entrepot/internal/importer/fileimport"
	"entrepot/internal/imports"
	"entrepot/internal/orders"
)

// columnRow is a column of the file on the page.
type columnRow struct {
	Name, Samples, Field string
	Choice               *field
	Guessed              bool
}

// importForm is the form with all options of a file.
func importForm(r *request, i imports.Import, o fileimport.Options, found importer.Found, places []channels.Channel) *form {
	var fields []field
	k := kindOf(i)
	for n, c := range found.Columns {
		choices := k.options()
		fields = append(fields, field{Name: "c" + strconv.Itoa(n), Label: r.say("Field for %s", r.columnName(c, n)), Kind: "select",
			Value: k.choice(c.Field), Options: choices})
	}
	fields = append(fields, r.readingFields(k, o, found)...)
	switch i.Kind {
	case imports.Orders:
		fields = append(fields, dateField(o))
		fields = append(fields, orderChoices(r, o, places)...)
	case imports.Shipments:
		fields = append(fields, dateField(o))
	case imports.Products:
		fields = append(fields, productChoices(o, places)...)
	}
	return r.form(k.path+"/"+string(i.ID)+"/check", fields...)
}

// options are the fields that a column can be imported as.
func (k *fileKind) options() []option {
	list := []option{{Value: "", Label: k.fields[""]}}
	for _, name := range k.names {
		for _, known := range addressParts {
			if name == "shippingAddress." {
				list = append(list, option{Value: name + known, Label: k.fields[name+known]})
			}
		}
		list = append(list, option{Value: name, Label: k.fields[name]})
	}
	return list
}

// addressParts are the parts of a shipping address that have options of their own.
var addressParts = []string{"line1", "line2", "postalCode", "city", "state", "country"}

// readingFields are the options about the form of a file.
func (r *request) readingFields(k *fileKind, o fileimport.Options, found importer.Found) []field {
	fields := []field{
		{Name: "decimal", Label: "Decimals begin with", Kind: "select", Value: o.Decimal, Options: []option{
			{Value: "", Label: "what the file shows"}, {Value: "comma", Label: "a comma: 1.050 is a thousand and fifty"},
			{Value: "point", Label: "a point: 1,050 is a thousand and fifty"}}},
	}
	if len(found.Sheets) > 1 {
		fields = slices.Insert(fields, 0, sheetField(o, found))
	}
	if found.Sheet == "" {
		fields = append(fields, writingFields(o)...)
	}
	return append(fields,
		field{Name: "headerRow", Label: "Names of columns are in", Kind: "select", Value: lineValue(o.HeaderRow), Options: r.headerLines()},
		field{Name: "noHeader", Label: r.say("The first line is %s, not names of columns", k.row), Kind: "checkbox", Value: ticked(o.NoHeader)})
}

// sheetField is the choice of the sheet of a workbook.
func sheetField(o fileimport.Options, found importer.Found) field {
	list := []option{{Value: "", Label: "choose one"}}
	for _, name := range found.Sheets {
		list = append(list, option{Value: name, Label: name})
	}
	return field{Name: "sheet", Label: "Sheet", Kind: "select", Value: o.Sheet, Options: list}
}

// writingFields are the options about the text of a file.
func writingFields(o fileimport.Options) []field {
	return []field{
		{Name: "delimiter", Label: "Cells are separated by", Kind: "select", Value: o.Delimiter, Options: []option{
			{Value: "", Label: "what the file shows"}, {Value: "comma", Label: "commas"}, {Value: "semicolon", Label: "semicolons"},
			{Value: "tab", Label: "tabs"}, {Value: "pipe", Label: "upright lines |"}}},
		{Name: "encoding", Label: "Letters are written in", Kind: "select", Value: o.Encoding, Options: []option{
			{Value: "", Label: "what the file shows"}, {Value: "utf-8", Label: "UTF-8"},
			{Value: "windows-1252", Label: "Windows-1252, Western Europe"},
			{Value: "windows-1250", Label: "Windows-1250, Central Europe"}, {Value: "windows-1251", Label: "Windows-1251, Cyrillic"},
			{Value: "gbk", Label: "GBK, Chinese"}, {Value: "big5", Label: "Big5, Chinese"}, {Value: "shift_jis", Label: "Shift JIS, Japanese"},
			{Value: "euc-kr", Label: "EUC-KR, Korean"}, {Value: "iso-8859-15", Label: "ISO 8859-15"}, {Value: "utf-16", Label: "UTF-16"}}},
	}
}

// headerLines is how many lines of a file may have the names of its columns.
const headerLines = 20

// headerLines are the choices of the line with the names of the columns.
func (r *request) headerLines() []option {
	list := []option{{Value: "", Label: "the line that the file shows"}}
	for n := 1; n <= headerLines; n++ {
		list = append(list, option{Value: strconv.Itoa(n), Label: r.say("line %d", n)})
	}
	return list
}

// lineValue is the value of a choice of lines; 0 is what the file shows.
func lineValue(line int) string {
	if line == 0 {
		return ""
	}
	return strconv.Itoa(line)
}

// ticked is the value of a checkbox.
func ticked(yes bool) string {
	if yes {
		return "true"
	}
	return ""
}

// productChoices are the options that only products have.
func productChoices(o fileimport.Options, places []channels.Channel) []field {
	return []field{
		{Name: "duplicates", Label: "Rows with the same SKU", Kind: "select", Value: o.Duplicates, Options: []option{
			{Value: "", Label: "the first counts"}, {Value: "last", Label: "the last counts"},
			{Value: "merge", Label: "later ones fill what is blank"}}},
		{Name: "imageBase", Label: "Address before images that have none", Value: o.ImageBase, Placeholder: "https://shop.example/media",
			Max: 500},
		{Name: "channel", Label: "Publish on", Kind: "select", Value: string(o.Channel), Options: channelOptions("nowhere", places)},
	}
}

// dateField is the option of how dates are read.
func dateField(o fileimport.Options) field {
	return field{Name: "dateOrder", Label: "In dates such as 02/03/2026", Kind: "select", Value: o.DateOrder, Options: []option{
		{Value: "", Label: "what the file shows"}, {Value: "dmy", Label: "the day comes first"}, {Value: "mdy", Label: "the month comes first"}}}
}

// orderChoices are the options of what becomes of the orders.
func orderChoices(r *request, o fileimport.Options, places []channels.Channel) []field {
	statuses := []option{{Value: "", Label: "Pending: they reserve stock"}}
	for _, s := range orders.Statuses[1:] {
		statuses = append(statuses, option{Value: string(s), Label: statusWords[s].Word})
	}
	return []field{
		{Name: "status", Label: "Status of orders for which the file has none", Kind: "select", Value: o.Status, Options: statuses,
			Hint: "Shipped and delivered ones reduce what is on hand: import the history first and the stock after it"},
		{Name: "createMissing", Label: "Create products for SKUs that the catalog does not have", Kind: "checkbox",
			Value: ticked(o.CreateMissing), Hint: "Otherwise their orders are refused"},
		{Name: "currency", Label: "Currency of orders for which the file has none", Value: cmp.Or(o.Currency, r.caller().Currency), Max: 3},
		{Name: "creditNotes", Label: "Rows with a quantity below zero", Kind: "select", Value: o.CreditNotes, Options: []option{
			{Value: "", Label: "are returns"}, {Value: "cancel", Label: "are cancelled orders"}, {Value: "report", Label: "are refused"}}},
		{Name: "channel", Label: "Channel of the orders", Kind: "select", Value: string(o.Channel),
			Options: channelOptions("the first that is active", places)},
	}
}

func channelOptions(none string, places []channels.Channel) []option {
	list := []option{{Value: "", Label: none}}
	for _, c := range places {
		list = append(list, option{Value: string(c.ID), Label: c.Name})
	}
	return list
}

func (r *request) columnName(c importer.Column, n int) string {
	if c.Name == "" {
		return r.say("column %d", n+1)
	}
	return c.Name
}

// readChoices applies a form to the options. A column that was not changed stays as detected. Errors: Invalid for a
// field chosen for two columns.
func readChoices(r *request, k *fileKind, sent url.Values, o fileimport.Options, found importer.Found) (fileimport.Options, error) {
	next := fileimport.Options{Columns: map[string]string{}, Decimal: sent.Get("decimal"), Delimiter: sent.Get("delimiter"),
		Encoding: sent.Get("encoding"), Duplicates: sent.Get("duplicates"), NoHeader: sent.Get("noHeader") != "",
		ImageBase: strings.TrimSpace(sent.Get("imageBase")), Status: sent.Get("status"), DateOrder: sent.Get("dateOrder"),
		Currency: strings.ToUpper(strings.TrimSpace(sent.Get("currency"))), CreditNotes: sent.Get("creditNotes"),
		CreateMissing: sent.Get("createMissing") != "", TimeZone: o.TimeZone, Sheet: sent.Get("sheet")}
	if next.Sheet != "" && !slices.Contains(found.Sheets, next.Sheet) {
		return next, apperr.At("sheet", "is none of the workbook")
	}
	if next.Currency != "" && !money.KnownCurrency(next.Currency) {
		return next, apperr.At("currency", "is no currency: it has three letters, such as EUR")
	}
	if next.Status != "" && !slices.Contains(orders.Statuses, orders.Status(next.Status)) {
		return next, apperr.At("status", "is no status of an order")
	}
	if line := sent.Get("headerRow"); line != "" && !next.NoHeader {
		n, err := strconv.Atoi(line)
		if err != nil || n < 1 || n > headerLines {
			return next, apperr.At("headerRow", "is none of the first lines")
		}
		next.HeaderRow = n
	}
	if text := sent.Get("channel"); text != "" {
		channel, ok := id.Parse[id.Channel](text)
		if !ok {
			return next, apperr.At("channel", "is none of this account")
		}
		next.Channel = channel
	}
	if next.NoHeader != o.NoHeader || next.Sheet != o.Sheet || next.HeaderRow != o.HeaderRow || next.Delimiter != o.Delimiter || next.Encoding != o.Encoding {
		return next, nil // other columns: what was chosen means nothing for them
	}
	var wrong []apperr.Detail
	for n, c := range found.Columns {
		name := "c" + strconv.Itoa(n)
		choice := sent.Get(name)
		if !sent.Has(name) || c.Name == "" || choice == k.choice(c.Field) {
			if had, chosen := o.Columns[c.Name]; chosen {
				next.Columns[c.Name] = had
			}
			continue
		}
		if _, known := k.fields[choice]; !known {
			return next, apperr.At(name, "is no field of %s", k.row)
		}
		next.Columns[c.Name] = choice
		if other := r.sameField(sent, found, n, choice); other != "" {
			wrong = append(wrong, apperr.Detail{Path: name, Message: r.say("is %s, and so is %s", k.fields[choice], other)})
		}
	}
	if len(wrong) > 0 {
		return next, apperr.Validation(wrong)
	}
	return next, nil
}

// sameField is another column with the same field; "" if there is none, or the field accepts several.
func (r *request) sameField(sent url.Values, found importer.Found, column int, choice string) string {
	if choice == "" || strings.HasSuffix(choice, ".") {
		return ""
	}
	for n, c := range found.Columns {
		if n != column && sent.Get("c"+strconv.Itoa(n)) == choice {
			return r.columnName(c, n)
		}
	}
	return ""
}

// checkImport serves POST /products/import/{id}/check, and that of orders: it stores the options, and queues the dry
// run unless a choice is missing.
func (d *Dashboard) checkImport(r *request) (answer, error) {
	p, err := d.importPage(r)
	if err != nil {
		return answer{}, err
	}
	return r.submit(p.form(r), d.showImport, func(f *form) (answer, error) {
		if p.i.Stage != imports.New && p.i.Stage != imports.Checked {
			return answer{}, apperr.New(apperr.Conflict, "import_changed", "the import has gone on meanwhile")
		}
		options, err := readChoices(r, kindOf(p.i), f.sent, p.options, p.found)
		if err != nil {
			return answer{}, err
		}
		file, err := fileimport.Copy(r.http.Context(), d.DB, r.caller().Tenant, p.i.ID)
		if err != nil {
			return answer{}, err
		}
		defer file.Close()
		found, err := options.Look(r.http.Context(), p.i.Kind, file.Open, p.i.Name, len(options.Columns) == 0)
		if err != nil {
			return answer{}, err
		}
		for _, c := range found.Columns {
			if c.Guessed {
				options.Columns[c.Name] = c.Field
			}
		}
		i := p.i
		if err := fileimport.Put(&i, options, found); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			if found.Problem != "" {
				was := i.Stage
				next := i
				next.Stage, next.Checked, next.Failure = imports.New, "", ""
				next.Update(tx, was)
				return redirect(p.path(""), ""), nil
			}
			_, err := fileimport.Check(tx, r.caller(), i)
			return redirect(p.path(""), ""), err
		})
	})
}
