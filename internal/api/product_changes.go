package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
)

// productChangeRoutes change many products at once (interface §4.5.1).
var productChangeRoutes = []*route{
	{method: "POST", path: "/api/v1/products/bulk", name: "changeProducts", section: "4.5.1", summary: "Change many products",
		scope: "write:products", status: http.StatusAccepted, others: map[int]func(*apijson.Writer){http.StatusOK: data(sampleProductsPreview)},
		body: func(o *apijson.Object) { drafts.ReadProductBulk(o) }, answer: data(sampleQueuedProducts), serve: (*API).changeProducts},
}

// changeProducts serves POST /api/v1/products/bulk: 202, or 200 for a preview; 400, 403 without write:channels for
// publish and withdraw.
func (a *API) changeProducts(r *request) (answer, error) {
	o := r.object()
	change, choice, preview := drafts.ReadProductBulk(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	if change.Action == commerce.PublishProduct || change.Action == commerce.WithdrawProduct {
		if err := r.caller.Needs("write:channels"); err != nil {
			return answer{}, err
		}
	}
	if preview {
		return a.previewProducts(r, change, choice)
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		queued, err := a.Commerce.ChangeProducts(tx, r.caller, change, choice)
		return one(http.StatusAccepted, string(queued.Job.ID), func(w *apijson.Writer) { writeQueuedProducts(w, queued) }), err
	})
}

// previewProducts answers what a bulk change would do.
func (a *API) previewProducts(r *request, change commerce.ProductChange, choice commerce.ProductChoice) (answer, error) {
	var found commerce.ProductsPreview
	err := a.read(r, func(tx *db.Tx) (err error) {
		found, err = a.Commerce.PreviewProducts(tx, r.caller, change, choice)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return a.write(r, func(*db.Tx) (answer, error) { // only the answer is stored, for the Idempotency-Key
		return one(http.StatusOK, "", func(w *apijson.Writer) { writeProductsPreview(w, found) }), nil
	})
}

func writeQueuedProducts(w *apijson.Writer, q commerce.QueuedProducts) {
	w.Record("ProductsQueued", "data")
	apijson.ID(w, "jobId", q.Job.ID)
	apijson.Word(w, "status", q.Job.Status)
	w.Int("totalItems", q.Job.Total)
	apijson.Texts(w, "notFound", q.Missing)
	w.End()
}

func writeProductsPreview(w *apijson.Writer, p commerce.ProductsPreview) {
	w.Record("ProductsPreview", "data")
	w.Int("total", p.Total)
	apijson.Texts(w, "notFound", p.Missing)
	w.Int("examined", p.Examined)
	w.Bool("partial", p.Partial())
	w.Int("changed", p.Changed)
	w.Int("unchanged", p.Unchanged)
	w.Int("refused", p.Refused)
	w.Int("priceJumps", p.Jumps)
	w.Int("largestJump", p.Largest)
	w.List("samples")
	for i := range p.Samples {
		records.WriteProductOutcome(w, p.Samples[i].Product)
	}
	w.EndList()
	w.End()
}

func sampleQueuedProducts(w *apijson.Writer) {
	job := jobs.Job{ID: records.SampleID[id.Job](271), Status: jobs.Pending, Total: 1312}
	writeQueuedProducts(w, commerce.QueuedProducts{Job: job, Missing: []string{}})
}

func sampleProductsPreview(w *apijson.Writer) {
	p := commerce.ProductsPreview{Total: 1312, Missing: []string{}, Examined: 1000, Changed: 998, Unchanged: 2}
	for _, o := range records.SampleProductOutcomes {
		p.Samples = append(p.Samples, commerce.SampleItem{Product: o})
	}
	writeProductsPreview(w, p)
}
