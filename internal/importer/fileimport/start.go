package fileimport

import (
	"strconv"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/db"
	"entrepot/internal/importer"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
)

// The types of an import's jobs.
var (
	checkOf = map[imports.Kind]jobs.Type{imports.Products: jobs.FileCheck, imports.Orders: jobs.OrderFileCheck,
		imports.Prices: jobs.PriceFileCheck, imports.Stock: jobs.StockFileCheck,
		imports.Shipments: jobs.ShipmentFileCheck}
	importOf = map[imports.Kind]jobs.Type{imports.Products: jobs.FileImport, imports.Orders: jobs.OrderFileImport,
		imports.Prices: jobs.PriceFileImport, imports.Stock: jobs.StockFileImport,
		imports.Shipments: jobs.ShipmentFileImport}
)

// Check queues the job of a dry run. Errors: Invalid when an option is missing; Conflict when the import has started.
func Check(tx *db.Tx, who accounts.Caller, i imports.Import) (imports.Import, error) {
	found, err := ReadFound(i)
	if err != nil {
		return i, err
	}
	was := i.Stage
	switch {
	case was != imports.New && was != imports.Checked || i.Progress != "":
		return i, imports.Changed()
	case found.Problem != "":
		return i, apperr.New(apperr.Invalid, "choice_missing", "%s", found.Problem)
	}
	i.Stage, i.Checked, i.Failure = imports.Checking, "", ""
	imports.ClearLines(tx, i.ID, true)
	queue(tx, who, &i, checkOf[i.Kind], was, int64(found.Rows), 0)
	return i, nil
}

// Begin queues the job that imports a file after its dry run, or continues an import that was stopped or failed.
// Errors: Conflict in any other stage.
func Begin(tx *db.Tx, who accounts.Caller, i imports.Import) (imports.Import, error) {
	found, err := ReadFound(i)
	if err != nil {
		return i, err
	}
	was := i.Stage
	if was != imports.Checked && was != imports.Stopped && was != imports.Broken {
		return i, imports.Changed()
	}
	_, settled, err := importer.ReadProgress([]byte(i.Progress))
	if err != nil {
		return i, err
	}
	i.Stage, i.Failure = imports.Running, ""
	if i.Progress == "" {
		imports.ClearLines(tx, i.ID, false)
	}
	queue(tx, who, &i, importOf[i.Kind], was, int64(found.Rows), int64(settled))
	audit.Record(tx, who.Actor(), string(i.Kind)+".imported", "import", string(i.ID), map[string]string{"rows": strconv.Itoa(found.Rows)})
	return i, nil
}

// queue queues a job for an import. Its cursor is the number of rows settled before.
func queue(tx *db.Tx, who accounts.Caller, i *imports.Import, kind jobs.Type, was imports.Stage, rows, settled int64) {
	i.Stop, i.User = false, who.User
	i.Job = jobs.Insert(tx, jobs.Job{Type: kind, Total: rows, Processed: settled, Cursor: strconv.FormatInt(settled, 10)}).ID
	i.Update(tx, was)
}
