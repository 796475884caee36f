package dashboard

import (
	"net/http"
	"path"
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/workbook"
	"entrepot/internal/db"
	"entrepot/internal/importer/fileimport"
	"entrepot/internal/imports"
)

// runImport serves POST /products/import/{id}/run: it imports a checked file, or continues a stopped import.
func (d *Dashboard) runImport(r *request) (answer, error) {
	p, err := d.importPage(r)
	if err != nil {
		return answer{}, err
	}
	if jumps := p.jumps(); jumps > 0 && r.http.FormValue("jumps") != strconv.Itoa(jumps) {
		return answer{}, apperr.New(apperr.Conflict, "price_jumps", "prices change by more than half: confirm that on the page of the import")
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		_, err := fileimport.Begin(tx, r.caller(), p.i)
		return redirect(p.path(""), "Started the import"), err
	})
}

// stopImport serves POST /products/import/{id}/stop: the job that works on a file stops soon.
func (d *Dashboard) stopImport(r *request) (answer, error) {
	p, err := d.importPage(r)
	if err != nil {
		return answer{}, err
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		imports.RequestStop(tx, p.i.ID)
		return redirect(p.path(""), "Stopping after the rows in hand"), nil
	})
}

// discardImport serves POST /products/import/{id}/discard.
func (d *Dashboard) discardImport(r *request) (answer, error) {
	p, err := d.importPage(r)
	if err != nil {
		return answer{}, err
	}
	if p.i.UnderWay() {
		return answer{}, apperr.New(apperr.Conflict, "import_changed", "a job works on this file: stop it first")
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		was := p.i.Stage
		gone := p.i
		gone.Stage = imports.Gone
		gone.Update(tx, was)
		return redirect(r.files().path, "Deleted the file"), nil
	})
}

// sendRefused serves GET /products/import/{id}/refused: the refused rows, in the columns of the file, with the reason.
func (d *Dashboard) sendRefused(r *request) (answer, error) {
	return d.sendLines(r, "refused", func(p importPage, f workbook.Format, w http.ResponseWriter) error {
		return fileimport.WriteRefusedRows(r.http.Context(), d.DB, r.caller().Tenant, p.i, p.dry(), f, w)
	})
}

// sendReport serves GET /products/import/{id}/report: every line about a row, including notes.
func (d *Dashboard) sendReport(r *request) (answer, error) {
	return d.sendLines(r, "report", func(p importPage, f workbook.Format, w http.ResponseWriter) error {
		return fileimport.Report(r.http.Context(), d.DB, r.caller().Tenant, p.i, p.dry(), f, w)
	})
}

// sendBefore serves GET /prices/import/{id}/before, likewise of stock: the values that the list has replaced, as a
// list.
func (d *Dashboard) sendBefore(r *request) (answer, error) {
	return d.sendLines(r, "before", func(p importPage, f workbook.Format, w http.ResponseWriter) error {
		return fileimport.Before(r.http.Context(), d.DB, r.caller().Tenant, p.i, f, w)
	})
}

// sendLines sends a file about an import in the format that the address asks for.
func (d *Dashboard) sendLines(r *request, what string, write func(importPage, workbook.Format, http.ResponseWriter) error) (answer, error) {
	p, err := d.importPage(r)
	if err != nil {
		return answer{}, err
	}
	name := strings.TrimSuffix(strings.TrimSuffix(p.i.Name, ".gz"), path.Ext(strings.TrimSuffix(p.i.Name, ".gz"))) + "-" + what
	f := formatOf(r.http.URL.Query())
	return answer{send: func(w http.ResponseWriter) error {
		if err := beginFile(w, f, name); err != nil {
			return err
		}
		return write(p, f, w)
	}}, nil
}
