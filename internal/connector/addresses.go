package connector

import "net/url"

// longestValues is how many bytes of values an address has at most: servers take addresses of 8 KB.
const longestValues = 4000

// InAddresses divides values among requests whose addresses name them: at most so many in each, and no more than an
// address can have.
func InAddresses(values []string, most int) (pieces [][]string) {
	from, length := 0, 0
	for i, v := range values {
		own := len(url.QueryEscape(v)) + len("%2C") // and what divides them
		if i > from && (i-from == most || length+own > longestValues) {
			pieces = append(pieces, values[from:i])
			from, length = i, 0
		}
		length += own
	}
	if from < len(values) {
		pieces = append(pieces, values[from:])
	}
	return pieces
}
