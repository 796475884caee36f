package connector

import (
	"net/url"
	"strings"
)

// Clean removes from an order's texts what not every store can keep: zero bytes, and bytes that are no UTF-8. Shops
// pass on what buyers enter, and one such order must not delay all others. It also removes white space at the ends of
// SKUs, as everywhere, and tracking links that are no http or https URLs.
func (o *Order) Clean() {
	texts := []*string{&o.ExternalID, &o.Number, &o.Theirs, &o.Currency, &o.Name, &o.Email, &o.Phone, &o.Buyer, &o.Note}
	for _, p := range []*Place{o.ShipTo, o.BillTo} {
		if p != nil {
			texts = append(texts, &p.Name, &p.Company, &p.Line1, &p.Line2, &p.City, &p.State, &p.PostalCode, &p.Country, &p.Phone)
		}
	}
	for i := range o.Lines {
		l := &o.Lines[i]
		texts = append(texts, &l.ExternalID, &l.SKU, &l.Item.Product, &l.Item.Variant, &l.Name)
	}
	for i := range o.Refunds {
		r := &o.Refunds[i]
		texts = append(texts, &r.ExternalID, &r.Ours, &r.Reason)
		for j := range r.Lines {
			texts = append(texts, &r.Lines[j].ExternalLine)
		}
	}
	for i := range o.Returns {
		r := &o.Returns[i]
		texts = append(texts, &r.ExternalID, &r.Refund, &r.Reason)
		for j := range r.Lines {
			texts = append(texts, &r.Lines[j].ExternalLine)
		}
	}
	for i := range o.Parcels {
		p := &o.Parcels[i]
		texts = append(texts, &p.Key, &p.Carrier, &p.Number, &p.URL)
		for j := range p.Lines {
			texts = append(texts, &p.Lines[j].ExternalLine, &p.Lines[j].SKU)
		}
	}
	for _, text := range texts {
		*text = storable(*text)
	}
	for i := range o.Parcels {
		o.Parcels[i].URL = WebAddress(o.Parcels[i].URL)
	}
	for i := range o.Lines {
		o.Lines[i].SKU = strings.TrimSpace(o.Lines[i].SKU)
	}
	for _, p := range o.Parcels {
		for j := range p.Lines {
			p.Lines[j].SKU = strings.TrimSpace(p.Lines[j].SKU)
		}
	}
	cleanMembers(o.Payment)
	for _, l := range o.Lines {
		cleanMembers(l.Options)
	}
}

// cleanMembers is Clean for free members that are texts.
func cleanMembers(members map[string]any) {
	for name, value := range members {
		if text, ok := value.(string); ok {
			members[name] = storable(text)
		}
	}
}

// WebAddress returns an http or https URL, "" for anything else, because people see it as a link.
func WebAddress(text string) string {
	text = strings.TrimSpace(text)
	if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	return text
}

func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}
