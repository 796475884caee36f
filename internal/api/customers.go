package api

import (
	"net/http"
	"slices"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
	"entrepot/internal/records"
)

// customerRoutes are interface §4.4.
var customerRoutes = []*route{
	{method: "GET", path: "/api/v1/customers", name: "listCustomers", section: "4.4", summary: "List customers", scope: "read:customers",
		query: func(q *apijson.Query) { readCustomerFilter(q) }, answer: sampleCustomers, serve: (*API).listCustomers},
	{method: "POST", path: "/api/v1/customers", name: "createCustomer", section: "4.4", summary: "Create a customer",
		scope: "write:customers", status: http.StatusCreated,
		body: func(o *apijson.Object) { drafts.ReadCustomer(o, drafts.ToCreate) }, answer: sampleCustomerAnswer, serve: (*API).createCustomer},
	{method: "POST", path: "/api/v1/customers/merge", name: "mergeCustomers", section: "4.4", errors: []int{404}, summary: "Merge customers",
		scope: "write:customers",
		body:  func(o *apijson.Object) { readMerge(o) }, answer: sampleMerged, serve: (*API).mergeCustomers},
	{method: "GET", path: "/api/v1/customers/merge", name: "previewMerge", section: "4.4", errors: []int{404, 409},
		summary: "Preview a merge of customers", scope: "read:customers",
		query: func(q *apijson.Query) { readMergeQuery(q) }, answer: sampleMerged, serve: (*API).previewMerge},
	{method: "GET", path: "/api/v1/customers/{id}", name: "getCustomer", section: "4.4", summary: "Read a customer", scope: "read:customers",
		answer: sampleCustomerAnswer, serve: (*API).getCustomer},
	{method: "PATCH", path: "/api/v1/customers/{id}", name: "updateCustomer", put: "putCustomer", ifMatch: true, section: "4.4",
		summary: "Change a customer",
		scope:   "write:customers",
		body:    func(o *apijson.Object) { drafts.ReadCustomer(o, drafts.ToUpdate) }, answer: sampleCustomerAnswer, serve: (*API).updateCustomer},
	{method: "GET", path: "/api/v1/customers/{id}/orders", name: "listCustomerOrders", section: "4.4", summary: "List a customer's orders",
		scope: "read:customers",
		query: func(q *apijson.Query) { readOrderFilter(q) }, answer: sampleOrderList, serve: (*API).listCustomerOrders},
	{method: "POST", path: "/api/v1/customers/{id}/erase", name: "eraseCustomer", section: "4.4", summary: "Erase a customer's personal data",
		scope: "write:customers",
		answer: data(func(w *apijson.Writer) {
			records.WriteErasure(w, "data", records.Erasure{ID: records.SampleID[id.Customer](262), ErasedAt: records.SampleTime, Orders: 2})
		}), serve: (*API).eraseCustomer},
}

// createCustomer serves POST /api/v1/customers: 201; 400, 409.
func (a *API) createCustomer(r *request) (answer, error) {
	body := r.object()
	draft := drafts.ReadCustomer(body, drafts.ToCreate)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		c, err := a.Commerce.CreateCustomer(tx, draft)
		return customerAnswer(http.StatusCreated, c), err
	})
}

func customerAnswer(status int, c records.Customer) answer {
	return one(status, string(c.ID), func(w *apijson.Writer) { records.WriteCustomer(w, "data", c) })
}

// updateCustomer serves PATCH and PUT /api/v1/customers/{id}: 200; 400, 404, 409, 412.
func (a *API) updateCustomer(r *request) (answer, error) {
	body := r.object()
	update := drafts.ReadCustomer(body, drafts.ToUpdate)
	which, err := pathID[id.Customer](r, "id", "customer")
	if err == nil {
		err = a.Commerce.LeaveEmail(r.ctx(), a.store(r), r.caller.Tenant, which, r.expected(body), update)
	}
	if err != nil {
		return answer{}, err
	}
	return change(a, r, "customer", body, func(tx *db.Tx, customer id.Customer, expected commerce.Expected) (answer, error) {
		c, err := a.Commerce.UpdateCustomer(tx, customer, expected, update)
		return customerAnswer(http.StatusOK, c), err
	})
}

