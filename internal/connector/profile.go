package connector

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/limits"
)

// Profile has a platform's names and the credential fields of its channels.
type Profile struct {
	Slug     string    // path segment of its notifications, lower case: "tiktok-shop"
	Aliases  []string  // other spellings of the segment, lower case
	Platform string    // platform value of its channels: "TIKTOK_SHOP"
	Fields   []Field   // credential fields without baseUrl, in the order of a form
	Settings []Setting // the platform's own settings, in the order of a form
	Webhooks Webhooks
	Proof    string // the credential that proves to the platform that the address of notifications is the service's; "" for none
	Header   string // the header of the signature for Pasted webhooks, unless the channel has another
	ByHand   string // what the merchant must do on the platform, for people; "" for nothing
}

// Webhooks says how a platform's notifications are set up.
type Webhooks string

// The ways to set up notifications.
const (
	Registered Webhooks = "registered" // the connector registers them by the platform's API
	Pasted     Webhooks = "pasted"     // the merchant enters address and secret in the shop
	Relayed    Webhooks = "relayed"    // the platform sends no webhooks; the merchant runs a relay that does
)

// Field is one credential of a channel.
type Field struct {
	Name     string
	Note     string   // what it is and where to find it, for people
	Required bool     // a channel without it is refused, unless it has all fields of Or
	Or       []string // fields that together replace it
	Form     Form
	Shop     bool // it says which shop or account of the platform the channel is

	Host func(value string) string // the host that a value which is no address stands for; nil if it stands for none

	Lasts time.Duration // how long the platform takes it; 0: for good, or as long as answers with new tokens say
	Renew string        // what to do before it ends, for people
}

// Setting is a setting that only one platform has (interface §4.5.7). Its value is a text.
type Setting struct {
	Name    string
	Label   string   // a few words for people
	Note    string   // what it does, a sentence for people
	Default string   // what happens without it, in words for people
	Values  []Choice // the values that it takes; nil for any text
}

// Choice is a value of a setting, with what it does in words for people.
type Choice struct{ Value, Words string }

// Form is the form of a credential's value.
type Form int

// The forms of credentials.
const (
	Text    Form = iota
	Secret       // text that is never shown again
	Address      // absolute http or https URL of this service, which the service does not call
	Target       // absolute URL that the service calls: https outside of development mode
	Header       // name of an HTTP header
)

// BaseURL is a credential of every platform: another address of the platform's API (sandbox, tests). It must be https
// unless the service runs in development mode.
var BaseURL = Field{Name: "baseUrl", Note: "another address for the platform's API, such as its sandbox", Form: Target, Shop: true}

var headerName = regexp.MustCompile(`^[A-Za-z0-9-]{1,100}$`)

// Known returns all credential fields of the platform: its own and baseUrl.
func (p Profile) Known() []Field { return append(slices.Clone(p.Fields), BaseURL) }

// NamesShop reports whether the fields say which shop or account a channel has: a marketplace alone does not.
func (p Profile) NamesShop() bool {
	return slices.ContainsFunc(p.Fields, func(f Field) bool { return f.Shop && f.Required && f.Name != "marketplaceId" })
}

// SameShop reports whether two versions of a channel name the same shop or account, as far as their fields say.
func (p Profile) SameShop(a, b Channel) bool {
	return !slices.ContainsFunc(p.Known(), func(f Field) bool {
		return f.Shop && strings.TrimRight(a.Value(f.Name), "/") != strings.TrimRight(b.Value(f.Name), "/")
	})
}

// Hosts are the hosts that a channel's fields name: the host to which its credentials are sent, "" for the platform's
// own, and the host at which its notifications are expected, "" for this service. The scheme, and a port that is not
// the scheme's, belong to a host.
func (p Profile) Hosts(c Channel) (hosts [2]string) {
	for _, f := range p.Known() { // baseUrl is the last one, and replaces the others
		value := c.Value(f.Name)
		switch {
		case value == "":
		case f.Form == Address:
			hosts[1] = hostOf(value)
		case f.Form == Target:
			hosts[0] = hostOf(value)
		case f.Host != nil:
			hosts[0] = hostOf("https://" + f.Host(value))
		}
	}
	return hosts
}

// hostOf is an address up to its path, normalised so that equal hosts are equal texts; the address itself if it
// cannot be read.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	host := scheme + "://" + strings.ToLower(u.Hostname())
	if port != "" && port != map[string]string{"https": "443", "http": "80"}[scheme] {
		host += ":" + port
	}
	return host
}

