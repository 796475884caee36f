package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
)

// segmentRoutes are the saved filters of interface §4.4.
var segmentRoutes = []*route{
	{method: "GET", path: "/api/v1/segments", name: "listSegments", section: "4.4", summary: "List segments", scope: "read:customers",
		query: func(q *apijson.Query) { readPage(q, 20, 100) }, answer: sampleSegmentList, serve: (*API).listSegments},
	{method: "POST", path: "/api/v1/segments", name: "createSegment", section: "4.4", summary: "Create a segment", scope: "write:customers",
		status: http.StatusCreated,
		body:   func(o *apijson.Object) { drafts.ReadSegment(o, drafts.ToCreate) }, answer: sampleSegmentAnswer, serve: (*API).createSegment},
	{method: "GET", path: "/api/v1/segments/{id}", name: "getSegment", section: "4.4", summary: "Read a segment", scope: "read:customers",
		answer: sampleSegmentAnswer, serve: (*API).getSegment},
	{method: "PATCH", path: "/api/v1/segments/{id}", name: "updateSegment", put: "putSegment", ifMatch: true, section: "4.4",
		summary: "Change a segment",
		scope:   "write:customers",
		body:    func(o *apijson.Object) { drafts.ReadSegment(o, drafts.ToUpdate) }, answer: sampleSegmentAnswer, serve: (*API).updateSegment},
	{method: "DELETE", path: "/api/v1/segments/{id}", name: "deleteSegment", ifMatch: true, section: "4.4", summary: "Delete a segment",
		scope:  "write:customers",
		answer: data(func(w *apijson.Writer) { writeDeleted(w, records.SampleID[id.Segment](283), nil) }), serve: (*API).deleteSegment},
}

// createSegment serves POST /api/v1/segments: 201; 400.
func (a *API) createSegment(r *request) (answer, error) {
	body := r.object()
	name, rules := drafts.ReadSegment(body, drafts.ToCreate)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	if rules == nil {
		rules = &customers.Rules{}
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		return segmentAnswer(http.StatusCreated, a.Commerce.CreateSegment(tx, r.caller, *name, *rules)), nil
	})
}

func segmentAnswer(status int, s *customers.Segment) answer {
	return one(status, string(s.ID), func(w *apijson.Writer) { records.WriteSegment(w, "data", s) })
}

// updateSegment serves PATCH and PUT /api/v1/segments/{id}: 200; 400, 404, 412.
func (a *API) updateSegment(r *request) (answer, error) {
	body := r.object()
	name, rules := drafts.ReadSegment(body, drafts.ToUpdate)
	return change(a, r, "segment", body, func(tx *db.Tx, segment id.Segment, expected commerce.Expected) (answer, error) {
		s, err := a.Commerce.UpdateSegment(tx, r.caller, segment, expected, name, rules)
		if err != nil {
			return answer{}, err
		}
		return segmentAnswer(http.StatusOK, s), nil
	})
}

// deleteSegment serves DELETE /api/v1/segments/{id}: 200; 404, 412.
func (a *API) deleteSegment(r *request) (answer, error) {
	return change(a, r, "segment", nil, func(tx *db.Tx, segment id.Segment, expected commerce.Expected) (answer, error) {
		return deleted(segment, nil), a.Commerce.DeleteSegment(tx, r.caller, segment, expected)
	})
}

// getSegment serves GET /api/v1/segments/{id}: 200; 404.
func (a *API) getSegment(r *request) (answer, error) {
	return get(a, r, "segment", func(tx *db.Tx, segment id.Segment) (answer, error) {
		s, err := customers.SegmentByID(tx, segment)
		if err != nil {
			return answer{}, err
		}
		return segmentAnswer(http.StatusOK, s), nil
	})
}

// listSegments serves GET /api/v1/segments: 200, oldest first; 400.
func (a *API) listSegments(r *request) (answer, error) {
	q := r.query()
	p := readPage(q, 20, 100)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return listFew(a, r, p, func(tx *db.Tx) ([]customers.Segment, int64, error) {
		return customers.SegmentPage(tx, p.Limit, p.Offset())
	},
		func(w *apijson.Writer, s *customers.Segment) { records.WriteSegment(w, "", s) })
}

func sampleSegmentAnswer(w *apijson.Writer) {
	data(func(w *apijson.Writer) {
		for _, s := range records.SampleSegments() {
			records.WriteSegment(w, "data", &s)
		}
	})(w)
}

func sampleSegmentList(w *apijson.Writer) {
	var elements []func(*apijson.Writer)
	for _, s := range records.SampleSegments() {
		elements = append(elements, func(w *apijson.Writer) { records.WriteSegment(w, "", &s) })
	}
	sampleList(w, elements...)
}
