package worker

import (
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/media"
)

// Times of the sweep of pictures: when it begins after the start, and how long it pauses.
const (
	picturesFirst = 10 * time.Minute
	picturesEvery = 24 * time.Hour
)

// pictures removes uploaded pictures that no product shows, once a day.
func (w *Worker) pictures() {
	for wait := picturesFirst; w.pause(nil, wait); wait = picturesEvery {
		w.failed("removing pictures that no product shows", w.sweepPictures())
	}
}

func (w *Worker) sweepPictures() error {
	var owners []id.Tenant
	err := w.DB.Read(w.stopping, db.Across, func(tx *db.Tx) (err error) {
		owners, err = media.Owners(tx)
		return err
	})
	for _, account := range owners {
		if err == nil {
			err = w.Commerce.SweepPictures(w.stopping, w.DB, account)
		}
	}
	return err
}
