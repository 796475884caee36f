// Package postal reads the free-form addresses of orders (interface §2.1): JSON objects in which a member may have
// several names, such as zip and postalCode. Text reads one member by any of its names, Normal adds the names that
// callers rely on, and nothing that was sent is changed.
package postal

import (
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/jsonvalue"
)

// names are the members with several names, in the order in which they count.
var names = map[string][]string{
	"name":       {"name", "fullName", "recipient"},
	"line1":      {"line1", "address1", "street"},
	"line2":      {"line2", "address2"},
	"state":      {"state", "province", "region"},
	"postalCode": {"postalCode", "zip", "postcode"},
	"zip":        {"zip", "postalCode", "postcode"},
	"country":    {"country", "countryCode"},
}

// normalised are the members that every shipping address has in reads.
var normalised = []string{"line1", "line2", "city", "postalCode", "zip", "country"}

// Names are all names of a member; its own is the first.
func Names(member string) []string {
	if list := names[member]; list != nil {
		return list
	}
	return []string{member}
}

// Text is the text of a member under the first of its names that has one, without spaces around it; "" for none.
func Text(address *jsonvalue.Value, member string) string {
	for _, name := range Names(member) {
		if text := strings.TrimSpace(plain(address.Member(name))); text != "" {
			return text
		}
	}
	return ""
}

// plain is a value's text: that of a string, or of a number where text is meant, as for postal codes.
func plain(v *jsonvalue.Value) string {
	if v != nil && v.Kind == '0' {
		return string(v.Raw())
	}
	return v.Text()
}

// Normal is a shipping address in the form of reads: all its members as they are, followed by the missing normalised
// ones. "" stays "".
func Normal(text string) string {
	if text == "" {
		return ""
	}
	v, err := jsonvalue.Parse([]byte(text))
	if err != nil || v.Names() == nil && text != "{}" {
		return text
	}
	var extra strings.Builder
	for _, member := range normalised {
		if v.Member(member) != nil {
			continue
		}
		value := "null"
		for _, name := range Names(member)[1:] {
			if text := plain(v.Member(name)); text != "" {
				value = string(apijson.AppendText(nil, text))
				break
			}
		}
		extra.WriteString(`,"` + member + `":` + value)
	}
	if extra.Len() == 0 {
		return text
	}
	body := strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(text), "}"), " \t\r\n")
	if body == "{" {
		return "{" + extra.String()[1:] + "}"
	}
	return body + extra.String() + "}"
}
