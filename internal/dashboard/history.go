package dashboard

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// history is the history of a product or a customer, newest first: what changed, who changed it and when.
type history struct {
	Lines []line
	All   string // its events in the log, "" for who may not read that
}

// historyLength is how many changes a page shows.
const historyLength = 15

// readHistory reads the newest events about a record from the log.
func (r *request) readHistory(tx *db.Tx, resource string) (h history, err error) {
	page, err := webhooks.Log(tx, webhooks.LogFilter{Resource: resource, Newest: true, Limit: historyLength + 1})
	if err != nil {
		return h, err
	}
	for i := range page.Events[:min(len(page.Events), historyLength)] {
		e := &page.Events[i]
		entry := line{Tone: "info", Glyph: "processing", Text: r.author(e.Actor, e.ActorName),
			At: r.format.Moment(e.CreatedAt, "2 Jan, 15:04:05")}
		_, happened, _ := strings.Cut(e.Name, ".")
		if entry.Head = sentence(happened); happened == "updated" {
			entry.Head = "Changed"
			var older *webhooks.Logged
			if i+1 < len(page.Events) {
				older = &page.Events[i+1]
			}
			if names := changedMembers(e, older); len(names) > 0 {
				for i := range names {
					names[i] = r.say(names[i])
				}
				entry.Head = r.say("Changed %s", strings.Join(names, ", "))
			}
		}
		h.Lines = append(h.Lines, entry)
	}
	if r.caller().May("read:webhooks") && (page.More || len(page.Events) > historyLength) {
		h.All = address("/events", map[string][]string{"resourceId": {resource}})
	}
	return h, nil
}

// readAuthors reads who made the newest changes of an order, in words, by their times.
func (r *request) readAuthors(tx *db.Tx, order string) (map[int64]string, error) {
	page, err := webhooks.Log(tx, webhooks.LogFilter{Resource: order, Newest: true, Limit: 100})
	authors := make(map[int64]string, len(page.Events))
	for i := range page.Events {
		e := &page.Events[i]
		authors[e.CreatedAt] = r.author(e.Actor, e.ActorName)
	}
	return authors, err
}

// author is who made a change, in words; name is what a key, a user or a channel was called then.
func (r *request) author(actor, name string) string {
	kind, which, _ := strings.Cut(actor, ":")
	switch {
	case actor == "":
		return ""
	case kind == "user" && which == string(r.session.User.ID):
		return r.say("by you")
	case name == "":
		return r.say("by %s", actorWords(actor))
	case kind == "key":
		return r.say("by key %s", name)
	case kind == "channel":
		return r.say("by the channel %s", name)
	}
	return r.say("by %s", name)
}

// sums are members that every order changes, and times.
var sums = []string{"ordersCount", "totalSpent", "createdAt", "updatedAt"}

// changedMembers are the members that an event changed, in words: those that it names, or in which its record differs
// from the record of the event before. older may be nil.
func changedMembers(e, older *webhooks.Logged) (names []string) {
	var now, before map[string]json.RawMessage
	if json.Unmarshal([]byte(e.Data()), &now) != nil {
		return nil
	}
	if named, ok := now["updatedFields"]; ok {
		_ = json.Unmarshal(named, &names)
	} else if older != nil && json.Unmarshal([]byte(older.Data()), &before) == nil {
		for _, name := range slices.Sorted(maps.Keys(now)) {
			if old, had := before[name]; had && !bytes.Equal(old, now[name]) && !slices.Contains(sums, name) {
				names = append(names, name)
			}
		}
	}
	for i, name := range names {
		names[i] = changedWords(name)
	}
	return names
}

// changedWords is a member of a record as people call it: "first name" for firstName.
func changedWords(member string) string {
	switch member {
	case "compareAtPrice":
		return "price before"
	case "categoryIds":
		return "categories"
	case "gtin":
		return "GTIN"
	case "vatIntracomNumber":
		return "VAT number"
	}
	return strings.ToLower(memberWords(member))
}
