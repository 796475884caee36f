package dashboard

import (
	"net/url"
	"strconv"
	"strings"

	"entrepot/internal/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/fileimport"
	"entrepot/internal/id"
	"entrepot/internal/importer"
	"entrepot/internal/imports"
)

// importFields are what a column can be imported as.
var importFields = map[string]string{"": "not imported", "sku": "SKU", "name": "Name", "price": "Price", "salePrice": "Sale price",
	"compareAtPrice": "Price before, crossed out", "description": "Description", "status": "Status", "categoryIds": "Ids of categories",
	"categories": "Categories, several", "category": "Category", "images": "Images, by address", "stock.quantity": "Stock",
	"stock.warehouseCode": "Warehouse of the stock", "parent": "SKU of the product it is a variant of", "attributes.": "Attribute",
	"option.": "Option of a variant"}

// chosenField is the option of a field; for a family only its prefix.
func chosenField(name string) string {
	for _, family := range []string{"attributes.", "option."} {
		if strings.HasPrefix(name, family) {
			return family
		}
	}
	return name
}

// columnRow is a column of the file on the page.
type columnRow struct {
	Name, Samples, Field string
	Choice               *field
	Guessed              bool
}

// importForm is the form with all options of a file.
func importForm(r *request, i imports.Import, o fileimport.Options, found importer.Found, places []channels.Channel) *form {
	var fields []field
	for n, c := range found.Columns {
		choices := []option{{Value: "", Label: importFields[""]}}
		for _, name := range importer.ProductFields() {
			choices = append(choices, option{Value: name, Label: importFields[name]})
		}
		fields = append(fields, field{Name: "c" + strconv.Itoa(n), Label: "Field for " + columnName(c, n), Kind: "select",
			Value: chosenField(c.Field), Options: choices})
	}
	publish := []option{{Value: "", Label: "nowhere"}}
	for _, c := range places {
		publish = append(publish, option{Value: string(c.ID), Label: c.Name})
	}
	return r.form(importsPath+"/"+string(i.ID)+"/check", append(fields,
		field{Name: "decimal", Label: "Decimals begin with", Kind: "select", Value: o.Decimal, Options: []option{
			{Value: "", Label: "what the file shows"}, {Value: "comma", Label: "a comma: 1.050 is a thousand and fifty"},
			{Value: "point", Label: "a point: 1,050 is a thousand and fifty"}}},
		field{Name: "delimiter", Label: "Cells are separated by", Kind: "select", Value: o.Delimiter, Options: []option{
			{Value: "", Label: "what the file shows"}, {Value: "comma", Label: "commas"}, {Value: "semicolon", Label: "semicolons"},
			{Value: "tab", Label: "tabs"}, {Value: "pipe", Label: "upright lines |"}}},
		field{Name: "encoding", Label: "Letters are written in", Kind: "select", Value: o.Encoding, Options: []option{
			{Value: "", Label: "what the file shows"}, {Value: "utf-8", Label: "UTF-8"}, {Value: "windows-1252", Label: "Windows-1252"},
			{Value: "iso-8859-15", Label: "ISO 8859-15"}, {Value: "utf-16", Label: "UTF-16"}}},
		field{Name: "duplicates", Label: "Rows with the same SKU", Kind: "select", Value: o.Duplicates, Options: []option{
			{Value: "", Label: "the first counts"}, {Value: "last", Label: "the last counts"},
			{Value: "merge", Label: "later ones fill what is blank"}}},
		field{Name: "noHeader", Label: "The first line is a product, not names of columns", Kind: "checkbox", Value: strings.Repeat("true",
			map[bool]int{true: 1}[o.NoHeader])},
		field{Name: "imageBase", Label: "Address before images that have none", Value: o.ImageBase, Placeholder: "https://shop.example/media",
			Max: 500},
		field{Name: "channel", Label: "Publish on", Kind: "select", Value: string(o.Channel), Options: publish})...)
}

func columnName(c importer.Column, n int) string {
	if c.Name == "" {
		return "column " + strconv.Itoa(n+1)
	}
	return c.Name
}

// readChoices applies a form to the options. A column that was not changed stays as detected. Errors: Invalid for a
// field chosen for two columns.
func readChoices(sent url.Values, o fileimport.Options, found importer.Found) (fileimport.Options, error) {
	next := fileimport.Options{Columns: map[string]string{}, Decimal: sent.Get("decimal"), Delimiter: sent.Get("delimiter"),
		Encoding: sent.Get("encoding"), Duplicates: sent.Get("duplicates"), NoHeader: sent.Get("noHeader") != "",
		ImageBase: strings.TrimSpace(sent.Get("imageBase"))}
	if text := sent.Get("channel"); text != "" {
		channel, ok := id.Parse[id.Channel](text)
		if !ok {
			return next, apperr.At("channel", "is none of this account")
		}
		next.Channel = channel
	}
	if next.NoHeader != o.NoHeader || next.Delimiter != o.Delimiter {
		return next, nil // other columns: what was chosen means nothing for them
	}
	var wrong []apperr.Detail
	for n, c := range found.Columns {
		name := "c" + strconv.Itoa(n)
		choice := sent.Get(name)
		if !sent.Has(name) || c.Name == "" || choice == chosenField(c.Field) {
			if had, chosen := o.Columns[c.Name]; chosen {
				next.Columns[c.Name] = had
			}
			continue
		}
		if _, known := importFields[choice]; !known {
			return next, apperr.At(name, "is no field of a product")
		}
		next.Columns[c.Name] = choice
		if other := sameField(sent, found, n, choice); other != "" {
			wrong = append(wrong, apperr.Detail{Path: name, Message: "is " + importFields[choice] + ", and so is " + other})
		}
	}
	if len(wrong) > 0 {
		return next, apperr.Validation(wrong)
	}
	return next, nil
}

// sameField is another column with the same field; "" if there is none, or the field accepts several.
func sameField(sent url.Values, found importer.Found, column int, choice string) string {
	if choice == "" || strings.HasSuffix(choice, ".") {
		return ""
	}
	for n, c := range found.Columns {
		if n != column && sent.Get("c"+strconv.Itoa(n)) == choice {
			return columnName(c, n)
		}
	}
	return ""
}

// checkImport serves POST /products/import/{id}/check: it stores the options, and queues the dry run unless a choice
// is missing.
func (d *Dashboard) checkImport(r *request) (answer, error) {
	p, err := d.importPage(r)
	if err != nil {
		return answer{}, err
	}
	return r.submit(p.form(r), d.showImport, func(f *form) (answer, error) {
		if p.i.Stage != imports.New && p.i.Stage != imports.Checked {
			return answer{}, apperr.New(apperr.Conflict, "import_changed", "the import has gone on meanwhile")
		}
		options, err := readChoices(f.sent, p.options, p.found)
		if err != nil {
			return answer{}, err
		}
		path, remove, err := fileimport.Copy(r.http.Context(), d.DB, r.caller().Tenant, p.i.ID)
		if err != nil {
			return answer{}, err
		}
		defer remove()
		found, err := options.Look(r.http.Context(), path, p.i.Name, len(options.Columns) == 0)
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
				return redirect(importsPath+"/"+string(i.ID), ""), nil
			}
			_, err := fileimport.Check(tx, r.caller(), i)
			return redirect(importsPath+"/"+string(i.ID), ""), err
		})
	})
}
