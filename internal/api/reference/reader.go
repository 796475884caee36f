package reference

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Reader is a signed-in user, as far as samples need it.
type Reader struct {
	// Values are the account's values, by the part of a path that precedes them ("orders": ids of orders), or by the
	// member of a body ("sku", "warehouseCode"). Values that the account does not have, or the user may not read, are
	// missing.
	Values map[string][]string
	Keys   []Key // from which the user may choose, not revoked
}

// Key is an API key. Its text is not stored, so that samples can only have its beginning.
type Key struct {
	ID, Name string
	Prefix   string // "pk_live_ab12"
}

// forReader is the page with samples for a signed-in user: with ids of the account and the chosen key, "" for none.
func (p *page) forReader(reader *Reader, chosen string) *page {
	own := *p
	own.Reader, own.Chosen = reader, nil
	if i := slices.IndexFunc(reader.Keys, func(k Key) bool { return k.ID == chosen }); i >= 0 {
		own.Chosen = &reader.Keys[i]
	}
	own.Groups = nil
	for _, g := range p.Groups {
		filled := *g
		filled.Entries = slices.Clone(g.Entries)
		for i := range filled.Entries {
			filled.Entries[i].fill(reader, own.Chosen)
		}
		own.Groups = append(own.Groups, &filled)
	}
	return &own
}

// fill makes the samples of an operation again, for a reader. Operations that delete keep the names of their
// parameters, because a pasted line must not delete what the account has.
func (e *entry) fill(reader *Reader, key *Key) {
	c := e.sent
	if key != nil {
		c.key, e.Keep = key.Prefix+"…", "?key="+url.QueryEscape(key.ID)
	}
	if c.method != "DELETE" && !strings.HasSuffix(c.path, "/erase") {
		c.path, c.body = reader.path(c.path), reader.body(c.body, e.makesProducts())
	}
	e.Curl, e.Samples = c.curlText(), c.samples()
}

// makesProducts reports whether the SKUs in the body name products to create or change.
func (e *entry) makesProducts() bool {
	return strings.HasPrefix(e.sent.path, "/api/v1/products") || strings.HasPrefix(e.sent.path, "/api/v1/sdk/products")
}

var pathParameter = regexp.MustCompile(`([\w-]+)/\{(\w+)\}`)

// path replaces the parameters of a path for which the account has a value.
func (r *Reader) path(path string) string {
	if strings.Contains(path, "/webhooks/platform/") { // platforms send to it, no one else
		return path
	}
	return pathParameter.ReplaceAllStringFunc(path, func(text string) string {
		at := pathParameter.FindStringSubmatch(text)
		kind := at[1]
		switch at[2] {
		case "sku":
			kind = "sku"
		case "productId":
			kind = "products"
		case "id", "jobId":
		default:
			return text
		}
		if values := r.Values[kind]; len(values) > 0 {
			return at[1] + "/" + pathText(values[0])
		}
		return text
	})
}

// pathText is a text as a part of a path that has no meaning to a shell either.
func pathText(text string) string { return strings.ReplaceAll(url.PathEscape(text), "$", "%24") }

// members are the members of bodies that name a record, and what each is a value of.
var members = map[string]string{"customerId": "customers", "channelId": "channels", "productId": "products", "endpointId": "webhooks",
	"sku": "sku", "warehouseCode": "warehouseCode", "orderItemId": "lines"}

var member = regexp.MustCompile(`"(\w+)":"((?:[^"\\]|\\.)*)"`)

// body replaces the values of a body that the account has others for; the first with one name gets the first value,
// and so on.
func (r *Reader) body(text string, keepSKUs bool) string {
	count := map[string]int{}
	return member.ReplaceAllStringFunc(text, func(found string) string {
		name := member.FindStringSubmatch(found)[1]
		values := r.Values[members[name]]
		if len(values) == 0 || name == "sku" && keepSKUs {
			return found
		}
		value, err := json.Marshal(values[count[name]%len(values)])
		if err != nil {
			return found
		}
		count[name]++
		return `"` + name + `":` + string(value)
	})
}