// getCustomer serves GET /api/v1/customers/{id}: 200; 404.
func (a *API) getCustomer(r *request) (answer, error) {
	return get(a, r, "customer", func(tx *db.Tx, customer id.Customer) (answer, error) {
		c, err := a.Commerce.ReadCustomer(tx, customer)
		return customerAnswer(http.StatusOK, c), err
	})
}

// readCustomerFilter reads the parameters of the list.
func readCustomerFilter(q *apijson.Query) (f customers.Filter, segment id.Segment, p page) {
	f, segment = drafts.ReadCustomerFilter(q)
	p = readPage(q, 20, 100)
	f.Limit, f.Offset = p.Limit, p.Offset()
	if last := q.Cursor("customers", 1); last != nil {
		f.After, f.Offset = cursorID[id.Customer](q, last[0]), 0
	}
	return f, segment, p
}

// listCustomers serves GET /api/v1/customers: 200; 400. An unknown segment has no customers.
func (a *API) listCustomers(r *request) (answer, error) {
	q := r.query()
	f, segment, p := readCustomerFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return a.cursorList(r, p, func(tx *db.Tx, w *apijson.Writer) (int64, string, error) {
		if segment != "" {
			s, err := customers.SegmentByID(tx, segment)
			if apperr.Is(err, apperr.NotFound) {
				return 0, "", nil
			}
			if err != nil {
				return 0, "", err
			}
			f.Segment = s
		}
		found, total, err := customers.List(tx, f)
		if err != nil {
			return 0, "", err
		}
		list, err := commerce.CustomerRecords(tx, found)
		if err != nil {
			return 0, "", err
		}
		next := behind("customers", list, p, func(last *records.Customer) []string { return []string{string(last.ID)} })
		return total, next, writeRows(r, w, list, func(c *records.Customer) { records.WriteCustomer(w, "", *c) })
	})
}

// nobody is the id of no customer: no order is of two.
const nobody id.Customer = "00000000-0000-0000-0000-000000000000"

