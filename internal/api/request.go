package api

import (
	"context"
	"net/http"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/overload"
	"entrepot/internal/base/trace"
	"entrepot/internal/db"
)

// request is one request while it is processed.
type request struct {
	http   *http.Request
	out    http.ResponseWriter // for headers, and for the deadlines of its connection
	route  *route
	id     string // X-Request-Id, given or generated
	caller accounts.Caller
	spent  accounts.Caller // the caller if the key was revoked or has expired, otherwise zero
	body   *jsonvalue.Value

	share    overload.Share // its share of the node's memory
	bulk     overload.Share // its share of the part for bodies of bulk routes
	decoding int            // bytes of share for the body's text and values
	written  int            // bytes of the answer that are reserved already
	large    bool           // its answer may be large: it has a permit, or is limited otherwise
	overflow overflow
	writer   *apijson.Writer // whose buffer the answer is in, nil for one of its own
	inside   bool            // it has one of the node's permits for bulk operations
	rated    bool            // its rate headers are set
}

// store is the store for the request's caller, who is the author of what is written through it.
func (a *API) store(r *request) *db.DB {
	return a.DB.By(a.author(r))
}

// author is the request's caller as the author of changes.
func (a *API) author(r *request) db.Author {
	by := r.caller.Author(r.id, a.Proxies.Client(r.http))
	if a.Trace != nil {
		by.Trace = trace.Parent(r.ctx())
	}
	return by
}

func (r *request) ctx() context.Context { return r.http.Context() }

// reads reports whether the request is a GET or a HEAD: it has no body that counts, and changes nothing.
func (r *request) reads() bool {
	return r.http.Method == http.MethodGet || r.http.Method == http.MethodHead
}

// object starts reading the body.
func (r *request) object() *apijson.Object { return apijson.Read(r.body) }

// dropBody releases the body when everything in it was decoded.
func (r *request) dropBody() {
	r.body = nil
	r.share.Shrink(int64(r.decoding))
	r.decoding = 0
}

// query starts reading the parameters.
func (r *request) query() *apijson.Query { return apijson.ParseQuery(r.http.URL.RawQuery) }

// pathID reads an identifier from the path: a text that is no UUID is NotFound (interface §7).
func pathID[T ~string](r *request, name, noun string) (T, error) {
	v, ok := id.Parse[T](r.http.PathValue(name))
	if !ok {
		return "", apperr.Missing(noun)
	}
	return v, nil
}

// choose is a when first holds, else b.
func choose(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// readWide is read for lists, searches and figures (db.ReadWide).
func (a *API) readWide(r *request, run func(tx *db.Tx) error) error {
	return a.DB.ReadWide(r.ctx(), r.caller.Tenant, run)
}

// read runs reads on a snapshot of the caller's account.
func (a *API) read(r *request, run func(tx *db.Tx) error) error {
	return a.DB.Read(r.ctx(), r.caller.Tenant, run)
}
