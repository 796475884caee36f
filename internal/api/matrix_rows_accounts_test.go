package api

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
)

// accountRows are interface §4.5.6, §4.5.8, §4.5.10 and §4.5.11.
var accountRows = map[string]row{
	"POST /api/v1/auth/login": {req: func(w *fixture) req { return req{body: member{"email": w.owner.Email, "password": ownerPassword}} },
		more: []func(*fixture) req{
			func(w *fixture) req {
				return req{body: member{"email": w.owner.Email, "password": "wrong one"}, status: 401}
			},
			func(*fixture) req {
				return req{body: member{"email": "nobody@nowhere.example", "password": "wrong one"}, status: 401}
			},
		}},
	"POST /api/v1/auth/logout": {req: func(w *fixture) req { return req{token: w.newToken(w.owner)} }, own: true},
	"GET /api/v1/auth/me":      {req: func(*fixture) req { return req{} }},

	"GET /api/v1/developer/api-keys":      {req: func(w *fixture) req { w.channel(); return req{query: "limit=100"} }},
	"GET /api/v1/developer/api-keys/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.newAPIKey())} }},
	"POST /api/v1/developer/api-keys": {req: func(w *fixture) req { return req{body: keyBody()} }, more: []func(*fixture) req{
		func(w *fixture) req { return req{body: member{"name": "plain", "scopes": []any{"read:orders"}}} },
	}},
	"DELETE /api/v1/developer/api-keys/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.newAPIKey())} }},

	"GET /api/v1/users":      {req: func(w *fixture) req { w.newUser(); return req{query: "limit=100"} }},
	"GET /api/v1/users/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.newUser())} }},
	"POST /api/v1/users": {req: func(w *fixture) req {
		return req{body: member{"email": w.newLogin(), "name": "Ursula", "role": "viewer", "password": "long enough 1"}}
	}, foreign: 201, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{body: member{"email": w.owner.Email, "name": "Ursula", "role": "viewer", "password": "long enough 1"}, status: 409}
		},
	}},
	"PATCH /api/v1/users/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newUser()), body: member{"name": "Vera", "status": "disabled"}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{ids: place("id", w.newUser()), token: w.token,
				body: member{"email": w.newLogin(), "name": "Vera", "role": "admin", "status": "disabled", "password": "long enough 2"}}
		},
		func(w *fixture) req {
			return req{ids: place("id", string(w.owner.ID)), body: member{"role": "viewer"}, token: w.token, status: 409}
		},
		func(w *fixture) req {
			return req{ids: place("id", string(w.owner.ID)), body: member{"role": "viewer"}, status: 403}
		},
	}},
	"PUT /api/v1/users/{id}":          {req: func(w *fixture) req { return req{ids: place("id", w.newUser()), body: member{"name": "Vera"}} }},
	"DELETE /api/v1/users/{id}":       {req: func(w *fixture) req { return req{ids: place("id", w.newUser())} }},
	"GET /api/v1/users/{id}/sign-ins": {req: func(w *fixture) req { user, _ := w.signedIn(); return req{ids: place("id", user)} }},
	"DELETE /api/v1/users/{id}/sign-ins/{signInId}": {req: func(w *fixture) req {
		user, signIn := w.signedIn()
		return req{ids: map[string]string{"id": user, "signInId": signIn}}
	}},
	"GET /api/v1/account": {req: func(*fixture) req { return req{} }},
	"PATCH /api/v1/account": {req: func(w *fixture) req {
		return req{body: member{"name": w.name("Account"), "currency": "eur", "strictWarehouses": false}}
	}},
	"PUT /api/v1/account": {req: func(w *fixture) req { return req{body: member{"name": w.name("Account")}} }},
	"POST /api/v1/sandbox/clock": {own: true, req: func(w *fixture) req {
		return req{token: w.once("sandbox", w.sandboxKey), body: member{"advance": "30s"}}
	}, more: []func(*fixture) req{
		func(*fixture) req { return req{body: member{"advance": 60}, status: 403} },
	}},
	"GET /api/v1/audit-log": {req: func(w *fixture) req { w.newAPIKey(); return req{query: "from=2020-01-01&to=2099-01-01&limit=100"} },
		more: []func(*fixture) req{
			func(w *fixture) req {
				return req{query: "actor=user:" + string(w.owner.ID) + "&action=api_key.created&resourceType=api_key&resourceId=x"}
			},
		}},
	"GET /api/v1/refused-requests": {req: func(w *fixture) req { w.refused(); return req{query: "limit=100"} }, more: []func(*fixture) req{
		func(w *fixture) req { return req{query: "keyId=" + w.newAPIKey() + "&status=404"} },
	}},

	"GET /api/v1/analytics/summary": {req: figures(span), more: []func(*fixture) req{
		func(*fixture) req { return req{query: "from=2030-01-01&to=2020-01-01", status: 400} },
	}},
	"GET /api/v1/analytics/sales":    {req: figures(span + "&interval=month"), more: []func(*fixture) req{figures("interval=hour")}},
	"GET /api/v1/analytics/channels": {req: figures(span)},
	"GET /api/v1/analytics/stock":    {req: figures(span)},
	"GET /api/v1/analytics/webhooks": {req: figures(span)},
}

// span is long enough for every test, and short enough to be cut into months.
const span = "from=2020-01-01&to=2099-01-01"

// figures requests figures of an account that has orders and events.
func figures(query string) func(w *fixture) req {
	return func(w *fixture) req { w.order(); return req{query: query} }
}

func keyBody() member {
	return member{"name": "operations", "scopes": []any{"read:orders", "write:products"}, "expiresAt": "2099-01-01T00:00:00Z"}
}

func (w *fixture) newAPIKey() string {
	return idOf(w.make("POST", "/api/v1/developer/api-keys", keyBody()))
}

// newLogin is an e-mail address that no user has yet.
func (w *fixture) newLogin() string {
	return w.name("user") + "@" + w.once("domain", func() string { return id.New[string]()[24:] }) + ".example"
}

func (w *fixture) newUser() string { user, _ := w.user("viewer"); return string(user.ID) }

// signedIn is a user with an open login, and that login.
func (w *fixture) signedIn() (user, signIn string) {
	made, _ := w.user("viewer")
	list := w.make("GET", "/api/v1/users/"+string(made.ID)+"/sign-ins", nil)
	return string(made.ID), text(list, "data", 0, "id")
}

// refused leaves something in the log of refused requests.
func (w *fixture) refused() {
	w.do(call{method: "GET", path: "/api/v1/nowhere"})
	if err := w.Flush(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// sandboxKey is a key of a sandbox account.
func (w *fixture) sandboxKey() (secret string) {
	w.write(db.Across, func(tx *db.Tx) error {
		account, _, err := w.Commerce.CreateAccount(tx, accounts.Caller{},
			commerce.AccountDraft{Name: "Sandbox", Plan: accounts.Pro, Sandbox: true})
		if err == nil {
			tx.Tenant = account.Tenant
			_, secret, err = w.Commerce.CreateKey(tx, accounts.Caller{}, commerce.KeyDraft{Name: "test", Scopes: accounts.AllScopes})
		}
		return err
	})
	return secret
}
