package server

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/apperr"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
)

// Admin is the owner of the first account, made on an empty store (interface §5.1).
type Admin struct {
	Email, Password string
	Plan            accounts.Plan
}

// firstStart makes the first account from the environment, or prints a link with which a person makes it.
func (s *Server) firstStart(ctx context.Context, store *Store) error {
	empty := false
	err := store.DB.Read(ctx, db.Across, func(tx *db.Tx) error {
		any, err := accounts.Any(tx)
		empty = !any
		return err
	})
	if err != nil || !empty {
		return err
	}
	if s.config.Admin.Email == "" || s.config.Admin.Password == "" {
		var token string
		if err := store.DB.Write(ctx, db.Across, func(tx *db.Tx) (err error) {
			token, err = store.Commerce.OfferSetUp(tx)
			return err
		}); err != nil || token == "" {
			return err
		}
		s.log.Warn("the store is empty: open this link, which works once, to make the first account", "link", s.URL()+"/setup?token="+token)
		return nil
	}
	draft, err := FirstAccount(ctx, s.config.Admin, "Main account")
	if err != nil {
		return err
	}
	made := false
	err = store.DB.Write(ctx, db.Across, func(tx *db.Tx) (err error) {
		made, err = store.Commerce.FirstAccount(tx, draft)
		return err
	})
	if made {
		s.log.Info("first account made", "owner", s.config.Admin.Email, "plan", string(draft.Plan))
	}
	return err
}

// FirstAccount checks an owner's login and hashes its password: the draft of the first account.
func FirstAccount(ctx context.Context, admin Admin, name string) (commerce.AccountDraft, error) {
	if problem := accounts.BadEmail(admin.Email); problem != "" {
		return commerce.AccountDraft{}, errors.New("the first owner's e-mail address " + problem + " (ENTREPOT_ADMIN_EMAIL)")
	}
	if problem := accounts.BadPassword(admin.Password, admin.Email); problem != "" {
		return commerce.AccountDraft{}, errors.New("the first owner's password " + problem + " (ENTREPOT_ADMIN_PASSWORD)")
	}
	hash, err := accounts.HashPassword(ctx, admin.Password)
	return commerce.AccountDraft{Name: name, Plan: admin.Plan, Owner: &commerce.UserDraft{Email: admin.Email, Name: "Owner",
		PasswordHash: hash}}, err
}

// Bounds of the set-up page's form: bytes, and the time in which it must come.
const (
	setupBytes = 16 << 10
	setupTime  = 10 * time.Second
)

// setup serves the set-up link: a form, and its answer.
func (s *Server) setup(w http.ResponseWriter, r *http.Request) {
	n := s.running.Load()
	if n == nil {
		http.Error(w, "the service is starting, try again", http.StatusServiceUnavailable)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'")
	r.Body = http.MaxBytesReader(w, r.Body, setupBytes)
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(setupTime)) // without a connection nothing can stall
	if r.Method == http.MethodPost {
		if err := r.ParseForm(); err != nil {
			h.Set("Connection", "close")
			status := http.StatusBadRequest
			var over *http.MaxBytesError
			if errors.As(err, &over) {
				status = http.StatusRequestEntityTooLarge
			}
			w.WriteHeader(status)
			return
		}
	}
	page := setupPage{Token: r.URL.Query().Get("token")}
	if r.Method == http.MethodPost {
		page.Token, page.Email, page.Name = r.Form.Get("token"), r.PostForm.Get("email"), r.PostForm.Get("name")
		if err := s.setUp(r, n.store, page); err == nil {
			page.Done = true
		} else if f, ok := apperr.As(err); ok {
			page.Problem = f.Message
			w.WriteHeader(http.StatusBadRequest)
		} else {
			s.log.Error("set-up failed", "error", err)
			page.Problem = "it did not work, the log says why"
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
	if err := setupTemplate.Execute(w, page); err != nil {
		s.log.Warn("the set-up page was not sent", "error", err)
	}
}

func (s *Server) setUp(r *http.Request, store *Store, page setupPage) error {
	admin := Admin{Email: page.Email, Password: r.PostForm.Get("password"), Plan: s.config.Admin.Plan}
	if problem := accounts.BadEmail(admin.Email); problem != "" {
		return apperr.At("E-mail", "%s", problem)
	}
	if problem := accounts.BadPassword(admin.Password, admin.Email); problem != "" {
		return apperr.At("Password", "%s", problem)
	}
	if page.Name == "" || len(page.Name) > 120 {
		return apperr.At("Name", "must have 1 to 120 characters")
	}
	open := false // asked before hashing, which is dear
	err := store.DB.Read(r.Context(), db.Across, func(tx *db.Tx) (err error) {
		open, err = accounts.SetupLinkOpen(tx, page.Token)
		return err
	})
	if err != nil {
		return err
	}
	if !open {
		return commerce.NoSetUpLink()
	}
	draft, err := FirstAccount(r.Context(), admin, page.Name)
	if err != nil {
		return err
	}
	return store.DB.Write(r.Context(), db.Across, func(tx *db.Tx) error { return store.Commerce.SetUp(tx, page.Token, draft) })
}

type setupPage struct {
	Token, Email, Name, Problem string
	Done                        bool
}

var setupTemplate = template.Must(template.New("setup").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Set up entrepot</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;background:#f6f6f4;color:#1c1c1a;display:grid;place-items:center;min-height:100vh;margin:0}
main{background:#fff;border:1px solid #e2e2dd;border-radius:12px;padding:2rem;width:min(24rem,90vw)}
h1{font-size:1.25rem;margin:0 0 1rem}label{display:block;margin:.8rem 0 .2rem}
input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem .6rem;border:1px solid #b9b9b2;border-radius:8px}
button{font:inherit;margin-top:1.2rem;width:100%;padding:.6rem;border:0;border-radius:8px;background:#1f4d3a;color:#fff}
.problem{background:#fdecea;border-radius:8px;padding:.5rem .8rem}
</style>
<main><h1>Set up entrepot</h1>
{{if .Done}}<p>The account is there. Log in with <code>POST /api/v1/auth/login</code>; <a href="/docs">the reference</a> says how.</p>
{{else}}{{with .Problem}}<p class="problem" role="alert">{{.}}</p>{{end}}
<form method="post" action="/setup"><input type="hidden" name="token" value="{{.Token}}">
<label for="name">Name of the account</label><input id="name" name="name" required maxlength="120" value="{{.Name}}">
<label for="email">Your e-mail address</label><input id="email" name="email" type="email" required value="{{.Email}}">
<label for="password">Password, 8 characters or more</label>
<input id="password" name="password" type="password" required minlength="8" autocomplete="new-password">
<button>Make the account</button></form>{{end}}</main></html>
`))
