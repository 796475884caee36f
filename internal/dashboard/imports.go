package dashboard

import (
	"slices"

	"entrepot/internal/db"
	"entrepot/internal/importer"
	"entrepot/internal/importer/fileimport"
	"entrepot/internal/imports"
)

// importRoutes are imports of files: a file is uploaded, its columns are chosen, a dry run shows the result, and a job
// imports it.
var importRoutes = slices.Concat(importsOf(productFiles), importsOf(orderFiles), importsOf(priceFiles), importsOf(stockFiles),
	importsOf(shipmentFiles))

func importsOf(k *fileKind) []*route {
	read, write := "read:"+k.scope, "write:"+k.scope
	list := []*route{
		{method: "GET", path: k.path, scope: write, serve: (*Dashboard).startImport},
		{method: "POST", path: k.path, scope: write, most: uploadMost, serve: (*Dashboard).uploadImport},
		{method: "GET", path: k.path + "/{id}", scope: read, serve: (*Dashboard).showImport},
		{method: "POST", path: k.path + "/{id}/check", scope: write, serve: (*Dashboard).checkImport},
		{method: "POST", path: k.path + "/{id}/run", scope: write, serve: (*Dashboard).runImport},
		{method: "POST", path: k.path + "/{id}/stop", scope: write, serve: (*Dashboard).stopImport},
		{method: "POST", path: k.path + "/{id}/discard", scope: write, serve: (*Dashboard).discardImport},
		{method: "GET", path: k.path + "/{id}/refused", scope: read, file: true, serve: (*Dashboard).sendRefused},
		{method: "GET", path: k.path + "/{id}/report", scope: read, file: true, serve: (*Dashboard).sendReport},
	}
	if k.isList() {
		list = append(list, &route{method: "GET", path: k.path + "/{id}/before", scope: read, file: true, serve: (*Dashboard).sendBefore})
	}
	return list
}

// earlierImports is how many the first page shows.
const earlierImports = 20

// importRow is an import in the list.
type importRow struct {
	ID, Name, To, Words string
	Badge               badge
	At                  stamp
}

// importsView is what templates/imports.html shows.
type importsView struct {
	Form    *form
	About   string
	Other   string // address of the page for price lists, on that for products
	Steps   []step
	Earlier []importRow
}

func uploadForm(r *request) *form {
	known := "An Excel workbook (.xlsx), CSV with any separator and encoding, or JSON"
	if exports := r.files().exports; exports != "" {
		known = r.say("An Excel workbook (.xlsx), CSV with any separator and encoding, JSON, or %s", exports)
	}
	return r.form(r.files().path, field{Name: "file", Label: "Drop a file here, or choose one", Kind: "file",
		Hint: r.say("%s; also as .gz. At most %s MB",
			known, r.format.Count(fileimport.MaxFile>>20)), Placeholder: ".csv,.xlsx,.tsv,.txt,.json,.jsonl,.gz,text/csv,application/json"})
}

// startImport serves GET /products/import and /orders/import: a file is chosen, or an earlier import opened.
func (d *Dashboard) startImport(r *request) (answer, error) {
	view := importsView{Form: uploadForm(r), Steps: importSteps(imports.Uploading)}
	err := r.read(func(tx *db.Tx) error {
		list, err := imports.List(tx, r.files().kind, earlierImports)
		if err != nil {
			return err
		}
		for _, i := range list {
			row, err := r.importRow(i)
			if err != nil {
				return err
			}
			view.Earlier = append(view.Earlier, row)
		}
		return nil
	})
	k := r.files()
	view.About = k.about
	if k == productFiles {
		view.Other = prefix + priceImportsPath
	}
	return show(screen{Template: "imports", Title: k.title(r), Section: k.section,
		Crumbs: []crumb{{k.label, k.section}, {"Import", ""}}, Data: view}), err
}

func (r *request) importRow(i imports.Import) (importRow, error) {
	found, err := fileimport.ReadFound(i)
	if err != nil {
		return importRow{}, err
	}
	counts, _, err := importer.ReadProgress([]byte(i.Progress))
	row := importRow{ID: string(i.ID), Name: i.Name, To: importAddress(i), Badge: importBadge(i, counts),
		At: r.format.Stamp(i.CreatedAt)}
	switch {
	case i.Stage == imports.Done:
		row.Words = r.importOutcome(i, counts)
	case found.Rows > 0:
		row.Words = r.format.plural(int64(found.Rows), "row", "rows")
	}
	return row, err
}

// importOutcome describes the results of an import.
func (r *request) importOutcome(i imports.Import, c importer.Counts) string {
	words := r.say("%s created, %s updated", r.format.Count(int64(c.Created)), r.format.Count(int64(c.Updated)))
	switch k := kindOf(i); {
	case k == orderFiles:
		words = r.say("%s created, %s there already", r.format.Count(int64(c.Created)), r.format.Count(int64(c.Existing)))
	case k == shipmentFiles:
		words = r.say("%s shipped, %s already shipped", r.format.Count(int64(c.Created)), r.format.Count(int64(c.Existing)))
	case k.isList():
		words = r.say("%s stored", r.format.plural(int64(c.Updated), k.one, k.many))
	}
	if c.RowsRefused > 0 {
		words += r.say(", %s refused", r.format.plural(int64(c.RowsRefused), "row", "rows"))
	}
	return words
}

// importSteps are the steps from a file to its products.
func importSteps(at imports.Stage) []step {
	now := map[imports.Stage]int{imports.New: 1, imports.Checking: 2, imports.Checked: 2, imports.Running: 3, imports.Stopped: 3,
		imports.Broken: 3, imports.Done: 4}[at]
	steps := []step{{Label: "File"}, {Label: "Columns"}, {Label: "Check"}, {Label: "Import"}}
	for i := range steps {
		switch {
		case i < now:
			steps[i].State = "done"
		case i == now:
			steps[i].State = "at"
		}
	}
	return steps
}

func importBadge(i imports.Import, c importer.Counts) badge {
	switch i.Stage {
	case imports.Checking:
		return badge{"info", "processing", "Being checked"}
	case imports.Checked:
		return badge{"warn", "wait", "Checked, not imported"}
	case imports.Running:
		return badge{"info", "processing", "Running"}
	case imports.Stopped:
		return badge{"warn", "wait", "Stopped"}
	case imports.Broken:
		return badge{"bad", "fail", "Failed"}
	case imports.Done:
		if c.RowsRefused > 0 {
			return badge{"warn", "ok", "Done, some refused"}
		}
		return badge{"good", "ok", "Done"}
	}
	return badge{"", "pending", "Columns to choose"}
}
