package api

import (
	"net/http"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
)

// accountRoutes are interface §4.5.10: the account itself.
var accountRoutes = []*route{
	{method: "GET", path: "/api/v1/account", name: "getAccount", section: "4.5.10", summary: "Read the account",
		answer: data(func(w *apijson.Writer) { records.WriteAccount(w, "data", records.SampleAccount) }), serve: (*API).getAccount},
	{method: "PATCH", path: "/api/v1/account", name: "updateAccount", put: "putAccount", ifMatch: true, section: "4.5.10",
		summary: "Change the account",
		scope:   "write:users",
		body:    func(o *apijson.Object) { drafts.ReadAccountChange(o) },
		answer:  data(func(w *apijson.Writer) { records.WriteAccount(w, "data", records.SampleAccount) }), serve: (*API).updateAccount},
}

// getAccount serves GET /api/v1/account: 200.
func (a *API) getAccount(r *request) (out answer, err error) {
	err = a.read(r, func(tx *db.Tx) error {
		account, err := accounts.Own(tx)
		out = one(http.StatusOK, "", func(w *apijson.Writer) { records.WriteAccount(w, "data", account) })
		return err
	})
	return out, err
}

// updateAccount serves PATCH and PUT /api/v1/account: 200; 400, 403, 412.
func (a *API) updateAccount(r *request) (answer, error) {
	o := r.object()
	update := drafts.ReadAccountChange(o)
	expected := r.expected(o)
	return a.write(r, func(tx *db.Tx) (answer, error) {
		account, err := a.Commerce.UpdateAccount(tx, r.caller, expected, update)
		return one(http.StatusOK, string(account.ID), func(w *apijson.Writer) { records.WriteAccount(w, "data", account) }), err
	})
}
