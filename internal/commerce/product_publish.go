package commerce

import (
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// Published is the result of POST publications.
type Published struct {
	Count    int
	NotFound []string // ids or SKUs that the account does not have
	Job      id.Job   // pushes them to the platform; "" for a custom channel
}

// PublishProducts publishes products, named by id or SKU, on a channel (interface §4.5.7). On a custom channel they are
// published at once; on a platform they wait for the push. Errors: NotFound for the channel, Invalid when it is
// inactive.
func (s *Service) PublishProducts(tx *db.Tx, channel id.Channel, products []id.Product, skus []string) (Published, error) {
	c, err := channels.ByID(tx, channel)
	if err != nil {
		return Published{}, err
	}
	if !c.Receives() {
		return Published{}, apperr.New(apperr.Invalid, "channel_inactive", "the channel is inactive")
	}
	found, missing, err := catalog.Existing(tx, products, skus)
	if err != nil {
		return Published{}, err
	}
	channels.Keep(tx, channel)
	out := Published{Count: len(found), NotFound: missing}
	status := catalog.PublicationPublished
	if c.Platform != channels.Custom {
		status = catalog.PublicationPending
		if len(found) > 0 {
			out.Job = jobs.Insert(tx, jobs.Job{Type: jobs.ProductPush, Channel: c.ID, Total: int64(len(found))}).ID
		}
	}
	publications, err := catalog.ReadPublications(tx, c.ID, found...)
	if err != nil {
		return Published{}, err
	}
	publications.Publish(tx, status, found)
	return out, nil
}
