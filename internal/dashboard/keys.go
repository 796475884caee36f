package dashboard

import (
	"slices"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
)

// keyRoutes are the API keys, for owners and admins.
var keyRoutes = []*route{
	{method: "GET", path: "/keys", admin: true, serve: (*Dashboard).showKeys},
	{method: "GET", path: "/keys/new", admin: true, serve: (*Dashboard).showNewKey},
	{method: "POST", path: "/keys/new", admin: true, serve: (*Dashboard).createKey},
	{method: "GET", path: "/keys/{id}", admin: true, serve: (*Dashboard).showKey},
	{method: "POST", path: "/keys/{id}/revoke", admin: true, serve: (*Dashboard).revokeKey},
}

// keyRow is a key in the list.
type keyRow struct {
	ID, Name, Prefix, Scopes, By, To string
	Used, Made, Ends                 stamp
	Ended                            bool
}

// showKeys serves GET /keys.
func (d *Dashboard) showKeys(r *request) (answer, error) {
	l := r.listing("/keys", "key", "keys")
	l.Heads = []head{{Label: "Name"}, {Label: "Rights"}, {Label: "Last used"}, {Label: "Created by", Drop: 2}, {Label: "Expires"}}
	view := listView[keyRow]{listing: l}
	err := r.read(func(tx *db.Tx) error {
		list, total, err := accounts.Keys(tx, l.size, l.offset())
		if err != nil {
			return err
		}
		names, err := userNames(tx)
		for _, k := range list {
			view.Rows = append(view.Rows, r.keyRow(k, names))
		}
		if l.rows(len(list), total) {
			l.Pager.Empty = &empty{Icon: "key", Head: "No API keys yet",
				Text:  "A key lets a program read and write this account: an ERP, a script, a shop of your own.",
				Label: "Create a key", To: prefix + "/keys/new", Curl: r.curl("read:orders", "GET", "/orders?limit=10", "")}
		}
		return err
	})
	return l.show(screen{Template: "keys", Title: "API keys", Section: "/keys", Data: view}), err
}

// userNames are the names of the account's users.
func userNames(tx *db.Tx) (map[id.User]string, error) {
	list, _, err := accounts.Users(tx, 1000, 0)
	names := make(map[id.User]string, len(list))
	for _, u := range list {
		names[u.ID] = u.Name
	}
	return names, err
}

func (r *request) keyRow(k accounts.Key, names map[id.User]string) keyRow {
	row := keyRow{ID: string(k.ID), Name: k.Name, Prefix: k.Prefix + "…", Scopes: scopeWords(k.Scopes), By: names[k.CreatedBy],
		To: prefix + "/keys/" + string(k.ID), Used: r.format.Stamp(k.LastUsedAt), Made: r.format.Stamp(k.CreatedAt),
		Ends: r.format.Stamp(k.ExpiresAt), Ended: k.ExpiresAt != 0 && k.ExpiresAt <= r.format.now.UnixMicro()}
	switch {
	case k.CreatedBy == "":
		row.By = "command line"
	case row.By == "":
		row.By = "a user who was removed"
	}
	return row
}

// scopeWords describes a key's scopes in a line.
func scopeWords(scopes []string) string {
	if len(scopes) == len(accounts.AllScopes) {
		return "everything"
	}
	var writes, reads []string
	for _, scope := range scopes {
		verb, resource, _ := strings.Cut(scope, ":")
		switch {
		case verb == "write":
			writes = append(writes, resource)
		case !slices.Contains(scopes, "write:"+resource):
			reads = append(reads, resource)
		}
	}
	var words []string
	if len(writes) > 0 {
		words = append(words, "write "+strings.Join(writes, ", "))
	}
	if len(reads) > 0 {
		words = append(words, "read "+strings.Join(reads, ", "))
	}
	return strings.Join(words, " · ")
}

// scopeRow is a resource in the grid of scopes.
type scopeRow struct {
	Resource    string
	Read, Write option
}

