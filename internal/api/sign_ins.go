package api

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// signInRoutes are interface §4.5.10: the open logins of a user.
var signInRoutes = []*route{
	{method: "GET", path: "/api/v1/users/{id}/sign-ins", name: "listSignIns", section: "4.5.10", own: true,
		summary: "List a user's open logins, newest first; the own ones without the scope", scope: "read:users",
		answer: data(sampleSignIns), serve: (*API).listSignIns},
	{method: "DELETE", path: "/api/v1/users/{id}/sign-ins/{signInId}", name: "endSignIn", section: "4.5.10", own: true,
		summary: "End one login of a user; an own one without the scope", scope: "write:users",
		answer: data(func(w *apijson.Writer) { writeDeleted(w, sampleSignIn.ID, nil) }), serve: (*API).endSignIn},
}

// listSignIns serves GET /api/v1/users/{id}/sign-ins: 200; 403, 404.
func (a *API) listSignIns(r *request) (answer, error) {
	which, err := pathID[id.User](r, "id", "user")
	if err != nil {
		return answer{}, err
	}
	return a.paged(r, func(tx *db.Tx, w *apijson.Writer) error {
		if _, err := accounts.UserByID(tx, which); err != nil {
			return err
		}
		list, err := accounts.SignIns(tx, which)
		if err != nil {
			return err
		}
		w.Object("")
		writeSignIns(w, list, r.caller.SignIn)
		w.End()
		return nil
	})
}

// endSignIn serves DELETE /api/v1/users/{id}/sign-ins/{signInId}: 200; 403, 404.
func (a *API) endSignIn(r *request) (answer, error) {
	which, err := pathID[id.User](r, "id", "user")
	if err != nil {
		return answer{}, err
	}
	signIn, err := pathID[id.SignIn](r, "signInId", "sign-in")
	if err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		return deleted(signIn, nil), a.Commerce.EndSignIn(tx, r.caller, which, signIn)
	})
}

func writeSignIns(w *apijson.Writer, list []accounts.SignIn, own id.SignIn) {
	w.List("data")
	for _, s := range list {
		w.Record("SignIn", "")
		apijson.ID(w, "id", s.ID)
		w.TextOrNull("address", s.Address)
		w.TextOrNull("agent", s.Agent)
		w.Bool("dashboard", s.Dashboard)
		w.Bool("current", s.ID == own)
		w.Micros("createdAt", s.CreatedAt)
		w.Micros("expiresAt", s.ExpiresAt)
		w.MicrosOrNull("lastUsedAt", s.LastUsedAt)
		w.End()
	}
	w.EndList()
	writeCountMeta(w, len(list))
}

var sampleSignIn = accounts.SignIn{ID: "019a1c52-7c1e-7d40-9a55-000000000009", Address: "203.0.113.7", Agent: "erp-sync/3.1",
	CreatedAt: records.SampleTime, ExpiresAt: records.SampleTime, LastUsedAt: records.SampleTime}

func sampleSignIns(w *apijson.Writer) { writeSignIns(w, []accounts.SignIn{sampleSignIn}, "") }
