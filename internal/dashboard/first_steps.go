package dashboard

import (
	"encoding/json"
	"strings"

	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/netguard"
)

// firstStep is what an empty list shows; the button is only for users who may do what it leads to.
func (r *request) firstStep(scope string, e empty) empty {
	if !r.caller().May(scope) {
		e.Label, e.To, e.File = "", "", ""
	}
	return e
}

// base is the service's address as the browser sees it: by https, but for development and on this machine itself, where commands of a page
// would else not work.
func (r *request) base() string {
	switch {
	case r.d.PublicURL != "":
		return strings.TrimSuffix(r.d.PublicURL, "/")
	case r.https() || !r.d.Dev && !netguard.LoopbackHost(r.http.Host):
		return "https://" + r.http.Host
	}
	return "http://" + r.http.Host
}

// curl is a command that calls the API with a key; body is JSON, "" for none.
func (r *request) curl(method, path, body string) string {
	return r.curlWith("X-API-Key: <API_KEY>", method, path, body)
}

// curlWith is curl with the header of another credential.
func (r *request) curlWith(credential, method, path, body string) string {
	at := r.base() + "/api/v1" + path
	switch {
	case method == "GET":
		return "curl '" + at + "' -H '" + credential + "'"
	case body == "":
		return "curl -X " + method + " " + at + " -H '" + credential + "'"
	}
	return "curl -X " + method + " " + at + " \\\n  -H '" + credential + "' -H 'Content-Type: application/json' \\\n" +
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

// orderBody is an order with one line, from a channel unless that is "". Without a product, the SKU is a placeholder.
func orderBody(p catalog.Sold, channel string) string {
	price := p.Price.String()
	if p.SKU == "" {
		p.SKU, price = "YOUR-SKU", "9.9"
	}
	from := ""
	if channel != "" {
		from = `"channelId":"` + channel + `",`
	}
	return `{` + from + `"customerName":"Ada","items":[{"sku":` + quote(p.SKU) + `,"quantity":1,"unitPrice":` + price + `}]}`
}

// productBody is a first product for the import of lists.
const productBody = `{"products":[{"sku":"MUG-1","name":"Mug","price":12.5,"stock":{"quantity":40}}]}`

// quote is a text as JSON.
func quote(text string) string {
	out, _ := json.Marshal(text) // a text always can be
	return string(out)
}
