package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/stock"
)

// Products has what reads of products show beyond the catalog: stock and publications.
type Products struct {
	Currency     string                   // of all prices
	Levels       map[string][]stock.Level // by SKU
	Publications map[id.Product][]catalog.Publication
}

// Write writes a product (interface §2.7.2).
func (s Products) Write(w *apijson.Writer, name string, p *catalog.Product) {
	w.Record("Product", name)
	apijson.ID(w, "id", p.ID)
	w.Text("sku", p.SKU)
	w.Text("name", p.Name)
	w.Text("slug", p.Slug)
	w.TextOrNull("description", p.Description)
	apijson.Word(w, "status", p.Status)
	w.Money("price", p.Price)
	w.MoneyOrNull("compareAtPrice", p.CompareAt)
	w.Text("currency", s.Currency)
	writeTrade(w, &p.Trade)
	writeCategoryIDs(w, p)
	writeMedia(w, p)
	s.writeVariants(w, p, "Variant")
	writeOptions(w, p)
	w.RawObject("attributes", p.Attributes)
	w.List("stock")
	for _, l := range s.Levels[p.SKU] {
		w.Record("ProductStock", "")
		w.Text("warehouseCode", l.Warehouse)
		w.Int("onHand", l.OnHand)
		w.Int("reserved", l.Reserved)
		w.Int("available", l.Available())
		w.End()
	}
	w.EndList()
	w.List("publications")
	for _, one := range s.Publications[p.ID] {
		w.Record("ProductPublication", "")
		apijson.ID(w, "channelId", one.Channel)
		apijson.Word(w, "status", one.Status)
		w.TextOrNull("externalId", one.ExternalID)
		w.TextOrNull("externalUrl", one.ExternalURL)
		w.MicrosOrNull("publishedAt", one.PublishedAt)
		w.TextOrNull("error", one.Error)
		w.End()
	}
	w.EndList()
	w.Micros("createdAt", p.CreatedAt)
	w.Micros("updatedAt", p.UpdatedAt)
	w.End()
}

// WriteChanged writes a product as the feed shows it; deleted says that tombstones were requested.
func (s Products) WriteChanged(w *apijson.Writer, p *catalog.Product, deleted bool) {
	w.Record("ChangedProduct", "")
	apijson.ID(w, "id", p.ID)
	w.Text("sku", p.SKU)
	w.Text("name", p.Name)
	w.Money("price", p.Price)
	w.MoneyOrNull("compareAtPrice", p.CompareAt)
	apijson.Word(w, "status", p.Status)
	writeTrade(w, &p.Trade)
	writeCategoryIDs(w, p)
	s.writeVariants(w, p, "ChangedVariant")
	writeMedia(w, p)
	w.Stamp("changedAt", p.ChangedAt)
	if deleted {
		w.MicrosOrNull("deletedAt", p.DeletedAt)
	}
	w.End()
}

// writeVariants writes the variants. Each can be sent back as it was read (interface §2.0): it has its stock by
// warehouse, and its own price, which is null when it costs what the product does. record names the kind of variant
// in the API description.
func (s Products) writeVariants(w *apijson.Writer, p *catalog.Product, record string) {
	w.List("variants")
	for i := range p.Variants {
		v := &p.Variants[i]
		w.Record(record, "")
		apijson.ID(w, "id", v.ID)
		w.Text("sku", v.SKU)
		w.Text("name", v.Name)
		w.Money("price", v.PriceIn(*p))
		w.MoneyOrNull("compareAtPrice", v.CompareAt)
		writeTrade(w, &v.Trade)
		onHand := int64(0)
		for _, l := range s.Levels[v.SKU] {
			onHand += l.OnHand
		}
		w.Int("stock", onHand)
		w.RawObject("attributes", v.Attributes)
		w.MoneyOrNull("ownPrice", v.Price)
		w.List("levels") // without what orders reserve: each order would make another version of the product
		for _, l := range s.Levels[v.SKU] {
			w.Record("VariantLevel", "")
			w.Text("warehouseCode", l.Warehouse)
			w.Int("onHand", l.OnHand)
			w.End()
		}
		w.EndList()
		w.End()
	}
	w.EndList()
}

// writeTrade writes what is set; the rest is left out.
func writeTrade(w *apijson.Writer, t *catalog.Trade) {
	if t.GTIN != "" {
		w.Text("gtin", t.GTIN)
	}
	if t.Weight != nil {
		w.Money("weight", *t.Weight)
	}
	if t.Cost != nil {
		w.Money("cost", *t.Cost)
	}
	if t.TaxClass != "" {
		w.Text("taxClass", t.TaxClass)
	}
	if t.Origin != "" {
		w.Text("countryOfOrigin", t.Origin)
	}
	w.MayBeAbsent(catalog.TradeNames...)
}

