package fakeshop

import (
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// product is a product, or a variation of one.
type product struct {
	id, parent  int64
	kind        string // simple, variable, variation
	name        string
	sku         string
	status      string // publish, draft, trash
	description string
	regular     string
	sale        string
	managed     bool
	quantity    int64
	images      []image
	attributes  any
	categories  []int64
	modified    time.Time
	tax, ships  string // classes
	gtin        string
	weight      string // in the shop's unit
}

type image struct {
	id  int64
	src string
}

type category struct {
	id, parent int64
	name, slug string
}

func (s *Shop) serveProducts(q request) answer {
	switch {
	case len(q.path) == 1 && q.method == http.MethodGet:
		return s.listProducts(q)
	case len(q.path) == 1 && q.method == http.MethodPost:
		return s.createProduct(q.body, 0)
	case q.path[1] == "batch":
		return s.batch(q, 0)
	case q.path[1] == "categories":
		return s.serveCategories(q)
	}
	id, _ := strconv.ParseInt(q.path[1], 10, 64)
	p := s.products[id]
	if len(q.path) >= 3 && q.path[2] == "variations" {
		if p == nil || p.kind == "variation" {
			return bad(404, "woocommerce_rest_product_invalid_id", "Invalid ID.")
		}
		if len(q.path) == 4 && q.path[3] == "batch" {
			return s.batch(q, id)
		}
		return page(q, s.sorted(func(v *product) bool { return v.parent == id && v.status != "trash" && included(q, v) }), s.show)
	}
	switch {
	case p == nil:
		return bad(404, "woocommerce_rest_product_invalid_id", "Invalid ID.")
	case q.method == http.MethodGet:
		return good(200, fields(q, s.show(p)))
	case p.kind == "variation":
		return bad(
			404,
			"woocommerce_rest_invalid_product_id",
			"To manipulate product variations you should use the /products/&lt;product_id&gt;/variations/&lt;id&gt; endpoint.",
		)
	case q.method == http.MethodDelete:
		return s.deleteProduct(p, q.query.Get("force") == "true")
	}
	return s.changeProduct(p, q.body)
}

func (s *Shop) sorted(keep func(*product) bool) (list []*product) {
	for _, p := range s.products {
		if keep(p) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b *product) int { return int(b.id - a.id) })
	return list
}

// listProducts finds by SKU without case, variations too; else it lists products only. Commas divide SKUs, but the
// whole text may be one, too.
func (s *Shop) listProducts(q request) answer {
	skus := map[string]bool{}
	for _, sku := range append(strings.Split(q.query.Get("sku"), ","), q.query.Get("sku")) {
		if sku = strings.ToLower(strings.TrimSpace(sku)); sku != "" {
			skus[sku] = true
		}
	}
	return page(q, s.sorted(func(p *product) bool {
		if !included(q, p) {
			return false
		}
		if len(skus) > 0 {
			return p.status != "trash" && skus[strings.ToLower(html.UnescapeString(p.sku))]
		}
		return p.kind != "variation" && p.status != "trash"
	}), s.show)
}

// included reports whether a query asks for a product by its id, or for all.
func included(q request, p *product) bool {
	ids := q.query.Get("include")
	return ids == "" || slices.Contains(strings.Split(ids, ","), strconv.FormatInt(p.id, 10))
}

// show returns a product as the shop writes it: names and SKUs come escaped, totals as texts.
func (s *Shop) show(p *product) map[string]any {
	images := []map[string]any{}
	for _, i := range p.images {
		images = append(images, map[string]any{"id": i.id, "src": i.src})
	}
	var managed, quantity any = p.managed, nil
	if p.managed {
		quantity = p.quantity
	}
	categories := []map[string]any{}
	for _, id := range p.categories {
		categories = append(categories, map[string]any{"id": id, "slug": strconv.FormatInt(id, 10)})
	}
	price := p.regular
	if p.sale != "" {
		price = p.sale
	}
	return map[string]any{
		"id":                p.id,
		"name":              escaped(p.name),
		"type":              p.kind,
		"status":            p.status,
		"tax_class":         p.tax,
		"shipping_class":    p.ships,
		"sku":               p.sku,
		"parent_id":         p.parent,
		"price":             price,
		"regular_price":     p.regular,
		"sale_price":        p.sale,
		"manage_stock":      managed,
		"stock_quantity":    quantity,
		"description":       p.description,
		"images":            images,
		"attributes":        p.attributes,
		"categories":        categories,
		"permalink":         "http://shop.test/product/" + strconv.FormatInt(p.id, 10) + "/",
		"date_modified_gmt": p.modified.Format(gmt),
	}
}

func escaped(text string) string { return strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(text) }

// owner returns the product with a SKU, which must be the only one.
func (s *Shop) owner(sku string, but int64) *product {
	for _, p := range s.products {
		if p.id != but && p.status != "trash" && strings.EqualFold(p.sku, sku) && sku != "" {
			return p
		}
	}
	return nil
}