// listCustomerOrders serves GET /api/v1/customers/{id}/orders: 200; 400, 404.
func (a *API) listCustomerOrders(r *request) (answer, error) {
	customer, err := pathID[id.Customer](r, "id", "customer")
	if err != nil {
		return answer{}, err
	}
	err = a.read(r, func(tx *db.Tx) error {
		c, err := customers.ByID(tx, customer)
		if err == nil && c == nil {
			err = customers.Missing()
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	q := r.query()
	f, p := readOrderFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	if f.Customer != "" && f.Customer != customer {
		customer = nobody
	}
	f.Customer = customer
	return a.orderPage(r, f, p)
}

// readMerge reads the body of POST /customers/merge.
func readMerge(o *apijson.Object) (primary id.Customer, secondaries []id.Customer) {
	o.Record("MergeCustomers")
	primary = apijson.UUID[id.Customer](o, "primaryId", true).Value
	before := len(o.Errors())
	list := apijson.UUIDs[id.Customer](o, "secondaryIds", true, limits.MaxSecondaries)
	o.Describe("secondaryIds", apijson.AtLeastOne)
	if list.Given() && len(list.Value) == 0 && len(o.Errors()) == before {
		o.AddError("secondaryIds", "must have at least 1 entry")
	}
	if slices.Contains(list.Value, primary) {
		o.AddError("secondaryIds", "must not name the primary")
	}
	for _, which := range list.Value {
		if !slices.Contains(secondaries, which) {
			secondaries = append(secondaries, which)
		}
	}
	return primary, secondaries
}

// mergeCustomers serves POST /api/v1/customers/merge: 200 with the primary; 400, 404, 409.
func (a *API) mergeCustomers(r *request) (answer, error) {
	body := r.object()
	primary, secondaries := readMerge(body)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	finish := func() error {
		return a.Commerce.FinishMerges(r.ctx(), a.store(r), r.caller.Tenant, append([]id.Customer{primary}, secondaries...)...)
	}
	if err := finish(); err != nil {
		return answer{}, err
	}
	out, err := a.write(r, func(tx *db.Tx) (answer, error) {
		merged, err := a.Commerce.MergeCustomers(tx, r.caller, primary, secondaries)
		return one(http.StatusOK, string(primary), func(w *apijson.Writer) { writeMerged(w, merged) }), err
	})
	if err == nil {
		err = finish()
	}
	return out, err
}

// readMergeQuery reads the parameters of a preview: the members of POST /customers/merge.
func readMergeQuery(q *apijson.Query) (primary id.Customer, secondaries []id.Customer) {
	primary = apijson.QueryID[id.Customer](q, "primaryId")
	for _, text := range q.List("secondaryIds") {
		which, ok := id.Parse[id.Customer](text)
		switch {
		case !ok:
			q.AddError("secondaryIds", "must be UUIDs separated by commas")
		case which == primary:
			q.AddError("secondaryIds", "must not name the primary")
		case !slices.Contains(secondaries, which):
			secondaries = append(secondaries, which)
		}
	}
	if len(secondaries) > limits.MaxSecondaries {
		q.AddError("secondaryIds", "must have at most %d ids", limits.MaxSecondaries)
	}
	return primary, secondaries
}

// previewMerge serves GET /api/v1/customers/merge: 200 with the primary as the merge would make it; 400, 404, 409.
func (a *API) previewMerge(r *request) (out answer, err error) {
	q := r.query()
	primary, secondaries := readMergeQuery(q)
	if q.Text("primaryId") == "" {
		q.AddError("primaryId", "is required")
	}
	if len(q.List("secondaryIds")) == 0 { // "," names nobody
		q.AddError("secondaryIds", "is required")
	}
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	err = a.read(r, func(tx *db.Tx) error {
		merged, err := a.Commerce.PreviewMerge(tx, primary, secondaries)
		out = one(http.StatusOK, string(primary), func(w *apijson.Writer) { writeMerged(w, merged) })
		return err
	})
	return out, err
}

func sampleMerged(w *apijson.Writer) {
	data(func(w *apijson.Writer) {
		writeMerged(w, commerce.Merged{Primary: records.SampleCustomer(), Secondaries: []id.Customer{records.SampleID[id.Customer](261)}})
	})(w)
}

func writeMerged(w *apijson.Writer, m commerce.Merged) {
	w.Record("MergedCustomer", "data")
	records.WriteCustomerMembers(w, m.Primary)
	apijson.Texts(w, "mergedIds", m.Secondaries)
	w.Int("ordersMoved", int64(m.OrdersMoved))
	w.End()
}

// eraseCustomer serves POST /api/v1/customers/{id}/erase: 200; 404, 409 for a record merged into another.
func (a *API) eraseCustomer(r *request) (out answer, err error) {
	customer, err := pathID[id.Customer](r, "id", "customer")
	if err != nil {
		return answer{}, err
	}
	err = a.Commerce.EraseCustomer(r.ctx(), a.store(r), r.caller, customer, func(erase func(tx *db.Tx) (records.Erasure, error)) (err error) {
		out, err = a.write(r, func(tx *db.Tx) (answer, error) {
			e, err := erase(tx)
			return one(http.StatusOK, string(customer), func(w *apijson.Writer) { records.WriteErasure(w, "data", e) }), err
		})
		return err
	})
	return out, err
}

func sampleCustomerAnswer(w *apijson.Writer) {
	data(func(w *apijson.Writer) { records.WriteCustomer(w, "data", records.SampleCustomer()) })(w)
}

func sampleCustomers(w *apijson.Writer) {
	sampleCursorList(w, func(w *apijson.Writer) { records.WriteCustomer(w, "", records.SampleCustomer()) })
}
