package drafts

// named chooses a record's name: a if first is true, else b.
func named(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
