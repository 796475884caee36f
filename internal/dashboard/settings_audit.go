package dashboard

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/db"
)

// settingsLogRoutes are the audit log and the refused requests.
var settingsLogRoutes = []*route{
	{method: "GET", path: "/settings/audit", scope: "read:users", serve: (*Dashboard).showAudit},
	{method: "GET", path: "/settings/requests", scope: "read:users", serve: (*Dashboard).showRefused},
}

type auditRow struct {
	Who, Action, Code, Resource, ResourceID, Details string
	WhoTo, ActionTo, ResourceTo                      string
	Record                                           logName
	At                                               stamp
}

// showAudit serves GET /settings/audit.
func (d *Dashboard) showAudit(r *request) (answer, error) {
	l := r.listing("/settings/audit", "entry", "entries", "actor", "action", "resourceType", "resourceId", "from", "to")
	l.Tabs = r.settingsTabs(l.path)
	l.Heads = []head{{Label: "What"}, {Label: "When"}, {Label: "Who"}, {Label: "Record"}, {Label: "Details", Drop: 2}}
	l.chip("By", "actor")
	l.chip("What", "action")
	l.chip("Kind", "resourceType")
	l.chip("Record", "resourceId")
	l.span()
	q := l.query
	f := audit.Filter{Actor: q.Text("actor"), Action: q.Text("action"), ResourceType: q.Text("resourceType"), ResourceID: q.Text("resourceId"),
		Limit: l.size, Offset: l.offset()}
	f.From, f.To = r.moments(q)
	view := listView[auditRow]{listing: l}
	err := r.readWide(func(tx *db.Tx) error {
		if l.wrong() {
			return nil
		}
		list, total, err := audit.List(tx, f)
		if err != nil {
			return err
		}
		names, err := r.readLogNames(tx, list)
		for i := range list {
			view.Rows = append(view.Rows, auditRowOf(l, &list[i], names))
		}
		l.rows(len(list), total)
		return err
	})
	return l.show(screen{Template: "audit", Title: "Audit log", Section: "/settings/account", Data: view}), err
}

// actorNames are the names behind "user:<id>" and "key:<id>".
func actorNames(tx *db.Tx) (map[string]string, error) {
	users, err := userNames(tx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for user, name := range users {
		names["user:"+string(user)] = name
	}
	keys, _, err := accounts.Keys(tx, 1000, 0)
	for _, k := range keys {
		names["key:"+string(k.ID)] = "key " + k.Name
	}
	return names, err
}

func auditRowOf(l *listing, e *audit.Entry, names logNames) auditRow {
	row := auditRow{Who: names.who(e), Action: actionWords(e.Action), Code: e.Action, Record: names.of(e),
		Resource:   strings.ReplaceAll(strings.ReplaceAll(e.ResourceType, "_", " "), "api ", "API "),
		ResourceID: e.ResourceID,
		WhoTo:      l.with("actor", e.Actor), ActionTo: l.with("action", e.Action), ResourceTo: l.with("resourceId", e.ResourceID),
		At: l.r.format.Stamp(e.CreatedAt)}
	row.Details = auditWords(e)
	return row
}

// auditWords are an entry's details, what it replaced, and the client's address.
func auditWords(e *audit.Entry) string {
	var words []string
	var changes []audit.Change
	details := map[string]string{}
	if json.Unmarshal([]byte(e.Changes), &changes) == nil {
		for _, c := range changes {
			words = append(words, c.Field+" "+cmp.Or(c.From, "none")+" → "+cmp.Or(c.To, "none"))
		}
	}
	if json.Unmarshal([]byte(e.Details), &details) == nil {
		for _, name := range slices.Sorted(maps.Keys(details)) {
			if name != "fields" && name != "address" {
				words = append(words, name+" "+details[name])
			}
		}
	}
	if from := cmp.Or(e.Address, details["address"]); from != "" {
		words = append(words, "from "+from)
	}
	return strings.Join(words, ", ")
}

// actionWords is an action of the audit log in words: "API key created" for api_key.created.
func actionWords(action string) string {
	return strings.Replace(sentence(strings.NewReplacer(".", " ", "_", " ").Replace(action)), "Api ", "API ", 1)
}
