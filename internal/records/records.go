// Package records writes the records of the interface as JSON: each in one place, for answers, events, the command line, and the
// samples and schemas of the API description.
//
// Each file has one record: its writer, which gives the record its name in the description, and the sample that describes it.
package records

// kind is the name of a record that has two: a member more when it is shown for the only time, or with its parts.
func kind(plain bool, name, other string) string {
	if plain {
		return name
	}
	return other
}
