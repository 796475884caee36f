package commerce

import (
	"encoding/json"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
)

// Bounds of an import that waits for its products to be published.
const (
	firstLook    = time.Second
	longestLook  = time.Minute
	mostUnmoved  = 24 * time.Hour // without any progress
	notPublished = "not_published"
)

// importInput is what the job of an import publishes.
type importInput struct {
	Products []id.Product `json:"productIds"`
}

// importPlace is the progress of its publishing, and since when.
type importPlace struct {
	Settled int   `json:"settled"`
	Since   int64 `json:"since"`
}

// followImport checks the job of an import onto a channel (interface §4.2): it counts the publications that are
// settled, and ends the job with the last. It also ends the job when publications wait for what does not come: the
// channel was deactivated or its credentials were refused, pushing to it failed after the import, or nothing has
// moved for a day. They go on by themselves when that is over.
func (s *Service) followImport(tx *db.Tx, job jobs.Job) error {
	var in importInput
	if err := json.Unmarshal([]byte(job.Input), &in); err != nil {
		s.GiveUp(tx, job, "the job's input is unreadable")
		return nil
	}
	publications, err := catalog.ReadPublications(tx, job.Channel, in.Products...)
	if err != nil {
		return err
	}
	var waiting, failed []id.Product
	for _, product := range in.Products {
		switch publications.Status(product) {
		case catalog.PublicationPending:
			waiting = append(waiting, product)
		case catalog.PublicationFailed:
			failed = append(failed, product)
		}
	}
	rejected := job.Total - int64(len(in.Products))
	settled := len(in.Products) - len(waiting)
	job.Processed, job.Failed = rejected+int64(settled), rejected+int64(len(failed))
	why := ""
	if len(waiting) > 0 {
		if why, err = s.publishingEnded(tx, &job, settled); err != nil {
			return err
		}
		if why == "" {
			age := tx.Now().Sub(time.UnixMicro(job.CreatedAt))
			jobs.Advance(tx, job, min(max(age/20, firstLook), longestLook))
			return nil
		}
		job.Failed += int64(len(waiting))
	}
	errors := records.ReadJobErrors(job.Errors)
	if why != "" {
		errors = append(errors, records.JobError(why, notPublished))
	}
	if errors, err = unpublished(tx, errors, publications, append(failed, waiting...)); err != nil {
		return err
	}
	if len(errors) > 0 {
		job.Errors = records.JobErrors(errors...)
	}
	s.endJob(tx, job, why != "" && len(waiting) == len(in.Products))
	return nil
}

// publishingEnded says why an import need not wait for its publications any longer; "" if they go on.
func (s *Service) publishingEnded(tx *db.Tx, job *jobs.Job, settled int) (why string, err error) {
	var at importPlace
	_ = json.Unmarshal([]byte(job.Cursor), &at)
	if at.Since == 0 || at.Settled != settled {
		text, err := json.Marshal(importPlace{settled, tx.Micros()})
		if err != nil {
			return "", err
		}
		job.Cursor, at.Since = string(text), tx.Micros()
	}
	c, err := channels.ByID(tx, job.Channel)
	switch {
	case apperr.Is(err, apperr.NotFound):
		return "the channel was deleted", nil
	case err != nil:
		return "", err
	case !c.Receives():
		return errInactive.Error(), nil
	case c.Status == channels.NeedsReauth:
		return "the channel's credentials were refused: enter new ones and test the connection", nil
	case tx.Now().Sub(time.UnixMicro(at.Since)) > mostUnmoved:
		return "the platform has not settled the rest for a day", nil
	}
	list, _, err := jobs.List(tx, jobs.Filter{Channel: job.Channel, Types: []jobs.Type{jobs.ProductPush}, Statuses: []jobs.Status{jobs.Failed},
		Limit: 1})
	if err != nil || len(list) == 0 || list[0].CompletedAt < job.CreatedAt {
		return "", err
	}
	why = "the rest could not be published"
	if reasons := records.ReadJobErrors(list[0].Errors); len(reasons) > 0 {
		why += ": " + reasons[len(reasons)-1].Error
	}
	return why, nil
}

// unpublished adds the products that are not published to a job's errors, with the platform's reasons.
func unpublished(tx *db.Tx, errors []records.ItemError, publications *catalog.Publications, products []id.Product) ([]records.ItemError,
	error) {
	products = products[:max(0, min(len(products), jobs.MaxErrors-len(errors)))]
	if len(products) == 0 {
		return errors, nil
	}
	list, err := catalog.ByIDs(tx, products)
	for _, p := range list {
		reason := publications.Reason(p.ID)
		if reason == "" {
			reason = "it is not published yet"
		}
		errors = append(errors, records.ItemError{Index: -1, Key: p.SKU, Error: reason, Code: notPublished})
	}
	return errors, err
}
