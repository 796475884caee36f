package dashboard

import (
	"net/http"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/api/reference"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// Reader is the user of a request's session, for the API reference; nil without a session, or if the store does not
// answer.
func (d *Dashboard) Reader(hr *http.Request) *reference.Reader {
	r := &request{http: hr, d: d, route: &route{}}
	if err := d.authenticate(r); err != nil {
		return nil
	}
	reader := &reference.Reader{Values: map[string][]string{"users": {string(r.session.User.ID)}}}
	var reads []func(*db.Tx) error
	for _, known := range sampleReads {
		if r.caller().May(known.scope) {
			reads = append(reads, func(tx *db.Tx) error { return known.read(tx, reader.Values) })
		}
	}
	if r.caller().Role != accounts.Viewer {
		reads = append(reads, func(tx *db.Tx) error { return r.readSampleKeys(tx, reader) })
	}
	err := r.read(func(tx *db.Tx) error {
		return tx.Together(reads...)
	})
	if err != nil {
		d.Log.Warn("the ids for the API reference were not read", "id", r.id, "error", err)
		return nil
	}
	return reader
}

// keysToChoose is how many keys the reference offers.
const keysToChoose = 100

// readSampleKeys reads the keys that the user may choose for samples: those that have not expired.
func (r *request) readSampleKeys(tx *db.Tx, reader *reference.Reader) error {
	list, _, err := accounts.Keys(tx, keysToChoose, 0)
	list = slices.DeleteFunc(list, func(k accounts.Key) bool { return k.ExpiresAt != 0 && k.ExpiresAt <= r.format.now.UnixMicro() })
	for _, k := range list {
		reader.Keys = append(reader.Keys, reference.Key{ID: string(k.ID), Name: k.Name, Prefix: k.Prefix})
		reader.Values["api-keys"] = []string{string(list[0].ID)}
	}
	return err
}

// sampleReads read the values of one kind each: one query, or a count with it.
var sampleReads = []struct {
	scope string
	read  func(tx *db.Tx, values map[string][]string) error
}{
	{"read:orders", func(tx *db.Tx, values map[string][]string) error {
		list, err := orders.Heads(tx, orders.Filter{Limit: 1, Sort: orders.ByCreatedAt})
		if err != nil || len(list) == 0 {
			return err
		}
		values["orders"] = []string{string(list[0].ID)}
		newest, err := orders.ByID(tx, list[0].ID)
		if err != nil {
			return err
		}
		for _, l := range newest.Lines {
			values["lines"] = append(values["lines"], string(l.ID))
		}
		return nil
	}},
	{"read:products", func(tx *db.Tx, values map[string][]string) error {
		list, err := catalog.Newest(tx, 3)
		for _, p := range list {
			values["products"], values["sku"] = append(values["products"], string(p.ID)), append(values["sku"], p.SKU)
		}
		return err
	}},
	{"read:customers", func(tx *db.Tx, values map[string][]string) error {
		which, err := customers.Newest(tx)
		if which != "" {
			values["customers"] = []string{string(which)}
		}
		return err
	}},
	{"read:customers", func(tx *db.Tx, values map[string][]string) error {
		list, _, err := customers.SegmentPage(tx, 1, 0)
		for i := range list {
			values["segments"] = []string{string(list[i].ID)}
		}
		return err
	}},
	{"read:attributes", func(tx *db.Tx, values map[string][]string) error {
		list, _, err := catalog.ListAttributes(tx, 1, 0)
		for i := range list {
			values["attributes"] = []string{string(list[i].ID)}
		}
		return err
	}},
	{"read:inventory", func(tx *db.Tx, values map[string][]string) error {
		list, _, err := stock.Warehouses(tx, 1, 0)
		for i := range list {
			values["warehouses"], values["warehouseCode"] = []string{string(list[i].ID)}, []string{list[i].Code}
		}
		return err
	}},
	{"read:channels", func(tx *db.Tx, values map[string][]string) error {
		list, _, err := channels.List(tx, 1, 0)
		for i := range list {
			values["channels"] = []string{string(list[i].ID)}
		}
		return err
	}},
	{"read:channels", func(tx *db.Tx, values map[string][]string) error {
		list, _, err := jobs.List(tx, jobs.Filter{Limit: 1})
		for i := range list {
			values["jobs"] = []string{string(list[i].ID)}
		}
		return err
	}},
	{"read:webhooks", func(tx *db.Tx, values map[string][]string) error {
		list, _, err := webhooks.Endpoints(tx, 1, 0)
		for i := range list {
			values["webhooks"] = []string{string(list[i].ID)}
		}
		return err
	}},
	{"read:webhooks", func(tx *db.Tx, values map[string][]string) error {
		page, err := webhooks.Log(tx, webhooks.LogFilter{Limit: 1, Newest: true})
		for i := range page.Events {
			values["events"] = []string{string(page.Events[i].ID)}
		}
		return err
	}},
}
