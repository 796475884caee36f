package api

import (
	"net/http"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/records"
)

// Samples describe the answers and are the document's examples: they are the same in every run.

// sampleErrors describe the errors of each status: together they have every possible member.
var sampleErrors = map[int][]*apperr.Error{
	http.StatusBadRequest: {
		apperr.At("items[0].quantity", "must be at least 1"),
		apperr.New(apperr.Invalid, "invalid_json", "the body is empty, a JSON object is needed"),
	},
	http.StatusUnauthorized: {apperr.New(apperr.Unauthorized, "unauthorized", "the credential is unknown, revoked or expired")},
	http.StatusForbidden: {
		apperr.New(apperr.Forbidden, "missing_scope", "this needs the scope write:orders").With("requiredScope", "write:orders"),
		apperr.New(apperr.Forbidden, "missing_scope", "the key would have scopes that yours has not").With("requiredScope", "write:orders").
			With("missingScopes", []string{"write:orders"}),
	},
	http.StatusNotFound:       {apperr.Missing("order")},
	http.StatusRequestTimeout: {apperr.New(apperr.Slow, "body_timeout", "the body did not come in time")},
	http.StatusConflict: {
		apperr.New(apperr.Conflict, "duplicate_external_reference", "the externalReference belongs to an order already").With("orderId",
			records.SampleID[string](1)),
		apperr.New(apperr.Conflict, "customer_exists", "the e-mail belongs to a customer already").With("customerId",
			records.SampleID[string](2)),
		apperr.New(apperr.Conflict, "idempotency_key_reused", "the key was used with another body").With("resourceId",
			records.SampleID[string](3)),
		apperr.New(apperr.Conflict, "return_transition_not_allowed", "a return cannot go from requested to refunded").
			With("from", "requested").With("to", "refunded").With("allowed", []string{"received", "rejected"}),
		apperr.New(apperr.Conflict, "insufficient_stock", "too little is available").With("skus", []string{"MUG-BLUE"}),
		{Kind: apperr.Conflict, Code: "slug_taken", Message: "slug mugs belongs to another category",
			Details: []apperr.Detail{{Path: "slug", Message: "mugs belongs to another category"}}},
	},
	http.StatusPreconditionFailed: {apperr.New(apperr.Precondition, "precondition_failed",
		"the record is no longer the one that If-Match names")},
	http.StatusRequestEntityTooLarge: {apperr.New(apperr.TooLarge, "body_too_large", "the body is larger than 1 MB")},
	http.StatusRequestURITooLong:     {apperr.New(0, "uri_too_long", "the address is longer than 16 KB")},
	http.StatusUnsupportedMediaType: {
		apperr.New(apperr.Unsupported, "unsupported_media_type", "send JSON in UTF-8 with Content-Type: application/json"),
	},
	http.StatusUnprocessableEntity: {
		apperr.New(apperr.Refused, "transition_not_allowed", "an order does not move from DELIVERED to PENDING").With("from",
			"DELIVERED").With("to", "PENDING").
			With("allowed", []string{"RETURNED"}),
	},
	http.StatusTooManyRequests: {apperr.Later("more than 500 requests in a minute", 12*time.Second)},
	http.StatusServiceUnavailable: {
		apperr.New(apperr.Unavailable, "unavailable", "the service is shutting down, try again").With("retryAfter", 2),
		apperr.New(apperr.Unavailable, "unavailable", "the store does not answer, try again"),
	},
}
