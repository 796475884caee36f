package importer

import "strings"

// signWords are the ways to name a decimal sign on the command line.
var signWords = map[string]byte{".": '.', "point": '.', "dot": '.', "period": '.', ",": ',', "comma": ','}

func signWord(sign byte) string {
	if sign == ',' {
		return "comma"
	}
	return "point"
}

// decimalSigns is the flag --decimal: a sign for every column, and signs of single ones.
type decimalSigns struct {
	all    byte            // 0: found out from the file
	single map[string]byte // by field or column name, in lower case
	asked  []string        // the names in single as they were given
}

// parseDecimals reads "comma", "point", ".", "," or "auto", alone or per column:
// "price=comma,compareAtPrice=point".
func parseDecimals(flags []string) (d decimalSigns, err error) {
	d.single = map[string]byte{}
	for _, text := range flags {
		for rest := strings.TrimSpace(text); rest != ""; {
			var part string
			part, rest = cutDecimal(rest)
			name, word, single := cutLast(part, '=')
			if !single {
				word = part
			}
			sign, known := signWords[strings.ToLower(strings.TrimSpace(word))]
			switch {
			case !known && (single || !strings.EqualFold(word, "auto")):
				return d, wrongCall("--decimal %s: say point or comma, for every column (--decimal comma) or for some (--decimal "+
					"price=comma,compareAtPrice=point)", text)
			case single:
				d.single[strings.ToLower(strings.TrimSpace(name))] = sign
				d.asked = append(d.asked, strings.TrimSpace(name))
			default:
				d.all = sign
			}
		}
	}
	return d, nil
}

// cutDecimal cuts the first part off a list whose separator, the comma, may itself be a part.
func cutDecimal(text string) (part, rest string) {
	from := 0
	if i := strings.IndexByte(text, '='); i >= 0 && !strings.Contains(text[:i], ",") {
		from = i + 1
	}
	if strings.HasPrefix(text[from:], ",") { // "," and "price=,"
		from++
	}
	if i := strings.IndexByte(text[from:], ','); i >= 0 {
		return text[:from+i], text[from+i+1:]
	}
	return text, ""
}

func cutLast(text string, sign byte) (before, after string, found bool) {
	if i := strings.LastIndexByte(text, sign); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

// of is the sign asked for a column of a field; 0 when nothing was said.
func (d decimalSigns) of(field, column string) byte {
	if sign := d.single[strings.ToLower(column)]; sign != 0 {
		return sign
	}
	if sign := d.single[strings.ToLower(field)]; sign != 0 {
		return sign
	}
	return d.all
}
