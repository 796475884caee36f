package dashboard

import (
	"encoding/json"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/webhooks"
)

// subject is the record of an event.
type subject struct{ event, resource, payload string }

// subjectNames are the names of the records of events, by id: an order's number, a product's SKU, a category's name,
// that of a job's channel, a customer's e-mail address. A record that the user may not read, or whose event has no
// name for it, has none.
func (r *request) subjectNames(tx *db.Tx, list []subject) (map[string]string, error) {
	names := map[string]string{}
	blank := map[string][]string{} // ids of records whose event does not name them, by kind
	for _, s := range list {
		if s.resource == "" || names[s.resource] != "" || !r.caller().May(webhooks.ReadScope(s.event)) {
			continue
		}
		switch category(s.event) {
		case "order":
			blank["order"] = append(blank["order"], s.resource)
		case "product", "category", "channel", "customer":
			if name := nameIn(s.payload); name != "" {
				names[s.resource] = name
			} else {
				blank[category(s.event)] = append(blank[category(s.event)], s.resource)
			}
		}
	}
	var reads []func(*db.Tx) error
	for kind, read := range subjectReads {
		if ids := validIDs(blank[kind]); len(ids) > 0 {
			reads = append(reads, func(tx *db.Tx) error {
				return read(tx, ids, func(which, name string, _ bool) { names[which] = short(name) })
			})
		}
	}
	return names, tx.Together(reads...)
}

// subjectReads read the names of records, by the kind of their events. Categories are called by their ids.
var subjectReads = map[string]func(tx *db.Tx, ids []string, found foundName) error{
	"order": orderNames, "product": productNames, "channel": jobNames, "customer": customerLogNames,
}

func orderNames(tx *db.Tx, ids []string, found foundName) error {
	numbers, err := orders.NumbersOf(tx, idsOf[id.Order](ids))
	for order, number := range numbers {
		found(string(order), orders.Number(number), true)
	}
	return err
}

// jobNames calls the jobs of a channel after it, as the event log does, and others by the end of their id.
func jobNames(tx *db.Tx, ids []string, found foundName) error {
	list, err := jobs.ByIDs(tx, idsOf[id.Job](ids))
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, j := range list {
		if j.ChannelName != "" {
			named[string(j.ID)] = true
			found(string(j.ID), j.ChannelName, true)
		}
	}
	return ownIDs(tx, slices.DeleteFunc(ids, func(which string) bool { return named[which] }), found)
}

func productNames(tx *db.Tx, ids []string, found foundName) error {
	list, err := catalog.ByIDs(tx, idsOf[id.Product](ids))
	for _, p := range list {
		found(string(p.ID), p.SKU, true)
	}
	return err
}

// idsOf are texts as ids of one kind.
func idsOf[T ~string](texts []string) []T {
	ids := make([]T, len(texts))
	for i, text := range texts {
		ids[i] = T(text)
	}
	return ids
}

// nameIn is the name of the record in an event's payload, "" when it holds none.
func nameIn(payload string) string {
	var envelope struct {
		Data struct{ SKU, Name, Email, ChannelName string } `json:"data"`
	}
	if json.Unmarshal([]byte(payload), &envelope) != nil {
		return "" // the payload was deleted after its retention
	}
	d := envelope.Data
	for _, name := range []string{d.SKU, d.Name, d.ChannelName, d.Email} {
		if name != "" {
			return short(name)
		}
	}
	return ""
}