func (s *Shop) createProduct(body map[string]any, parent int64) answer {
	p := &product{kind: "simple", status: "publish", parent: parent, attributes: []any{}}
	if parent != 0 {
		p.kind = "variation"
	}
	if refused := s.apply(p, body); refused != nil {
		return *refused
	}
	p.id = s.id()
	s.products[p.id] = p
	if parent != 0 {
		p.name = s.products[parent].name
	}
	s.notify("product.created", p.id)
	return good(201, s.show(p))
}

func (s *Shop) changeProduct(p *product, body map[string]any) answer {
	was := *p
	if refused := s.apply(p, body); refused != nil {
		*p = was
		return *refused
	}
	s.notify("product.updated", p.id)
	return good(200, s.show(p))
}

// apply sets the fields that a body has.
func (s *Shop) apply(p *product, body map[string]any) *answer {
	refuse := func(a answer) *answer { return &a }
	if sku, ok := text(body, "sku"); ok {
		if o := s.owner(sku, p.id); o != nil {
			return refuse(answer{status: 400, body: map[string]any{"code": "product_invalid_sku", "message": "Invalid or duplicated SKU.",
				"data": map[string]any{"status": 400, "resource_id": o.id, "unique_sku": sku + "-1"}}})
		}
		p.sku = escaped(sku)
	}
	for name, into := range map[string]*string{"name": &p.name, "status": &p.status, "description": &p.description, "tax_class": &p.tax,
		"shipping_class": &p.ships, "global_unique_id": &p.gtin, "weight": &p.weight} {
		if v, ok := text(body, name); ok {
			*into = v
		}
	}
	if v, ok := text(body, "type"); ok && p.kind != "variation" {
		p.kind = v
	}
	for name, into := range map[string]*string{"regular_price": &p.regular, "sale_price": &p.sale} {
		if v, ok := text(body, name); ok {
			if _, err := strconv.ParseFloat(v, 64); err != nil {
				v = "" // letters are taken and kept as nothing
			}
			*into = v
		}
	}
	if v, ok := body["manage_stock"].(bool); ok {
		p.managed = v
	}
	if v, given := body["stock_quantity"]; given && v != nil {
		n, ok := whole(body, "stock_quantity")
		if !ok {
			return refuse(bad(400, "rest_invalid_param", "Invalid parameter(s): stock_quantity"))
		}
		if p.managed { // else it is ignored without a word
			p.quantity = n
		}
	}
	if _, given := body["images"]; given {
		list, refused := s.takeImages(objects(body, "images"))
		if refused != nil {
			return refused
		}
		p.images = list
	}
	if _, given := body["categories"]; given {
		p.categories = nil
		for _, c := range objects(body, "categories") {
			id, _ := whole(c, "id")
			p.categories = append(p.categories, id)
		}
	}
	if v, given := body["attributes"]; given {
		p.attributes = v
		for _, a := range objects(body, "attributes") { // one of the whole shop has its name there
			if id, ok := whole(a, "id"); ok && id != 0 {
				a["name"] = s.common[id]
			}
		}
	}
	p.modified = s.now()
	return nil
}

// takeImages fetches the pictures that a body names by their addresses, and finds the others.
func (s *Shop) takeImages(given []map[string]any) (list []image, refused *answer) {
	refuse := func(a answer) ([]image, *answer) { return nil, &a }
	for _, i := range given {
		if id, ok := whole(i, "id"); ok && id != 0 {
			if s.media[id] == "" {
				return refuse(bad(400, "woocommerce_product_invalid_image_id", "#"+strconv.FormatInt(id, 10)+" is an invalid image ID."))
			}
			list = append(list, image{id, s.media[id]})
			continue
		}
		src, _ := text(i, "src")
		if strings.Contains(src, "not-there") {
			return refuse(bad(400, "woocommerce_product_image_upload_error",
				"Error getting remote image "+src+". Error: A valid URL was not provided."))
		}
		list = append(list, s.addMedia(src))
	}
	return list, nil
}

// addMedia puts a picture into the media library.
func (s *Shop) addMedia(address string) image {
	one := image{s.id(), address}
	if s.media == nil {
		s.media = map[int64]string{}
	}
	s.media[one.id] = address
	return one
}

func (s *Shop) deleteProduct(p *product, force bool) answer {
	shown := s.show(p)
	for _, v := range s.products {
		if v.parent == p.id {
			v.status = "trash"
			if force {
				delete(s.products, v.id)
			}
		}
	}
	p.status = "trash"
	if force {
		delete(s.products, p.id)
	} else {
		s.notify("product.deleted", p.id)
	}
	return good(200, shown)
}

