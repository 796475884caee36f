package api

import (
	"entrepot/internal/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/stock"
)

// shown is what products show beyond the catalog: their stock and where they are published.
type shown struct {
	currency     string
	levels       map[string][]stock.Level // by SKU
	publications map[id.Product][]catalog.Publication
}

// readShown reads it for a list of products.
func readShown(tx *db.Tx, currency string, list []*catalog.Product) (s shown, err error) {
	s.currency = currency
	var skus []string
	ids := make([]id.Product, len(list))
	for i, p := range list {
		ids[i] = p.ID
		skus = append(skus, p.SKUs()...)
	}
	if len(list) == 0 {
		return s, nil
	}
	if s.levels, err = stock.OfSKUs(tx, skus); err != nil {
		return s, err
	}
	s.publications, err = catalog.PublicationsOf(tx, ids)
	return s, err
}

// write writes a product (interface §2.7.2).
func (s shown) write(w *apijson.Writer, name string, p *catalog.Product) {
	w.Record("Product", name)
	apijson.ID(w, "id", p.ID)
	w.Text("sku", p.SKU)
	w.Text("name", p.Name)
	w.Text("slug", p.Slug)
	w.TextOrNull("description", p.Description)
	apijson.Word(w, "status", p.Status)
	w.Money("price", p.Price)
	w.MoneyOrNull("compareAtPrice", p.CompareAt)
	w.Text("currency", s.currency)
	writeCategoryIDs(w, p)
	writeMedia(w, p)
	s.writeVariants(w, p)
	w.RawObject("attributes", p.Attributes)
	w.List("stock")
	for _, l := range s.levels[p.SKU] {
		w.Record("ProductStock", "")
		w.Text("warehouseCode", l.Warehouse)
		w.Int("onHand", l.OnHand)
		w.Int("reserved", l.Reserved)
		w.Int("available", l.Available())
		w.End()
	}
	w.EndList()
	w.List("publications")
	for _, one := range s.publications[p.ID] {
		w.Record("ProductPublication", "")
		apijson.ID(w, "channelId", one.Channel)
		apijson.Word(w, "status", one.Status)
		w.TextOrNull("externalId", one.ExternalID)
		w.MicrosOrNull("publishedAt", one.PublishedAt)
		w.TextOrNull("error", one.Error)
		w.End()
	}
	w.EndList()
	w.Micros("createdAt", p.CreatedAt)
	w.Micros("updatedAt", p.UpdatedAt)
	w.End()
}

// writeVariants writes the variants; stock is what is on hand of each over all warehouses.
func (s shown) writeVariants(w *apijson.Writer, p *catalog.Product) {
	w.List("variants")
	for i := range p.Variants {
		v := &p.Variants[i]
		w.Record("Variant", "")
		apijson.ID(w, "id", v.ID)
		w.Text("sku", v.SKU)
		w.Text("name", v.Name)
		w.Money("price", v.PriceIn(*p))
		w.MoneyOrNull("compareAtPrice", v.CompareAt)
		onHand := int64(0)
		for _, l := range s.levels[v.SKU] {
			onHand += l.OnHand
		}
		w.Int("stock", onHand)
		w.RawObject("attributes", v.Attributes)
		w.End()
	}
	w.EndList()
}

func writeCategoryIDs(w *apijson.Writer, p *catalog.Product) {
	w.List("categoryIds")
	for _, c := range p.CategoryIDs() {
		apijson.ID(w, "", c)
	}
	w.EndList()
}

// writeMedia writes the images, which are kept as they go out.
func writeMedia(w *apijson.Writer, p *catalog.Product) { w.RawLike("media", p.Media, sampleMedia) }

// sampleMedia is the media of sampleProduct.
func sampleMedia(w *apijson.Writer) {
	w.List("")
	w.Record("Image", "")
	apijson.ID(w, "id", id.Image("019a1c41-0000-7000-8000-0000000000e1"))
	w.Text("url", "https://images.example/mug.jpg")
	w.Int("position", 0)
	w.End()
	w.EndList()
}

func sampleShown() shown {
	p := sampleProduct()
	return shown{currency: "EUR",
		levels: map[string][]stock.Level{p.SKU: {{Warehouse: stock.MainWarehouse, OnHand: 40, Reserved: 2}}},
		publications: map[id.Product][]catalog.Publication{p.ID: {{Channel: "019a1c41-0000-7000-8000-0000000000f1", Status: catalog.PublicationPublished,
			ExternalID: "987", PublishedAt: p.CreatedAt}}}}
}

func sampleProductAnswer(w *apijson.Writer) {
	data(func(w *apijson.Writer) { sampleShown().write(w, "data", sampleProduct()) })(w)
}

func sampleProductList(w *apijson.Writer) {
	w.Object("")
	w.List("data")
	sampleShown().write(w, "", sampleProduct())
	w.EndList()
	writeMeta(w, page{Number: 1, Limit: 20}, 1, nil)
	w.End()
}
