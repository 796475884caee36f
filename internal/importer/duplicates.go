package importer

// What becomes of rows of a product file that have the SKU of another row.
const (
	duplicatesFirst = "first" // the first row is taken, the others are refused
	duplicatesLast  = "last"  // the last row is taken, the others are refused
	duplicatesMerge = "merge" // later rows fill what earlier ones leave blank
)
