package api

import (
	"net/http"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
)

// keyRoutes are interface §4.5.8: API keys, for owners and admins who are logged in.
var keyRoutes = []*route{
	{method: "GET", path: "/api/v1/developer/api-keys", name: "listApiKeys", section: "4.5.8", summary: "List API keys", access: loginOnly,
		query: func(q *apijson.Query) { readPage(q, 20, 100) }, answer: sampleKeys, serve: (*API).listApiKeys},
	{method: "GET", path: "/api/v1/developer/api-keys/{id}", name: "getApiKey", section: "4.5.8",
		summary: "Read an API key, without its text", access: loginOnly,
		answer: data(func(w *apijson.Writer) { records.WriteKey(w, "data", records.SampleKey, "") }), serve: (*API).getApiKey},
	{method: "POST", path: "/api/v1/developer/api-keys", name: "createApiKey", section: "4.5.8",
		summary: "Make an API key; its text is shown this once", access: loginOnly, secret: true,
		body: func(o *apijson.Object) { drafts.ReadKey(o) }, status: http.StatusCreated,
		answer: data(func(w *apijson.Writer) { records.WriteKey(w, "data", records.SampleKey, "pk_live_…") }), serve: (*API).createApiKey},
	{method: "DELETE", path: "/api/v1/developer/api-keys/{id}", name: "revokeApiKey", section: "4.5.8", summary: "Revoke an API key, at once",
		access: loginOnly,
		answer: data(func(w *apijson.Writer) { writeDeleted(w, records.SampleKey.ID, nil) }), serve: (*API).revokeApiKey},
}

// createApiKey serves POST /api/v1/developer/api-keys: 201; 400, 403.
func (a *API) createApiKey(r *request) (answer, error) {
	if err := r.administers(); err != nil {
		return answer{}, err
	}
	o := r.object()
	draft := drafts.ReadKey(o)
	if !draft.ExpiresAt.IsZero() && !draft.ExpiresAt.After(a.DB.Now()) {
		o.AddError("expiresAt", "must lie in the future")
	}
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	return a.writeSecret(r, func(tx *db.Tx) (answer, error) {
		key, secret, err := a.Commerce.CreateKey(tx, r.caller, draft)
		return created(key.ID, func(w *apijson.Writer) { records.WriteKey(w, "data", key, secret) }), err
	})
}

// revokeApiKey serves DELETE /api/v1/developer/api-keys/{id}: 200; 403, 404.
func (a *API) revokeApiKey(r *request) (answer, error) {
	if err := r.administers(); err != nil {
		return answer{}, err
	}
	key, err := pathID[id.Key](r, "id", "API key")
	if err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		return deleted(key, nil), a.Commerce.RevokeKey(tx, r.caller, key)
	})
}

// getApiKey serves GET /api/v1/developer/api-keys/{id}: 200; 403, 404.
func (a *API) getApiKey(r *request) (answer, error) {
	if err := r.administers(); err != nil {
		return answer{}, err
	}
	return get(a, r, "API key", func(tx *db.Tx, which id.Key) (answer, error) {
		key, err := accounts.KeyByID(tx, which)
		a.seen.show(r.caller.Tenant, &key)
		return one(http.StatusOK, "", func(w *apijson.Writer) { records.WriteKey(w, "data", key, "") }), err
	})
}

// listApiKeys serves GET /api/v1/developer/api-keys: 200; 400, 403.
func (a *API) listApiKeys(r *request) (answer, error) {
	if err := r.administers(); err != nil {
		return answer{}, err
	}
	q := r.query()
	p := readPage(q, 20, 100)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return listFew(a, r, p, func(tx *db.Tx) ([]accounts.Key, int64, error) { return accounts.Keys(tx, p.Limit, p.Offset()) },
		func(w *apijson.Writer, key *accounts.Key) {
			a.seen.show(r.caller.Tenant, key)
			records.WriteKey(w, "", *key, "")
		})
}

func sampleKeys(w *apijson.Writer) {
	sampleList(w, func(w *apijson.Writer) { records.WriteKey(w, "", records.SampleKey, "") })
}
