package catalog

import (
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// countedPublications is the name of the maintained counts of publications, by channel and status (publicationKey).
const countedPublications = "publications"

// publicationKey returns the key of a maintained count.
func publicationKey(channel id.Channel, status PublicationStatus) string {
	return string(channel) + " " + string(status)
}

// countPublication adds a publication to the maintained counts (n 1) or subtracts it (-1); a product without a
// publication has no status.
func countPublication(tx db.Writer, channel id.Channel, status PublicationStatus, n int64) {
	if status != "" {
		tx.Tally(countedPublications, publicationKey(channel, status), n)
	}
}

// PublicationCounts are how many products have a publication on a channel, by status.
type PublicationCounts struct{ Pending, Published, Failed, Removing int64 }

// All returns the number of all publications, including those that are being removed.
func (c PublicationCounts) All() int64 { return c.Pending + c.Published + c.Failed + c.Removing }

// There returns the number of products that are published on the channel or waiting to be (interface §2.7.10).
func (c PublicationCounts) There() int64 { return c.All() - c.Removing }

// CountPublications reads how many publications each channel has; a channel without any may be missing.
func CountPublications(r db.Reader) (map[id.Channel]PublicationCounts, error) {
	stored, err := db.Tallies[string](r, countedPublications)
	counts := map[id.Channel]PublicationCounts{}
	for key, n := range stored {
		channel, status, _ := strings.Cut(key, " ")
		c := counts[id.Channel(channel)]
		switch PublicationStatus(status) {
		case PublicationPending:
			c.Pending = n
		case PublicationPublished:
			c.Published = n
		case PublicationFailed:
			c.Failed = n
		case PublicationRemoving:
			c.Removing = n
		}
		counts[id.Channel(channel)] = c
	}
	return counts, err
}
