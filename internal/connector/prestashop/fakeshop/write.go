package fakeshop

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// element is a part of a document that came.
type element struct {
	XMLName  xml.Name
	Language string    `xml:"id,attr"`
	Text     string    `xml:",chardata"`
	Children []element `xml:",any"`
}

// write creates, changes or deletes resources.
func (s *Shop) write(w http.ResponseWriter, r *http.Request, res *resource, id string) {
	if res.name == "images" {
		s.picture(w, r, strings.TrimPrefix(id, "products/"))
		return
	}
	if r.Method == http.MethodDelete {
		s.delete(w, res, id)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	var doc element
	if err == nil {
		err = xml.NewDecoder(bytes.NewReader(body)).Decode(&doc)
	}
	if err != nil || len(doc.Children) == 0 {
		s.refuse(w, http.StatusInternalServerError, 127, "XML error : "+strings.TrimSpace(string(body[:min(40, len(body))])))
		return
	}
	if r.Method == http.MethodPost && res.name == "stock_availables" {
		s.refuse(w, http.StatusMethodNotAllowed, 101, "Method POST is not allowed for the resource stock_availables")
		return
	}
	var shown strings.Builder
	for _, e := range doc.Children {
		row, code, wrong := s.store(r, res, id, e)
		if wrong != "" {
			s.refuse(w, http.StatusBadRequest, code, wrong)
			return
		}
		if row == nil {
			s.refuse(w, http.StatusNotFound, 92, "Invalid ID")
			return
		}
		shown.WriteString(s.document(res, row, nil))
	}
	status := http.StatusOK
	if r.Method == http.MethodPost {
		status = http.StatusCreated
	}
	s.answer(w, status, shown.String())
}

// store writes one thing and does what hangs on it.
func (s *Shop) store(r *http.Request, res *resource, id string, e element) (at *row, code int, wrong string) {
	fields, texts, links := map[string]string{}, map[string]map[string]string{}, map[string][]map[string]string{}
	for _, c := range e.Children {
		name := c.XMLName.Local
		switch {
		case name == "id":
			if id == "" {
				id = strings.TrimSpace(c.Text)
			}
		case name == "associations":
			for _, list := range c.Children {
				for _, one := range list.Children {
					link := map[string]string{}
					for _, m := range one.Children {
						link[m.XMLName.Local] = strings.TrimSpace(m.Text)
					}
					links[list.XMLName.Local] = append(links[list.XMLName.Local], link)
				}
			}
		case slices.Contains(res.texts, name):
			texts[name] = map[string]string{} // a language that is not sent is blank
			for _, l := range c.Children {
				texts[name][l.Language] = strings.TrimSpace(l.Text)
			}
		default:
			fields[name] = strings.TrimSpace(c.Text)
		}
	}
	if code, wrong = refusal(res, fields, texts); wrong != "" {
		return nil, code, wrong
	}
	if r.Method == http.MethodPost {
		at = s.add(res.name, fields)
	} else if at = s.find(res.name, id); at == nil {
		return nil, 0, ""
	}
	if r.Method == http.MethodPut { // what is not sent is empty from now on
		for _, name := range required[res.name] {
			if _, sent := fields[name]; !sent {
				return nil, 41, `parameter "` + name + `" required`
			}
		}
		at.fields, at.texts = map[string]string{}, map[string]map[string]string{}
	}
	for k, v := range fields {
		at.fields[k] = v
	}
	for k, v := range texts {
		at.texts[k] = v
	}
	for k, v := range links {
		at.links[k] = v
	}
	s.follow(r.Method, res, at)
	return at, 0, ""
}

// required are the fields that a resource must have when it is written whole.
var required = map[string][]string{"stock_availables": {"id_product", "id_product_attribute", "id_shop"}, "products": {"price"},
	"combinations": {"id_product", "minimal_quantity"}, "order_carriers": {"id_order", "id_carrier"},
	"specific_prices": {"id_product", "reduction_type"}}

// readOnly are fields that the shop shows and does not take.
var readOnly = map[string][]string{"products": {"manufacturer_name", "position_in_category", "quantity"}, "order_carriers": {"label_url"}}

// refusal returns what the shop finds wrong with fields, and its code.
func refusal(res *resource, fields map[string]string, texts map[string]map[string]string) (code int, wrong string) {
	for _, l := range texts["name"] {
		if strings.ContainsAny(l, "<>={}") {
			return 84, `Validation error: "Property Product-&gt;name is not valid"`
		}
	}
	for _, name := range []string{"price", "quantity", "reduction"} {
		if v, ok := fields[name]; ok {
			if _, err := strconv.ParseFloat(v, 64); err != nil {
				return 85, `Validation error: "The range of property ` + name + ` is currently 0."`
			}
		}
	}
	for _, name := range readOnly[res.name] {
		if _, ok := fields[name]; ok {
			return 93, "parameter \"" + name + "\" not writable. Please remove this attribute of this XML"
		}
	}
	return 0, ""
}

// follow is what the shop does by itself after a write.
func (s *Shop) follow(method string, res *resource, at *row) {
	post := method == http.MethodPost
	switch res.name {
	case "products":
		if post {
			s.add("stock_availables", map[string]string{"id_product": at.id, "id_product_attribute": "0", "quantity": "0", "id_shop": "1"})
			if !at.taxed() {
				at.fields["id_tax_rules_group"] = "0"
			}
		}
		for _, name := range readOnly["products"] {
			at.fields[name] = "0"
		}
		if !post {
			s.notify("product.updated", "id_product", at.id)
		}
	case "combinations":
		if post {
			s.add("stock_availables", map[string]string{"id_product": at.get("id_product"), "id_product_attribute": at.id, "quantity": "0",
				"id_shop": "1"})
		}
	case "stock_availables":
		s.addUp(at.get("id_product"))
	case "order_histories":
		at.fields["date_add"] = s.stamp()
		if o := s.find("orders", at.get("id_order")); o != nil {
			s.move(o, at.get("id_order_state"))
		}
	case "order_slip":
		at.fields["date_add"], at.fields["date_upd"] = s.stamp(), s.stamp()
	case "order_carriers":
		at.fields["label_url"] = "" // of a module
		if o := s.find("orders", at.get("id_order")); o != nil {
			o.fields["shipping_number"] = at.get("tracking_number")
			o.fields["date_upd"] = s.stamp()
		}
	}
}

// addUp updates the stock row of a product with combinations.
func (s *Shop) addUp(product string) {
	var sum int
	var whole *row
	found := false
	for _, r := range s.where("stock_availables", "id_product", product) {
		n, _ := strconv.Atoi(r.get("quantity"))
		if r.get("id_product_attribute") == "0" {
			whole = r
		} else {
			sum, found = sum+n, true
		}
	}
	if found && whole != nil {
		whole.fields["quantity"] = strconv.Itoa(sum)
	}
}

func (s *Shop) delete(w http.ResponseWriter, res *resource, id string) {
	if s.find(res.name, id) == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	drop := func(name string, gone func(*row) bool) {
		s.resources[name].rows = slices.DeleteFunc(s.resources[name].rows, gone)
	}
	drop(res.name, func(r *row) bool { return r.id == id })
	if res.name == "combinations" {
		drop("stock_availables", func(r *row) bool { return r.get("id_product_attribute") == id })
	}
	if res.name == "products" {
		drop("combinations", func(r *row) bool { return r.get("id_product") == id })
		drop("stock_availables", func(r *row) bool { return r.get("id_product") == id })
	}
	w.WriteHeader(http.StatusOK)
}

// picture stores a picture of a product, or deletes one.
func (s *Shop) picture(w http.ResponseWriter, r *http.Request, path string) {
	of, id, one := strings.Cut(path, "/")
	product := s.find("products", of)
	if r.Method == http.MethodDelete {
		has := func(l map[string]string) bool { return l["id"] == id }
		if !one || product == nil || !slices.ContainsFunc(product.links["images"], has) {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		product.links["images"] = slices.DeleteFunc(product.links["images"], has)
		if product.get("id_default_image") == id {
			product.fields["id_default_image"] = ""
		}
		w.WriteHeader(http.StatusOK)
		return
	}
	file, _, err := r.FormFile("image")
	if product == nil || err != nil {
		s.refuse(w, http.StatusBadRequest, 76, "Please set an \"image\" parameter with image data for value")
		return
	}
	head := make([]byte, 512)
	count, _ := io.ReadFull(file, head)
	if !strings.HasPrefix(http.DetectContentType(head[:count]), "image/") {
		s.refuse(w, http.StatusBadRequest, 76, "This image format is not recognized")
		return
	}
	at := s.add("images", map[string]string{"id_product": product.id})
	product.links["images"] = append(product.links["images"], map[string]string{"id": at.id})
	s.pictures = append(s.pictures, string(head[min(8, count):count]))
	if product.get("id_default_image") == "" {
		product.fields["id_default_image"] = at.id
	}
	s.answer(w, http.StatusOK, s.document(s.resources["images"], at, nil)+`<content encoding="base64"><![CDATA[aW1hZ2U=]]></content>`)
}

// Images returns what the pictures of a product contain, the first one first; taken is how many were uploaded in all.
func (s *Shop) Images(sku string) (shown []string, taken int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, product := range s.where("products", "reference", sku) {
		for _, l := range product.links["images"] {
			at, _ := strconv.Atoi(l["id"])
			if shown = append(shown, s.pictures[at-1]); l["id"] == product.get("id_default_image") {
				shown = append([]string{s.pictures[at-1]}, shown[:len(shown)-1]...)
			}
		}
	}
	return shown, len(s.pictures)
}
