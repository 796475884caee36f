package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
)

// WritePublication writes a product's publication on a channel (interface §2.7.10).
func WritePublication(w *apijson.Writer, p catalog.ChannelPublication) {
	w.Record("Publication", "")
	apijson.ID(w, "productId", p.Product)
	w.Text("sku", p.SKU)
	w.Text("name", p.Name)
	apijson.Word(w, "status", p.Status)
	w.TextOrNull("externalId", p.ExternalID)
	w.TextOrNull("externalUrl", p.ExternalURL)
	w.MicrosOrNull("publishedAt", p.PublishedAt)
	w.TextOrNull("error", p.Error)
	w.End()
}

// SamplePublication is the publication that describes the answers.
var SamplePublication = catalog.ChannelPublication{Product: SampleID[id.Product](260), SKU: "TSHIRT", Name: "T-shirt",
	Publication: catalog.Publication{
		Status:      "published",
		ExternalID:  "42",
		ExternalURL: "https://shop.example/product/42/",
		PublishedAt: SampleTime,
		Error:       "none",
	}}