// writeOptions writes the options by which the variants differ, if there are some.
func writeOptions(w *apijson.Writer, p *catalog.Product) {
	options := p.Options()
	if len(options) == 0 {
		return
	}
	w.List("options")
	for _, o := range options {
		w.Record("ProductOption", "")
		w.Text("name", o.Name)
		apijson.Texts(w, "values", o.Values)
		w.End()
	}
	w.EndList()
	w.MayBeAbsent("options")
}

// writeCategoryIDs writes the categories of a product; references to categories that do not exist yet are left out.
func writeCategoryIDs(w *apijson.Writer, p *catalog.Product) {
	w.List("categoryIds")
	for _, c := range p.CategoryIDs() {
		apijson.ID(w, "", c)
	}
	w.EndList()
}

// writeMedia writes the images, which are stored in the form in which they are sent.
func writeMedia(w *apijson.Writer, p *catalog.Product) { w.RawLike("media", p.Media, sampleMedia) }

// Media is the JSON of a product's images, in the form in which it is stored and sent.
func Media(images []catalog.Image) string {
	w := apijson.NewWriter(len(images) * 160)
	writeImages(w, images)
	return string(w.Bytes())
}

func writeImages(w *apijson.Writer, images []catalog.Image) {
	w.List("")
	for _, one := range images {
		w.Record("Image", "")
		apijson.ID(w, "id", one.ID)
		w.Text("url", one.URL)
		w.Int("position", one.Position)
		w.End()
	}
	w.EndList()
}

var sampleImages = []catalog.Image{{ID: "019a1c41-0000-7000-8000-0000000000e1", URL: "https://images.example/mug.jpg"}}

// sampleMedia is the media of SampleProduct.
func sampleMedia(w *apijson.Writer) { writeImages(w, sampleImages) }

// WriteProductData is the data of product.created and product.deleted (interface §6.1).
func WriteProductData(w *apijson.Writer, p *catalog.Product, currency string) {
	w.Record("ProductData", "")
	apijson.ID(w, "id", p.ID)
	w.Text("sku", p.SKU)
	w.Text("name", p.Name)
	apijson.Word(w, "status", p.Status)
	w.Money("price", p.Price)
	w.MoneyOrNull("compareAtPrice", p.CompareAt)
	w.Text("currency", currency)
	writeTrade(w, &p.Trade)
	apijson.Texts(w, "categoryIds", p.CategoryIDs())
	w.End()
}

// WriteProductUpdatedData is the data of product.updated; fields are named as in interface §2.7.1.
func WriteProductUpdatedData(w *apijson.Writer, product id.Product, sku, name string, fields []string) {
	w.Record("ProductUpdatedData", "")
	apijson.ID(w, "id", product)
	w.Text("name", name)
	w.Text("sku", sku)
	apijson.Texts(w, "updatedFields", fields)
	w.End()
}

// SampleProduct is the product that describes the answers.
func SampleProduct() *catalog.Product {
	compare, price := money.Amount(12*money.Scale), money.Amount(99_000)
	weight, cost := money.Amount(3_500), money.Amount(41_000)
	return &catalog.Product{ID: "019a1c41-0000-7000-8000-0000000000b1", SKU: "MUG-BLUE", Name: "Blue mug", Slug: "blue-mug",
		Description: "Stoneware, 30 cl",
		Status:      catalog.Active, Price: price, CompareAt: &compare, Media: Media(sampleImages),
		Trade:      catalog.Trade{GTIN: "4006381333931", Weight: &weight, Cost: &cost, TaxClass: "standard", Origin: "PT"},
		Attributes: `{"colour":"blue"}`, CreatedAt: 1767322800000000, UpdatedAt: 1767322800000000, ChangedAt: 1767323045678901,
		Variants: []catalog.Variant{{ID: "019a1c41-0000-7000-8000-0000000000d1", SKU: "MUG-BLUE-L", Name: "Large",
			Price: &price, CompareAt: &compare, Attributes: `{"size":"L"}`,
			Trade: catalog.Trade{GTIN: "4006381333948", Weight: &weight, Cost: &cost, TaxClass: "standard", Origin: "PT"}}},
		Links: []catalog.Link{{Reference: "mugs", Category: "019a1c41-0000-7000-8000-0000000000c1"}}}
}

// SampleProducts has the stock and publications of SampleProduct.
func SampleProducts() Products {
	p := SampleProduct()
	return Products{Currency: "EUR",
		Levels: map[string][]stock.Level{p.SKU: {{Warehouse: stock.MainWarehouse, OnHand: 40, Reserved: 2}}},
		Publications: map[id.Product][]catalog.Publication{p.ID: {{Channel: "019a1c41-0000-7000-8000-0000000000f1",
			Status:     catalog.PublicationPublished,
			ExternalID: "987", PublishedAt: p.CreatedAt}}}}
}
