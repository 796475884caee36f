package drafts

// named is a record's name: a when first holds, else b.
func named(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
