package stock

import "testing"

// ShortLists lets searches of a few levels read them as those of many.
func ShortLists(t *testing.T) {
	list, of := listKeys, rangeKeys
	listKeys, rangeKeys = 4, 16
	t.Cleanup(func() { listKeys, rangeKeys = list, of })
}

// SetFewRest sets how many products may not match a search that is read as a list of all levels but theirs.
func SetFewRest(n int) { fewRest = n }

// ShortPages lets pages be deep from the tenth level on, during a test.
func ShortPages(t *testing.T) {
	was := deep
	deep = 10
	t.Cleanup(func() { deep = was })
}
