package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// publicationRoutes are the products on a channel (interface §4.5.7).
var publicationRoutes = []*route{
	{method: "GET", path: "/api/v1/channels/{id}/publications", name: "listChannelPublications", section: "4.5",
		summary: "List a channel's publications", scope: "read:channels",
		query: func(q *apijson.Query) { readPage(q, 20, 250) }, answer: data(samplePublications), serve: (*API).listChannelPublications},
	{method: "POST", path: "/api/v1/channels/{id}/publications", name: "publishProducts", section: "4.5",
		summary: "Publish products on a channel", scope: "write:channels",
		body: func(o *apijson.Object) { readPublications(o) }, answer: data(func(w *apijson.Writer) {
			writePublished(w, commerce.Published{Count: 1, NotFound: []string{"NO-SUCH-SKU"}, Job: records.SampleID[id.Job](258)})
		}), serve: (*API).publishProducts},
	{method: "DELETE", path: "/api/v1/channels/{id}/publications/{productId}", name: "unpublishProduct", section: "4.5",
		summary: "Take a product off a channel", scope: "write:channels",
		answer: data(func(w *apijson.Writer) { writeDeleted(w, records.SamplePublication.Product, nil) }), serve: (*API).unpublishProduct},
}

type publicationDraft struct {
	products []id.Product
	skus     []string
}

func readPublications(o *apijson.Object) (d publicationDraft) {
	o.Record("PublishProducts")
	d.products = apijson.UUIDs[id.Product](o, "productIds", false, 1000).Value
	d.skus = o.Texts("skus", false, 1000, apijson.Text{}).Value
	if !o.Describing() && len(d.products)+len(d.skus) == 0 && len(o.Errors()) == 0 {
		o.AddError("productIds", "or skus must name at least one product")
	}
	return d
}

// publishProducts serves POST /api/v1/channels/{id}/publications: 200; 400, 404.
func (a *API) publishProducts(r *request) (answer, error) {
	channel, err := pathID[id.Channel](r, "id", "channel")
	if err != nil {
		return answer{}, err
	}
	o := r.object()
	draft := readPublications(o)
	if err := o.Err(); err != nil {
		return answer{}, a.missingFirst(r, (*API).getChannel, err)
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		done, err := a.Commerce.PublishProducts(tx, channel, draft.products, draft.skus)
		return one(http.StatusOK, string(channel), func(w *apijson.Writer) { writePublished(w, done) }), err
	})
}

func writePublished(w *apijson.Writer, p commerce.Published) {
	w.Record("Published", "data")
	w.Int("published", int64(p.Count))
	apijson.Texts(w, "notFound", p.NotFound)
	apijson.IDOrNull(w, "jobId", p.Job)
	w.End()
}

// listChannelPublications serves GET /api/v1/channels/{id}/publications: 200; 400, 404.
func (a *API) listChannelPublications(r *request) (out answer, err error) {
	q := r.query()
	p := readPage(q, 20, 250)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	c, err := a.channel(r)
	if err != nil {
		return answer{}, err
	}
	err = a.read(r, func(tx *db.Tx) error {
		list, total, err := catalog.OnChannel(tx, c.ID, p.Limit, p.Offset())
		out = one(http.StatusOK, "", func(w *apijson.Writer) { writePublications(w, list, p, total) })
		return err
	})
	return out, err
}

func writePublications(w *apijson.Writer, list []catalog.ChannelPublication, p page, total int64) {
	w.List("data")
	for _, b := range list {
		records.WritePublication(w, b)
	}
	w.EndList()
	writeMeta(w, p, total, nil)
}

func samplePublications(w *apijson.Writer) {
	writePublications(w, []catalog.ChannelPublication{records.SamplePublication}, page{1, 20}, 1)
}

// unpublishProduct serves DELETE /api/v1/channels/{id}/publications/{productId}: 200; 404.
func (a *API) unpublishProduct(r *request) (answer, error) {
	product, err := pathID[id.Product](r, "productId", "publication")
	if err != nil {
		return answer{}, err
	}
	c, err := a.channel(r)
	if err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		return deleted(product, nil), a.Commerce.UnpublishProduct(tx, c, product)
	})
}
