package stock

import "testing"

// ShortSweeps lets searches of a few levels read them as those of many.
func ShortSweeps(t *testing.T) {
	list, of := sweepList, sweepRange
	sweepList, sweepRange = 4, 16
	t.Cleanup(func() { sweepList, sweepRange = list, of })
}

// ShortPages lets pages be deep from the tenth level on, during a test.
func ShortPages(t *testing.T) {
	was := deep
	deep = 10
	t.Cleanup(func() { deep = was })
}
