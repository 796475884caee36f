package dashboard

import (
	"strconv"

	"entrepot/internal/audit"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

type refusedRow struct {
	Who, WhoTo, Route, Code, RequestID, Times string
	Status                                    badge
	At                                        stamp
}

// showRefused serves GET /settings/requests.
func (d *Dashboard) showRefused(r *request) (answer, error) {
	l := r.listing("/settings/requests", "request", "requests", "keyId", "status")
	l.Tabs = r.settingsTabs(l.path)
	l.Heads = []head{{Label: "Request"}, {Label: "When"}, {Label: "By"}, {Label: "Status"}, {Label: "Reason"}, {Label: "Times", Num: true},
		{Label: "Request id", Drop: 2}}
	l.chip("Key", "keyId")
	l.input("status", "Status")
	f := audit.RefusedFilter{Key: apijson.QueryID[id.Key](l.query, "keyId"), Status: int64(l.query.Int("status", 0, 0, 499)), Limit: l.size,
		Offset: l.offset()}
	view := listView[refusedRow]{listing: l}
	err := r.readWide(func(tx *db.Tx) error {
		if l.wrong() {
			return nil
		}
		list, total, err := audit.ListRefused(tx, f)
		if err != nil {
			return err
		}
		names, err := actorNames(tx)
		for i := range list {
			view.Rows = append(view.Rows, r.refusedRow(&list[i], names))
		}
		if l.rows(len(list), total) {
			l.Pager.Empty = &empty{Icon: "shield", Head: "Nothing was refused", Text: "Requests of your keys and users that the API refuses " +
				"appear here within seconds: a missing scope, a wrong field, a limit reached, a revoked key that is still in use."}
		}
		return err
	})
	return l.show(screen{Template: "refused", Title: "Refused requests", Section: "/settings/account", Data: view}), err
}

func (r *request) refusedRow(e *audit.Refused, names map[string]string) refusedRow {
	row := refusedRow{Who: names["user:"+string(e.User)], Route: e.Method + " " + e.Route, Code: e.Code, RequestID: e.RequestID,
		Times: r.format.Count(e.Times), At: r.format.Stamp(e.At), Status: newBadge("warn", "", strconv.FormatInt(e.Status, 10))}
	if e.Key != "" {
		row.Who, row.WhoTo = names["key:"+string(e.Key)], address("/settings/requests", map[string][]string{"keyId": {string(e.Key)}})
		if row.Who == "" {
			row.Who = "a revoked key"
		}
	}
	if row.Who == "" {
		row.Who = "a user"
	}
	if e.Status == 401 || e.Status == 429 {
		row.Status.Tone = "bad"
	}
	return row
}