// Moved are the secrets of a channel that another host must not get: credentials are sent only to the host for which
// they were entered. Lacking are those that the change must give again and does not; gone are those that the service
// can do without, because the platform issues them again or the service chooses them.
func (p Profile) Moved(from, to Channel, change Credentials) (lacking, gone []string) {
	names := []string{p.Proof} // only its notifications go elsewhere
	if p.Hosts(from)[0] != p.Hosts(to)[0] {
		names = append(p.secretNames(), TokenField, TokenUntil)
	}
	kept := maps.Clone(from.Credentials)
	p.DropToken(kept)
	for _, name := range names {
		ours := func(f Field) bool { return f.Name == name && f.ours() }
		switch _, given := change[name]; {
		case given || from.Credentials[name] == "":
		case kept[name] == "" || name == TokenUntil || slices.ContainsFunc(p.Fields, ours):
			gone = append(gone, name)
		case !slices.Contains(lacking, name):
			lacking = append(lacking, name)
		}
	}
	return lacking, gone
}

// ours reports whether the service chooses the credential if none is entered.
func (f Field) ours() bool { return f.Name == WebhookSecret && !f.Required }

// ChoosesWebhookSecret reports whether the service makes the secret of a channel's notifications if none is entered.
func (p Profile) ChoosesWebhookSecret() bool { return slices.ContainsFunc(p.Fields, Field.ours) }

// EndpointField is the credential with the address at which a platform's notifications are expected, if it is not the
// service's own.
const EndpointField = "endpointUrl"

// WebhookSecret is the credential that signs a channel's notifications.
const WebhookSecret = "webhookSecret"

// secretNames are the names of the secret fields.
func (p Profile) secretNames() (names []string) {
	for _, f := range p.Known() {
		if f.Form == Secret {
			names = append(names, f.Name)
		}
	}
	return names
}

// Check returns all errors of a channel's credentials, none if they are valid. Paths are "credentials.<name>". dev
// allows addresses that the service calls over plain http. An unknown field is an error only if a required one is
// missing, because it may be a misspelling of that one; otherwise it is stored and ignored. notText are fields that
// were sent and are not text.
func (p Profile) Check(c Credentials, dev bool, notText ...string) []apperr.Detail {
	var faults []apperr.Detail
	add := func(name, message string) {
		faults = append(faults, apperr.Detail{Path: "credentials." + name, Message: message})
	}
	known := p.Known()
	for _, f := range known {
		switch {
		case slices.Contains(notText, f.Name):
			add(f.Name, "must be a string")
		case f.missing(c):
			add(f.Name, f.demand())
		}
	}
	if len(faults) > 0 {
		for _, name := range append(slices.Sorted(maps.Keys(c)), notText...) {
			if !slices.ContainsFunc(known, func(f Field) bool { return f.Name == name }) {
				add(name, "is not a credential of "+p.Platform+"; it takes "+names(known))
			}
		}
	}
	for _, f := range known {
		if message := f.misshapen(c[f.Name], dev); message != "" {
			add(f.Name, message)
		}
	}
	return faults
}

// missing reports whether the field is required and neither it nor all of its replacements are given.
func (f Field) missing(c Credentials) bool {
	absent := func(name string) bool { return strings.TrimSpace(c[name]) == "" }
	if !f.Required || !absent(f.Name) {
		return false
	}
	return len(f.Or) == 0 || slices.ContainsFunc(f.Or, absent)
}

func (f Field) demand() string {
	if len(f.Or) == 0 {
		return "is required: " + f.Note
	}
	return "is required (or " + strings.Join(f.Or, " and ") + " in its place): " + f.Note
}

// Accepts reports whether a value has the form of the field. Dev allows plain http.
func (f Field) Accepts(value string, dev bool) bool { return f.misshapen(value, dev) == "" }

// misshapen is the error of a given value, "" for none.
func (f Field) misshapen(value string, dev bool) string {
	switch {
	case strings.TrimSpace(value) == "":
		return ""
	case len(value) > limits.MaxCredential:
		return "is longer than 8192 bytes"
	case strings.TrimSpace(value) != value:
		return "begins or ends with white space; copy it again without"
	case f.Form == Header && !headerName.MatchString(value):
		return "must be the name of an HTTP header, such as X-PrestaShop-Signature"
	case (f.Form == Address || f.Form == Target) && !isAddress(value):
		return "must be a complete address such as https://shop.example"
	case f.Form == Target && !dev && !strings.HasPrefix(strings.ToLower(value), "https:"):
		return "must begin with https://"
	}
	return ""
}

func isAddress(value string) bool {
	u, err := url.Parse(value)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil && u.Fragment == ""
}

func names(fields []Field) string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.Name
	}
	return strings.Join(list, ", ")
}