// batch handles the entries of a batch one after the other; the answer is 200 whether they succeed or not.
func (s *Shop) batch(q request, parent int64) answer {
	most := s.Habits.BatchMost
	if most == 0 {
		most = 100
	}
	removals, _ := q.body["delete"].([]any)
	if len(objects(q.body, "create"))+len(objects(q.body, "update"))+len(removals) > most {
		return bad(
			413,
			"woocommerce_rest_request_entity_too_large",
			"Unable to accept more than "+strconv.Itoa(most)+" items for this request.",
		)
	}
	entry := func(id int64, a answer) any {
		if a.status < 300 {
			return a.body
		}
		return map[string]any{"id": id, "error": a.body}
	}
	invalid := func() answer {
		code := "woocommerce_rest_product_invalid_id"
		if parent != 0 {
			code = "woocommerce_rest_product_variation_invalid_id"
		}
		return bad(400, code, "Invalid ID.")
	}
	mine := func(id int64) *product {
		if p := s.products[id]; p != nil && p.parent == parent {
			return p
		}
		return nil
	}
	out := map[string]any{}
	var created, updated, deleted []any
	for _, body := range objects(q.body, "create") {
		created = append(created, entry(0, s.createProduct(body, parent)))
	}
	for _, body := range objects(q.body, "update") {
		id, _ := whole(body, "id")
		if p := mine(id); p != nil {
			updated = append(updated, entry(id, s.changeProduct(p, body)))
		} else {
			updated = append(updated, entry(id, invalid()))
		}
	}
	for _, v := range removals {
		number, _ := v.(float64)
		if p := mine(int64(number)); p != nil {
			deleted = append(deleted, entry(p.id, s.deleteProduct(p, true)))
		} else {
			deleted = append(deleted, entry(int64(number), invalid()))
		}
	}
	for name, list := range map[string][]any{"create": created, "update": updated, "delete": deleted} {
		if list != nil {
			out[name] = list
		}
	}
	return good(200, out)
}

func (s *Shop) serveCategories(q request) answer {
	show := func(c *category) map[string]any {
		return map[string]any{"id": c.id, "name": escaped(c.name), "slug": c.slug, "parent": c.parent}
	}
	if q.method == http.MethodGet {
		var list []*category
		for _, c := range s.categories {
			if slug := q.query.Get("slug"); slug == "" || slug == c.slug {
				list = append(list, c)
			}
		}
		return page(q, list, show)
	}
	c := &category{}
	c.name, _ = text(q.body, "name")
	c.slug, _ = text(q.body, "slug")
	c.parent, _ = whole(q.body, "parent")
	for _, there := range s.categories {
		if there.name == c.name && there.parent == c.parent {
			return answer{
				status: 400,
				body: map[string]any{"code": "term_exists", "message": "A term with the name provided already exists with this parent.",
					"data": map[string]any{"status": 400, "resource_id": there.id}},
			}
		}
	}
	c.id = s.id()
	s.categories[c.id] = c
	return good(201, show(c))
}

// Item is a product or variation as a test sees it.
type Item struct {
	ID, Parent int64
	SKU, Name  string
	Kind       string
	Status     string
	Regular    string
	Sale       string
	Managed    bool
	Quantity   int64
	Images     int
	Tax, Ships string // classes
}

// Items returns all products and variations that are not in the bin, by SKU; doubled are SKUs that stand twice.
func (s *Shop) Items() (items map[string]Item, doubled []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	items = map[string]Item{}
	for _, p := range s.products {
		if p.status == "trash" {
			continue
		}
		sku := html.UnescapeString(p.sku)
		if _, there := items[sku]; there {
			doubled = append(doubled, sku)
		}
		items[sku] = Item{p.id, p.parent, sku, p.name, p.kind, p.status, p.regular, p.sale, p.managed, p.quantity, len(p.images),
			p.tax, p.ships}
	}
	return items, doubled
}

// Images returns the addresses of the pictures that a SKU shows; taken is how many the shop has fetched in all.
func (s *Shop) Images(sku string) (shown []string, taken int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.products {
		if html.UnescapeString(p.sku) == sku && p.status != "trash" {
			for _, i := range p.images {
				shown = append(shown, i.src)
			}
		}
	}
	return shown, len(s.media)
}

// Unname takes a product's SKU away, as merchants have it who give SKUs to variations alone.
func (s *Shop) Unname(sku string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owner(sku, 0).sku = ""
}

// SetStock changes a count as the shop's merchant would.
func (s *Shop) SetStock(sku string, quantity int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.owner(sku, 0); p != nil {
		p.quantity = quantity
		s.notify("product.updated", p.id)
	}
}

// Bin moves a product into the bin as the shop's merchant would, with its variations. There it can still be read and
// written.
func (s *Shop) Bin(sku string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.owner(sku, 0); p != nil {
		s.deleteProduct(p, false)
	}
}

// Remove deletes a product for good as the shop's merchant would.
func (s *Shop) Remove(sku string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.owner(sku, 0); p != nil {
		s.deleteProduct(p, true)
	}
}

// Trade returns the GTIN, the weight in grams and the tax class of a product or variation.
func (s *Shop) Trade(sku string) (gtin, weight, tax string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.owner(sku, 0)
	return p.gtin, p.weight, p.tax
}
