package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"time"

	"entrepot/internal/base/netguard"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// nodeState is what /readyz?verbose adds. It has no secret, and is still shown to processes of this machine only: the
// room on a disk and the age of a schema are nobody else's business.
type nodeState struct {
	Version         string     `json:"version"`
	Engine          string     `json:"engine,omitempty"`
	Role            string     `json:"role,omitempty"`   // of the database: primary, standby
	Schema          int        `json:"schema,omitempty"` // of the store
	SchemaKnown     int        `json:"schemaKnown,omitempty"`
	DiskFree        *uint64    `json:"diskFreeBytes,omitempty"`   // for the data folder
	CertificateEnds *time.Time `json:"certificateEnds,omitempty"` // of the service's own TLS
	DeliveringNodes *int       `json:"deliveringNodes,omitempty"` // nodes that hold queues of webhooks
	StoreError      bool       `json:"storeError,omitempty"`      // the store did not answer; the log says why
}

// state reads the state of this node; what cannot be read is left out.
func (s *Server) state(ctx context.Context) nodeState {
	state := nodeState{Version: s.config.Version}
	if free, known := freeOf(s.config.Dir); known {
		state.DiskFree = &free
	}
	if ends, known := s.certificateEnds(); known {
		ends = ends.UTC()
		state.CertificateEnds = &ends
	}
	n := s.running.Load()
	if n == nil {
		return state
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	state.Engine = n.store.DB.Engine()
	found, err := n.store.DB.State(ctx)
	if err == nil {
		state.Schema, state.SchemaKnown, state.Role = found.Schema, found.Known, "standby"
		if found.Takes {
			state.Role = "primary"
		}
		err = n.store.DB.Read(ctx, db.Across, func(tx *db.Tx) error {
			beats, err := webhooks.Beats(tx, "")
			count := len(beats)
			state.DeliveringNodes = &count
			return err
		})
	}
	state.StoreError = err != nil
	return state
}

// certificateEnds is the end of the service's own certificate; of several the first one's.
func (s *Server) certificateEnds() (time.Time, bool) {
	switch {
	case s.files != nil:
		return s.files.ends(), true
	case s.ordered != nil:
		return s.ordered.ends()
	}
	return time.Time{}, false
}

// fromThisMachine reports whether a request comes from a process of this machine itself: not from a proxy, which names
// the client that it speaks for, or the host that the client has asked for.
func fromThisMachine(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return false
	}
	for _, name := range []string{"X-Forwarded-For", "X-Real-Ip", "Forwarded", "Via", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	return netguard.LoopbackHost(r.Host)
}

// withState adds the state to an answer of a probe.
type withState struct {
	http.ResponseWriter
	state nodeState
}

// Write writes an answer, an object of one line, with the members of the state.
func (w *withState) Write(body []byte) (int, error) {
	more, err := json.Marshal(w.state)
	if err != nil {
		return 0, err
	}
	whole := append(bytes.TrimSuffix(bytes.TrimSpace(body), []byte("}")), ',')
	whole = append(whole, bytes.TrimPrefix(more, []byte("{"))...)
	if _, err := w.ResponseWriter.Write(append(whole, '\n')); err != nil {
		return 0, err
	}
	return len(body), nil
}
