package dashboard

import (
	"encoding/json"
	"slices"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/netguard"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
)

// firstStep is shown by an empty list; the button is only for users who may open its page.
func (r *request) firstStep(scope string, e empty) empty {
	if !r.caller().May(scope) {
		e.Label, e.To, e.File = "", "", ""
	}
	return e
}

// base is the service's address as the browser sees it: by https, but for development and on this machine itself,
// where commands of a page would else not work.
func (r *request) base() string {
	switch {
	case r.d.PublicURL != "":
		return strings.TrimSuffix(r.d.PublicURL, "/")
	case r.https() || !r.d.Dev && !netguard.LoopbackHost(r.http.Host):
		return "https://" + r.http.Host
	}
	return "http://" + r.http.Host
}

// command is a call of the API that a page shows, to be pasted into a shell.
type command struct {
	Text string // with keyPlaceholder for the key; "" for no command
	Key  *form  // its button makes a key and shows the command with it; nil for users who may make none
}

// keyPlaceholder stands in commands for a key.
const keyPlaceholder = "<API_KEY>"

// curl is a command that calls the API with a key of some scopes, separated by blanks; body is JSON, "" for none.
func (r *request) curl(scopes, method, path, body string) command {
	c := command{Text: r.curlWith(keyPlaceholder, method, path, body)}
	if r.caller().Role != accounts.Viewer {
		hidden := func(name, value string) field { return field{Name: name, Kind: "hidden", Value: value} }
		fields := []field{hidden("method", method), hidden("path", path), hidden("body", body)}
		for _, scope := range strings.Fields(scopes) {
			fields = append(fields, hidden("scopes", scope))
		}
		c.Key = r.form("/keys/new", fields...)
	}
	return c
}

// nameAsked names the key of a form that asks for one for a command.
func (r *request) nameAsked() {
	if sent := r.http.PostForm; !sent.Has("name") && sent.Has("path") {
		path, _, _ := strings.Cut(sent.Get("path"), "?")
		sent.Set("name", "curl "+path)
	}
}

// askedCommand is the command for which a form asked for a new key, with that key; without one, a command that reads
// the account.
func (r *request) askedCommand(key string) string {
	sent := r.http.PostForm
	method, path := sent.Get("method"), sent.Get("path")
	if !slices.Contains([]string{"GET", "POST", "PATCH"}, method) || !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " '\\\n") {
		return r.curlWith(key, "GET", "/account", "")
	}
	return r.curlWith(key, method, path, sent.Get("body"))
}

// curlWith is a command that calls the API with a key.
func (r *request) curlWith(key, method, path, body string) string {
	credential := r.say("X-API-Key: %s", key)
	at := r.base() + "/api/v1" + path
	switch {
	case method == "GET":
		return "curl '" + at + "' -H '" + credential + "'"
	case body == "":
		return "curl -X " + method + " '" + at + "' -H '" + credential + "'"
	}
	return "curl -X " + method + " '" + at + "' \\\n  -H '" + credential + "' -H 'Content-Type: application/json' \\\n" +
		"  -d '" + strings.ReplaceAll(body, "'", `\u0027`) + "'"
}

// newestProduct is the product that commands are about, so that they work as they are; its SKU is "" if there is none.
func newestProduct(tx *db.Tx) (p catalog.Sold, err error) {
	newest, err := catalog.Newest(tx, 1)
	if len(newest) > 0 {
		p = newest[0]
	}
	return p, err
}

// firstCall is an order with one line, from a channel unless that is "", or the import of the product that an order
// needs first, and the scope for it.
func firstCall(p catalog.Sold, channel string) (scope, method, path, body string) {
	if p.SKU == "" {
		return "write:products", "POST", "/sdk/products/bulk-import", productBody
	}
	from := ""
	if channel != "" {
		from = `"channelId":"` + channel + `",`
	}
	return "write:orders", "POST", "/orders", `{` + from + `"customerName":"Ada","items":[{"sku":` + quote(p.SKU) +
		`,"quantity":1,"unitPrice":` + p.Price.String() + `}]}`
}

// productBody is a first product for the import of lists.
const productBody = `{"products":[{"sku":"MUG-1","name":"Mug","price":12.5,"stock":{"quantity":40}}]}`

// quote is a text as JSON.
func quote(text string) string {
	out, _ := json.Marshal(text) // a text always can be
	return string(out)
}
