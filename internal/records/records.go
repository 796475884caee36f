// Package records writes the records of the interface as JSON: each in one place, for answers, events, the command
// line, and the samples and schemas of the API description.
//
// Each file has one record: its writer, which names the record in the description, and its sample.
package records

// kind chooses the name of a record that has two forms, one with a further member or with its parts.
func kind(plain bool, name, other string) string {
	if plain {
		return name
	}
	return other
}
