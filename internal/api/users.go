package api

import (
	"net/http"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
)

// userRoutes are interface §4.5.10: the people of an account.
var userRoutes = []*route{
	{method: "GET", path: "/api/v1/users", name: "listUsers", section: "4.5.10", summary: "List users", scope: "read:users",
		query: func(q *apijson.Query) { readPage(q, 20, 100) }, answer: sampleUsers, serve: (*API).listUsers},
	{method: "GET", path: "/api/v1/users/{id}", name: "getUser", section: "4.5.10", summary: "Read a user", scope: "read:users",
		answer: data(func(w *apijson.Writer) { records.WriteUser(w, "data", records.SampleUser) }), serve: (*API).getUser},
	{method: "POST", path: "/api/v1/users", name: "createUser", section: "4.5.10", summary: "Add a user", scope: "write:users",
		body: func(o *apijson.Object) { drafts.ReadUser(o) }, status: http.StatusCreated,
		answer: data(func(w *apijson.Writer) { records.WriteUser(w, "data", records.SampleUser) }), serve: (*API).createUser},
	{method: "PATCH", path: "/api/v1/users/{id}", name: "updateUser", put: "putUser", ifMatch: true, section: "4.5.10", own: true,
		summary: "Change a user; the own password without the scope", scope: "write:users",
		body:   func(o *apijson.Object) { drafts.ReadUserChange(o) },
		answer: data(func(w *apijson.Writer) { records.WriteUser(w, "data", records.SampleUser) }), serve: (*API).updateUser},
	{method: "DELETE", path: "/api/v1/users/{id}", name: "deleteUser", ifMatch: true, section: "4.5.10", summary: "Remove a user",
		errors: []int{409}, scope: "write:users",
		answer: data(func(w *apijson.Writer) { writeDeleted(w, records.SampleUser.ID, nil) }), serve: (*API).deleteUser},
}

// createUser serves POST /api/v1/users: 201; 400, 403, 409.
func (a *API) createUser(r *request) (answer, error) {
	o := r.object()
	draft, password := drafts.ReadUser(o)
	err := o.Err()
	if err == nil {
		err = a.disguise(r)
	}
	if err == nil {
		draft.PasswordHash, err = a.Commerce.Hashing.Hash(r.ctx(), password)
	}
	if err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		user, err := a.Commerce.CreateUser(tx, r.caller, draft)
		return created(user.ID, func(w *apijson.Writer) { records.WriteUser(w, "data", user) }), err
	})
}

// updateUser serves PATCH and PUT /api/v1/users/{id}: 200; 400, 403, 404, 409, 412.
func (a *API) updateUser(r *request) (answer, error) {
	which, err := pathID[id.User](r, "id", "user")
	if err != nil {
		return answer{}, err
	}
	o := r.object()
	change, password, current := drafts.ReadUserChange(o)
	if err := o.Err(); err != nil {
		return answer{}, a.missingFirst(r, (*API).getUser, err)
	}
	expected := r.expected(o)
	if err = a.disguise(r); err == nil && password != "" {
		change.PasswordHash, err = a.Commerce.Hashing.Hash(r.ctx(), password)
	}
	if err == nil {
		// What a change made of the user must not refuse the same request when it is repeated.
		err = a.outside(r, func() (err error) {
			if password != "" {
				err = a.checkAgainstUser(r, which, password)
			}
			if err == nil && r.caller.User == which && (password != "" || change.Email != "") {
				change.Proof, err = a.logins().Prove(r.ctx(), r.caller, a.attempt(r, "", current))
			}
			return err
		})
	}
	if err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		user, err := a.Commerce.UpdateUser(tx, r.caller, which, expected, change)
		return one(http.StatusOK, string(which), func(w *apijson.Writer) { records.WriteUser(w, "data", user) }), err
	})
}

// checkAgainstUser is the 400 for a new password that is the e-mail address or the name of the user it is for.
func (a *API) checkAgainstUser(r *request, which id.User, password string) error {
	return a.read(r, func(tx *db.Tx) error {
		user, err := accounts.UserByID(tx, which)
		if err != nil {
			return err
		}
		if problem := accounts.BadPassword(password, user.Email, user.Name); problem != "" {
			return apperr.At("password", "%s", problem)
		}
		return nil
	})
}

// deleteUser serves DELETE /api/v1/users/{id}: 200; 403, 404, 409, 412.
func (a *API) deleteUser(r *request) (answer, error) {
	return change(a, r, "user", nil, func(tx *db.Tx, user id.User, expected commerce.Expected) (answer, error) {
		return deleted(user, nil), a.Commerce.DeleteUser(tx, r.caller, user, expected)
	})
}

// getUser serves GET /api/v1/users/{id}: 200; 403, 404.
func (a *API) getUser(r *request) (answer, error) {
	return get(a, r, "user", func(tx *db.Tx, which id.User) (answer, error) {
		user, err := accounts.UserByID(tx, which)
		return one(http.StatusOK, "", func(w *apijson.Writer) { records.WriteUser(w, "data", user) }), err
	})
}

// listUsers serves GET /api/v1/users: 200; 400, 403.
func (a *API) listUsers(r *request) (answer, error) {
	q := r.query()
	p := readPage(q, 20, 100)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return listFew(a, r, p, func(tx *db.Tx) ([]accounts.User, int64, error) { return accounts.Users(tx, p.Limit, p.Offset()) },
		func(w *apijson.Writer, user *accounts.User) { records.WriteUser(w, "", *user) })
}

func sampleUsers(w *apijson.Writer) {
	sampleList(w, func(w *apijson.Writer) { records.WriteUser(w, "", records.SampleUser) })
}
