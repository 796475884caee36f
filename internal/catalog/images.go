package catalog

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/db"
)

// Image is one picture of a product.
type Image struct {
	ID       string
	URL      string
	Position int64
}

// Images returns the pictures of a product, in their order.
func (p Product) Images() (list []Image) {
	if p.Media == "[]" {
		return nil
	}
	v, err := jsonvalue.Parse([]byte(p.Media))
	if err != nil {
		return nil
	}
	for _, one := range v.List() {
		position, _ := one.Member("position").Integer()
		list = append(list, Image{one.Member("id").Text(), one.Member("url").Text(), position})
	}
	return list
}

// images applies the images, which are given as the whole list. An image keeps its id as long as its URL is in the list.
func (k *Lookup) images(r *Change, d *Draft) {
	if !d.Images.Set || len(d.Images.Value) == 0 && r.After.Media == "[]" {
		return
	}
	wanted := make([]Image, len(d.Images.Value))
	for i, one := range d.Images.Value {
		wanted[i] = Image{URL: one.URL, Position: one.Position}
	}
	slices.SortStableFunc(wanted, func(a, b Image) int { return int(a.Position - b.Position) })
	before := r.After.Images()
	if slices.EqualFunc(wanted, before, func(w, b Image) bool { return w.URL == b.URL && w.Position == b.Position }) {
		return
	}
	for i := range wanted {
		if at := slices.IndexFunc(before, func(b Image) bool { return b.URL == wanted[i].URL }); at >= 0 {
			wanted[i].ID = before[at].ID
			before = slices.Delete(before, at, at+1)
		} else {
			wanted[i].ID = id.New[string]()
		}
	}
	r.After.Media = k.media(wanted)
	r.changed("images")
}

// MediaChanged returns the media of products that changed after a moment, in the order of their changes, at most limit of
// them, and the last one's moment.
func MediaChanged(tx *db.Tx, since int64, limit int) (media []string, last int64, err error) {
	last = since
	media, err = db.List(tx, func(r db.Rows) (text string, err error) { return text, r.Scan(&last, &text) },
		`SELECT changed_at, media FROM products WHERE tenant_id = $1 AND changed_at > $2 AND deleted_at IS NULL
		ORDER BY changed_at LIMIT $3`, tx.Tenant, since, limit)
	return media, last, err
}
