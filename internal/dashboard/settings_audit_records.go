package dashboard

import (
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// logName is a record as the audit log shows it.
type logName struct {
	Name string
	To   string // address of its page, "" without one
}

// logNames are the records of the entries on a page of the audit log, and its actors, by kind and id: "api_key:<id>".
type logNames map[string]logName

// readLogNames reads the names that a page of the audit log needs: one list for each kind of record on it, all in one
// message. A deleted record has no name, and one that the user may not read has none either.
func (r *request) readLogNames(tx *db.Tx, list []audit.Entry) (logNames, error) {
	n := logNames{"account:" + string(r.session.Account.ID): {r.session.Account.Name, prefix + "/settings/account"}}
	ids := map[string][]string{}
	for i := range list {
		kind, actor := actorOf(&list[i])
		ids[kind] = append(ids[kind], actor)
		ids[list[i].ResourceType] = append(ids[list[i].ResourceType], list[i].ResourceID)
	}
	var reads []func(*db.Tx) error
	for kind, record := range logRecords {
		if wanted := validIDs(ids[kind]); len(wanted) > 0 && (record.scope == "" || r.caller().May(record.scope)) {
			opens := r.d.opens(r, record.at+"{id}")
			reads = append(reads, func(tx *db.Tx) error {
				return record.names(tx, wanted, func(which, name string, there bool) {
					found := logName{Name: short(name)}
					if opens && there {
						found.To = prefix + record.at + which
					}
					n[kind+":"+which] = found
				})
			})
		}
	}
	return n, tx.Together(reads...)
}

// actorOf is the kind and the id of the user or key behind an entry; "" for the service itself.
func actorOf(e *audit.Entry) (kind, which string) {
	kind, which, _ = strings.Cut(e.Actor, ":")
	if kind == "key" {
		kind = "api_key"
	}
	return kind, which
}

// validIDs are the texts that are ids, each once.
func validIDs(texts []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.DeleteFunc(texts, func(text string) bool {
		_, ok := id.Parse[string](text)
		return !ok
	}))))
}

// who is the name of an entry's actor.
func (n logNames) who(e *audit.Entry) string {
	kind, which := actorOf(e)
	name := cmp.Or(n[kind+":"+which].Name, e.ActorName) // the former name of a deleted actor
	switch {
	case name == "":
		name, _, _ = strings.Cut(e.Actor, ":")
	case kind == "api_key":
		name = "key " + name
	}
	return name
}

// of is how an entry's record is shown: by its name, or else by its id.
func (n logNames) of(e *audit.Entry) logName {
	if found, ok := n[e.ResourceType+":"+e.ResourceID]; ok {
		return found
	}
	return logName{Name: e.ResourceID}
}

// logRecord reads the names of one kind of record.
type logRecord struct {
	scope string // that the user needs to read them, "" for what the audit log's own scope is enough
	at    string // path of a record's page, before its id
	names func(tx *db.Tx, ids []string, found foundName) error
}

// foundName takes the name of a record, and whether it still has a page.
type foundName func(which, name string, there bool)

// logRecords are the kinds of records that have names or pages, by the kind's name in the log.
var logRecords = map[string]logRecord{
	"attribute": {"read:attributes", "/attributes/", attributeLogNames},
	"segment":   {"read:customers", "/segments/", segmentLogNames},
	"warehouse": {"read:inventory", "/stock/warehouses/", warehouseLogNames},
	"user":      {"", "/settings/users/", userLogNames},
	"api_key":   {"", "/keys/", keyLogNames},
	"channel":   {"read:channels", "/channels/", channelLogNames},
	"endpoint":  {"read:webhooks", "/webhooks/", endpointLogNames},
	"customer":  {"read:customers", "/customers/", customerLogNames},
	"job":       {"read:channels", "/jobs/", ownIDs},
	"delivery":  {"read:webhooks", "/webhooks/deliveries/", ownIDs},
}

func userLogNames(tx *db.Tx, _ []string, found foundName) error {
	names, err := userNames(tx)
	for user, name := range names {
		found(string(user), name, true)
	}
	return err
}

func keyLogNames(tx *db.Tx, ids []string, found foundName) error {
	return accounts.KeyNames(tx, ids, func(key id.Key, name string, revoked bool) { found(string(key), name, !revoked) })
}

func channelLogNames(tx *db.Tx, _ []string, found foundName) error {
	list, _, err := channels.List(tx, 1000, 0)
	for i := range list {
		found(string(list[i].ID), list[i].Name, true)
	}
	return err
}

func endpointLogNames(tx *db.Tx, _ []string, found foundName) error {
	list, _, err := webhooks.Endpoints(tx, 1000, 0)
	for i := range list {
		found(string(list[i].ID), endpointName(&list[i]), true)
	}
	return err
}

func attributeLogNames(tx *db.Tx, _ []string, found foundName) error {
	list, _, err := catalog.ListAttributes(tx, 1000, 0)
	for i := range list {
		found(string(list[i].ID), list[i].Label, true)
	}
	return err
}

func segmentLogNames(tx *db.Tx, _ []string, found foundName) error {
	list, _, err := customers.SegmentPage(tx, 1000, 0)
	for i := range list {
		found(string(list[i].ID), list[i].Name, true)
	}
	return err
}

func warehouseLogNames(tx *db.Tx, _ []string, found foundName) error {
	list, _, err := stock.Warehouses(tx, 1000, 0)
	for i := range list {
		found(string(list[i].ID), list[i].Name, true)
	}
	return err
}

// customerLogNames reads the names of customers; an erased one has only the address that stands for it.
func customerLogNames(tx *db.Tx, ids []string, found foundName) error {
	list, err := customers.ReadAll(tx, idsOf[id.Customer](ids))
	for i := range list {
		name := list[i].Name()
		if name == "" {
			name = list[i].Email
		}
		found(string(list[i].ID), name, true)
	}
	return err
}

// ownIDs are records that have a page and no name: they are called by the end of their id, which differs most.
func ownIDs(_ *db.Tx, ids []string, found foundName) error {
	for _, which := range ids {
		found(which, "…"+which[max(0, len(which)-6):], true)
	}
	return nil
}
