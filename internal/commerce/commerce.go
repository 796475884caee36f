// Package commerce holds the operations: what the business does, one file each, named noun and verb. Each runs in the
// caller's transaction, reads from top to bottom, and writes its events in the same commit.
//
//	Service   what operations need beyond a transaction: master key, connectors, order numbers
//	Expected  what a caller expects of the record that an operation changes (If-Match)
//	…Draft    a caller's input, such as OrderDraft
//	Bulk      a bulk operation, stored in pieces
//
// The jobs that call platforms (channel_*.go) open transactions of their own, because a call takes too long for one.
package commerce

import (
	"log/slog"
	"net/http"
	"sync"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/bucket"
	"entrepot/internal/base/netguard"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// Service has what operations need beyond a transaction.
type Service struct {
	Key        secretbox.Key // encrypts credentials and signing secrets
	Numbers    *orders.Numbers
	Connectors *connector.Set  // the platforms this service knows
	Guard      *netguard.Guard // decides which addresses endpoints may have
	HTTP       *http.Client    // can connect only to addresses that interface §6.2 allows
	Log        *slog.Logger    // nil: nothing is logged
	Clients    *connector.Clients
	PullEvery  time.Duration    // between two scheduled pulls of a channel's orders; 0: five minutes
	Hashing    accounts.Hashing // of passwords; set only by tests
	Media      bucket.Bucket    // where uploaded pictures are; nil: none can be uploaded
	Dev        bool             // http and loopback addresses are allowed
	// the most orders that an erasure handles in one transaction; 0: some dozens, below: none; set only by tests
	AtOnce int

	intake   db.Gather[*intake]
	renewing sync.RWMutex // held for reading by each renewal of tokens, and for good after EndRenewals
	ended    sync.Once
	drawing  sync.Mutex // held while a picture is decoded
}

func (s *Service) log() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}
