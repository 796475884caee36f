package dashboard

import "strings"

// commaText is a list as one input shows it: separated by commas, an entry that has a comma itself in quotes.
func commaText(list []string) string {
	shown := make([]string, len(list))
	for i, one := range list {
		if shown[i] = one; strings.Contains(one, ",") || strings.HasPrefix(one, `"`) {
			shown[i] = `"` + strings.ReplaceAll(one, `"`, `""`) + `"`
		}
	}
	return strings.Join(shown, ", ")
}

// commaList reads what commaText writes, or somebody types; blank entries are left out.
func commaList(said string) (list []string) {
	for said != "" {
		one, quoted := "", false
		said = strings.TrimSpace(said)
		for said, quoted = strings.CutPrefix(said, `"`); quoted; {
			part, rest, closed := strings.Cut(said, `"`)
			one += part
			if said, quoted = strings.CutPrefix(rest, `"`); quoted {
				one += `"`
			}
			quoted = quoted && closed
		}
		part, rest, _ := strings.Cut(said, ",")
		if one = strings.TrimSpace(one + part); one != "" {
			list = append(list, one)
		}
		said = rest
	}
	return list
}
