package db

import "testing"

// A transaction of work in the background handles as many records as its time allows: more while it is quick, fewer when it is slow, within
// bounds; it has more time while nobody waits.
func TestBatchSizesFollowTheTimeThatTheyTake(t *testing.T) {
	s := BatchSize{Size: 100, least: 100, most: 5000}
	for range 20 {
		s.adapt(batchTime/4, false)
	}
	if s.Size != 5000 {
		t.Errorf("%d records at once where it is quick, not 5000", s.Size)
	}
	s.Size = 1000
	if s.adapt(batchTime*3/4, false); s.Size != 1000 {
		t.Errorf("%d records at once where 1000 take about as long as they may", s.Size)
	}
	if s.adapt(2*batchTime, false); s.Size != 500 {
		t.Errorf("%d records at once after 1000 took too long", s.Size)
	}
	if s.adapt(batchTimeAlone*3/4, true); s.Size != 500 {
		t.Errorf("%d records at once where 500 take about as long as they may while nobody waits", s.Size)
	}
	for range 20 {
		s.adapt(2*batchTimeAlone, true)
	}
	if s.Size != 100 {
		t.Errorf("%d records at once where it is slow, not 100", s.Size)
	}
}
