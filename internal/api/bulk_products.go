package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/jobs"
	"entrepot/internal/limits"
	"entrepot/internal/records"
)

// bulkProductRoutes are the product import of interface §4.2.
var bulkProductRoutes = []*route{
	{method: "POST", path: "/api/v1/sdk/products/bulk-import", name: "bulkImportProducts", section: "4.2", errors: []int{404},
		summary: "Import products", access: keyHeader, scope: "write:products",
		rate: &limits.BulkProducts, status: http.StatusAccepted, others: map[int]func(*apijson.Writer){http.StatusOK: sampleCounts},
		query: func(q *apijson.Query) { q.Bool("wait") }, body: func(o *apijson.Object) { drafts.ReadImport(o) },
		answer: data(func(w *apijson.Writer) {
			writeAccepted(w, commerce.Imported{Job: "019a1c60-0000-7000-8000-000000000001", Errors: sampleItemErrors()})
		}), serve: (*API).bulkImportProducts},
}

// bulkImportProducts serves POST /api/v1/sdk/products/bulk-import: 202, or 200 when the caller waits or asks for a dry
// run; 400, 404.
func (a *API) bulkImportProducts(r *request) (answer, error) {
	body, query := r.object(), r.query()
	in := drafts.ReadImport(body)
	waits := query.Bool("wait")
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	if err := query.Err(); err != nil {
		return answer{}, err
	}
	waits = waits || r.waits()
	apply := func(tx *db.Tx, p *commerce.ImportPlan) error {
		if in.DryRun {
			return nil
		}
		_, err := p.Apply(tx, r.caller)
		return err
	}
	return bulk(a, r, a.Commerce.ImportProducts(r.caller, in), apply, func(p *commerce.ImportPlan) answer {
		if in.DryRun || waits {
			return importCounts(r, in, p.Imported)
		}
		return one(http.StatusAccepted, string(p.Job), func(w *apijson.Writer) { writeAccepted(w, p.Imported) })
	})
}

// writeAccepted writes answer (a): the accepted items, and the job that completes the import.
func writeAccepted(w *apijson.Writer, out commerce.Imported) {
	w.Record("ImportAccepted", "data")
	apijson.ID(w, "jobId", out.Job)
	apijson.Word(w, "status", jobs.Processing)
	w.Int("totalItems", int64(out.Total()))
	w.Int("accepted", int64(out.Accepted()))
	w.Int("rejected", int64(len(out.Errors)))
	records.WriteItemErrors(w, "errors", out.Errors, false)
	w.End()
}

// importCounts is answer (b): the outcome as counts, and in a dry run the changes.
func importCounts(r *request, in commerce.Import, out commerce.Imported) answer {
	w := apijson.NewWriter(1024)
	writeCounts(w, in, out)
	done := answer{status: http.StatusOK, body: w.Bytes(), resource: string(out.Job)}
	if r.waits() {
		done.header = map[string]string{"Preference-Applied": "wait"}
	}
	return done
}

func writeCounts(w *apijson.Writer, in commerce.Import, out commerce.Imported) {
	w.Record("ImportCounts", "")
	w.Int("total", int64(out.Total()))
	w.Int("created", int64(out.Created))
	w.Int("updated", int64(out.Updated))
	records.WriteItemErrors(w, "errors", out.Errors, false)
	if in.DryRun {
		w.List("changes")
		for i := range out.Changes {
			writeChange(w, &out.Changes[i], out.Levels[i])
		}
		w.EndList()
	}
	w.End()
}

// sampleCounts is answer (b), without and with the changes of a dry run.
func sampleCounts(w *apijson.Writer) {
	onHand := int64(2)
	out := commerce.Imported{Created: 1, Changes: []catalog.Change{{After: *records.SampleProduct()}}, Errors: sampleItemErrors(),
		Levels: [][]commerce.LevelChange{{{SKU: "MUG-RED", Warehouse: "MAIN", From: &onHand, To: 5}}}}
	writeCounts(w, commerce.Import{}, out)
	writeCounts(w, commerce.Import{DryRun: true}, out)
}

// writeChange writes what a dry run would do to one product and its stock.
func writeChange(w *apijson.Writer, r *catalog.Change, levels []commerce.LevelChange) {
	action := "update"
	switch {
	case r.IsNew():
		action = "create"
	case !r.Changed() && len(levels) == 0:
		action = "unchanged"
	}
	w.Record("ImportChange", "")
	w.Text("sku", r.After.SKU)
	w.Text("action", action)
	w.List("fields")
	records.WriteFieldChanges(w, r)
	for _, l := range levels {
		records.WriteFieldChange(w, "stock", func(name string) { writeLevelSet(w, name, l, l.From) },
			func(name string) { writeLevelSet(w, name, l, &l.To) })
	}
	w.EndList()
	w.End()
}

// writeLevelSet writes a level's quantity before or after an import; null where there was none.
func writeLevelSet(w *apijson.Writer, name string, l commerce.LevelChange, onHand *int64) {
	if onHand == nil {
		w.Raw(name, "null")
		return
	}
	w.Object(name)
	w.Text("sku", l.SKU)
	w.Text("warehouseCode", l.Warehouse)
	w.Int("quantity", *onHand)
	w.End()
}
