package importer

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// shopifyJSONColumns are the columns of Shopify's export to which products.json, which every Shopify shop shows, is
// converted: the same products, as objects with variants, options and images.
var shopifyJSONColumns = []string{"Handle", "Title", "Body (HTML)", "Vendor", "Type", "Tags", "Status", "Option1 Name", "Option1 Value",
	"Option2 Name", "Option2 Value", "Option3 Name", "Option3 Value", "Variant SKU", "Variant Grams", "Variant Inventory Qty",
	"Variant Price", "Variant Compare At Price", "Variant Barcode", "Image Src", "Image Position", "Variant Image"}

// isShopifyJSON reports whether the members of objects are those of products.json.
func isShopifyJSON(members []string) bool {
	return hasColumns(members, "handle", "title", "variants.price") && slices.ContainsFunc(members, func(name string) bool {
		return slices.Contains([]string{"variants.sku", "variants.option1", "variants.title"}, name)
	})
}

// shopifyProduct is a product of products.json. Numbers and texts are taken for each other.
type shopifyProduct struct {
	Handle      looseText   `json:"handle"`
	Title       looseText   `json:"title"`
	Body        looseText   `json:"body_html"`
	Vendor      looseText   `json:"vendor"`
	Type        looseText   `json:"product_type"`
	Tags        looseText   `json:"tags"` // a list, or a text with commas
	Status      looseText   `json:"status"`
	PublishedAt *looseText  `json:"published_at"`
	Options     []shopifyOp `json:"options"`
	Images      []struct {
		ID       looseText `json:"id"`
		Src      looseText `json:"src"`
		Position looseText `json:"position"`
	} `json:"images"`
	Variants []struct {
		SKU       looseText `json:"sku"`
		Option1   looseText `json:"option1"`
		Option2   looseText `json:"option2"`
		Option3   looseText `json:"option3"`
		Grams     looseText `json:"grams"`
		Quantity  looseText `json:"inventory_quantity"`
		Price     looseText `json:"price"`
		CompareAt looseText `json:"compare_at_price"`
		Barcode   looseText `json:"barcode"`
		ImageID   looseText `json:"image_id"`
		Featured  *struct {
			Src looseText `json:"src"`
		} `json:"featured_image"`
	} `json:"variants"`
}

type shopifyOp struct {
	Name looseText `json:"name"`
}

// UnmarshalJSON reads an option: an object, or its name alone.
func (o *shopifyOp) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] != '{' {
		return o.Name.UnmarshalJSON(text)
	}
	var object struct {
		Name looseText `json:"name"`
	}
	err := json.Unmarshal(text, &object)
	o.Name = object.Name
	return err
}

// looseText is a text, a number, or a list of these.
type looseText string

// UnmarshalJSON reads the value; null is blank.
func (t *looseText) UnmarshalJSON(text []byte) error {
	switch {
	case string(text) == "null":
		return nil
	case text[0] == '[':
		var list []looseText
		err := json.Unmarshal(text, &list)
		for i, one := range list {
			if i > 0 {
				*t += ", "
			}
			*t += one
		}
		return err
	case text[0] != '"':
		*t = looseText(text)
		return nil
	}
	return json.Unmarshal(text, (*string)(t))
}

// shopifyObjects shows each object as the rows that Shopify's export has for it.
type shopifyObjects struct {
	rowStream
	rows []row // of the current object
}

func (s *shopifyObjects) next() (row, error) {
	for len(s.rows) == 0 {
		object, err := s.rowStream.next()
		if err != nil {
			return object, err
		}
		if s.rows, err = shopifyRows(object); err != nil && object.broken == "" {
			object.broken = "this is no product of Shopify: " + err.Error()
		}
		if object.broken != "" {
			return object, nil
		}
	}
	first := s.rows[0]
	s.rows = s.rows[1:]
	return first, nil
}

// shopifyRows are the rows of one product: one a variant, and one for each image beyond these.
func shopifyRows(object row) (rows []row, err error) {
	if object.broken != "" {
		return nil, nil
	}
	var p shopifyProduct
	if err := json.Unmarshal(object.raw, &p); err != nil {
		return nil, err
	}
	images := map[looseText]looseText{}
	for _, image := range p.Images {
		images[image.ID] = image.Src
	}
	for i := range max(1, len(p.Variants), len(p.Images)) {
		cells := make([][]byte, len(shopifyJSONColumns))
		set := func(column string, value looseText) {
			cells[slices.Index(shopifyJSONColumns, column)] = []byte(strings.TrimSpace(string(value)))
		}
		set("Handle", p.Handle)
		if i == 0 {
			set("Title", p.Title)
			set("Body (HTML)", p.Body)
			set("Vendor", p.Vendor)
			set("Type", p.Type)
			set("Tags", p.Tags)
			if set("Status", p.Status); p.Status == "" && p.PublishedAt != nil && *p.PublishedAt == "" {
				set("Status", "draft")
			}
		}
		if i < len(p.Images) {
			set("Image Src", p.Images[i].Src)
			if set("Image Position", p.Images[i].Position); p.Images[i].Position == "" {
				set("Image Position", looseText(strconv.Itoa(i+1)))
			}
		}
		if i < len(p.Variants) {
			v := p.Variants[i]
			for k, value := range []looseText{v.Option1, v.Option2, v.Option3} {
				n := strconv.Itoa(k + 1)
				if set("Option"+n+" Value", value); k < len(p.Options) {
					set("Option"+n+" Name", p.Options[k].Name)
				}
			}
			set("Variant SKU", v.SKU)
			set("Variant Grams", v.Grams)
			set("Variant Inventory Qty", v.Quantity)
			set("Variant Price", v.Price)
			set("Variant Compare At Price", v.CompareAt)
			set("Variant Barcode", v.Barcode)
			if set("Variant Image", images[v.ImageID]); v.Featured != nil {
				set("Variant Image", v.Featured.Src)
			}
		}
		rows = append(rows, row{number: object.number, line: object.line, cells: cells, raw: object.raw})
	}
	return rows, nil
}