// grid groups the options of scopes by resource.
func grid(options []option) (rows []scopeRow) {
	for _, resource := range accounts.Resources {
		row := scopeRow{Resource: resource}
		for _, o := range options {
			switch o.Value {
			case "read:" + resource:
				row.Read = o
			case "write:" + resource:
				row.Write = o
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func scopeOptions() (list []option) {
	for _, resource := range accounts.Resources {
		list = append(list, option{Value: "read:" + resource, Label: "read " + resource},
			option{Value: "write:" + resource, Label: "write " + resource})
	}
	return list
}

func keyForm(r *request) *form {
	return r.form("/keys/new",
		field{Name: "name", Label: "Name", Required: true, Max: limits.MaxName, Focus: true,
			Hint: "Where it will be used: \"ERP\", \"price script\""},
		field{Name: "scopes", Label: "What it may do", Kind: "checks", Options: scopeOptions(),
			Hint: "Write includes read. Give it no more than it needs."},
		field{Name: "expiresAt", Label: "Expires", Kind: "date", Hint: "Empty: never. It ends when this day begins (UTC)."})
}

type newKeyView struct {
	Form *form
	Grid []scopeRow
}

// showNewKey serves GET /keys/new.
func (d *Dashboard) showNewKey(r *request) (answer, error) {
	f := keyForm(r)
	return show(screen{Template: "key_new", Title: "New API key", Section: "/keys", Crumbs: []crumb{{"API keys", "/keys"}, {"New", ""}},
		Data: newKeyView{f, grid(f.At("scopes").Options)}}), nil
}

// createKey serves POST /keys/new: the page that shows the key once.
func (d *Dashboard) createKey(r *request) (answer, error) {
	r.nameAsked()
	return r.submit(keyForm(r), d.showNewKey, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadKey(o)
		if len(draft.Scopes) == 0 && !r.http.PostForm.Has("scopes") {
			return answer{}, apperr.At("scopes", "is not chosen yet: tick at least one box")
		}
		if !draft.ExpiresAt.IsZero() && !draft.ExpiresAt.After(d.DB.Now()) {
			o.AddError("expiresAt", "must lie in the future")
		}
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		_, secret, err := d.writeSecret(r, func(tx *db.Tx) (string, string, error) {
			key, secret, err := d.Commerce.CreateKey(tx, r.caller(), draft)
			return string(key.ID), secret, err
		})
		return show(screen{Template: "secret", Title: "New API key", Section: "/keys", Crumbs: []crumb{{"API keys", "/keys"}, {draft.Name, ""}},
			Data: once{Head: "Copy the key now", Text: "You see it only now. Only its hash is kept: nobody can look it up later.",
				Label: "API key", Secret: secret, Back: prefix + "/keys",
				Curl: r.askedCommand(secret)}}), err
	})
}

type keyView struct {
	Key    keyRow
	Pairs  []pair
	Grid   []scopeRow
	Revoke ask
}

// showKey serves GET /keys/{id}.
func (d *Dashboard) showKey(r *request) (answer, error) {
	key, row, err := r.key()
	if err != nil {
		return answer{}, err
	}
	options := scopeOptions()
	for i := range options {
		options[i].On = slices.Contains(key.Scopes, options[i].Value)
	}
	view := keyView{Key: row, Grid: grid(options), Pairs: []pair{{Name: "Begins with", Value: row.Prefix, Mono: true},
		{Name: "Created by", Value: row.By}, {Name: "Key id", Value: row.ID, Mono: true}},
		Revoke: newAsk("revoke", "Revoke this key?", "Whatever uses it fails from now on, on every node. You cannot undo this.",
			"Revoke key", r.form("/keys/"+row.ID+"/revoke"))}
	return show(screen{Template: "key", Title: row.Name, Section: "/keys", Crumbs: []crumb{{"API keys", "/keys"}, {row.Name, ""}},
		Data: view}), nil
}

// key reads the key that the request names.
func (r *request) key() (key accounts.Key, row keyRow, err error) {
	which, err := pathID[id.Key](r, "API key")
	if err != nil {
		return key, row, err
	}
	err = r.read(func(tx *db.Tx) error {
		if key, err = accounts.KeyByID(tx, which); err != nil {
			return err
		}
		names, err := userNames(tx)
		row = r.keyRow(key, names)
		return err
	})
	return key, row, err
}

// revokeKey serves POST /keys/{id}/revoke.
func (d *Dashboard) revokeKey(r *request) (answer, error) {
	which, err := pathID[id.Key](r, "API key")
	if err != nil {
		return answer{}, err
	}
	out, err := d.write(r, func(tx *db.Tx) (answer, error) {
		return redirect("/keys", "Revoked the key"), d.Commerce.RevokeKey(tx, r.caller(), which)
	})
	if apperr.Is(err, apperr.NotFound) {
		err = apperr.Missing("API key")
	}
	return out, err
}
