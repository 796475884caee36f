package tiktokshop

import (
	"cmp"
	"strings"

	"entrepot/internal/connector"
)

// address is where an order goes. It is absent until the order is paid, and in part masked where TikTok ships.
type address struct {
	Name       string `json:"name"`
	First      string `json:"first_name"`
	Last       string `json:"last_name"`
	Phone      string `json:"phone_number"`
	Region     string `json:"region_code"`
	PostalCode string `json:"postal_code"`
	Line1      string `json:"address_line1"`
	Line2      string `json:"address_line2"`
	Line3      string `json:"address_line3"`
	Line4      string `json:"address_line4"`
	Detail     string `json:"address_detail"`
	Town       string `json:"post_town"`
	Districts  []struct {
		Level string `json:"address_level_name"`
		Rank  string `json:"address_level"` // L0 is the country, L1 below it, and so on
		Name  string `json:"address_name"`
	} `json:"district_info"`
}

// shown is a value if TikTok has not masked it, else "".
func shown(text string) string {
	if strings.Contains(text, "**") {
		return ""
	}
	return strings.TrimSpace(text)
}

// buyer sets who bought. Masked or missing values stay empty, so that they replace nothing that is known. Until the
// order is paid there is no address, and nobody is named: name and e-mail are stored together later.
func (o *order) buyer(out *connector.Order) {
	a := o.Address
	if a == nil {
		return
	}
	if email := shown(o.Email); strings.Contains(email, "@") {
		out.Email = email
	}
	out.Name, out.Phone = cmp.Or(a.name(), "TikTok Shop buyer"), shown(a.Phone) // a masked name stays masked
	out.ShipTo = a.place()
}

func (a *address) name() string {
	if name := shown(a.Name); name != "" {
		return name
	}
	return strings.TrimSpace(shown(a.First) + " " + shown(a.Last))
}

// place is the address, nil when nothing of its street is shown.
func (a *address) place() *connector.Place {
	var lines []string
	for _, line := range []string{a.Line1, a.Line2, a.Line3, a.Line4} {
		if line = shown(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		if detail := shown(a.Detail); detail != "" {
			lines = append(lines, detail)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	city, state := a.districts()
	return &connector.Place{Name: a.name(), Line1: lines[0], Line2: strings.Join(lines[1:], ", "), City: city, State: state,
		PostalCode: shown(a.PostalCode), Country: strings.ToUpper(a.Region), Phone: shown(a.Phone)}
}

// districts finds city and state by the names of their levels, which differ by country: the city is what is called so, else the lowest
// level; the state is the level right below the country, unless that is the city.
func (a *address) districts() (city, state string) {
	lowest := ""
	for _, d := range a.Districts {
		level, name := strings.ToLower(d.Level), shown(d.Name)
		if name == "" || level == "country" || d.Rank == "L0" {
			continue
		}
		lowest = name
		switch {
		case city == "" && (strings.Contains(level, "city") || level == "town" || level == "municipality" || level == "post town"):
			city = name
		case state == "":
			state = name
		}
	}
	if town := shown(a.Town); town != "" {
		city = town
	}
	if city == "" {
		city = lowest
	}
	if state == city {
		state = ""
	}
	return city, state
}
