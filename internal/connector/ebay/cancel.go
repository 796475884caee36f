package ebay

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"entrepot/internal/connector"
)

// cancelStatus is the outcome of an order's cancellation. Requests are only in the answer about one order.
type cancelStatus struct {
	CancelState    string // NONE_REQUESTED, IN_PROGRESS or CANCELED
	CancelRequests []struct{ CancelInitiator, CancelRequestID, CancelRequestState string }
}

const (
	cancelled       = "CANCELED"
	cancellationAPI = "/post-order/v2/cancellation"
)

// PushCancel cancels the whole order: it approves the buyer's request, else it makes a cancellation of the seller's,
// which eBay refuses while there is a request. Some sellers' requests need an additional signature, which the service
// does not make: then the merchant must cancel manually.
func (s *session) PushCancel(ctx context.Context, ref connector.OrderRef, _ string) error {
	o, err := s.readOrder(ctx, ref.ExternalID)
	if err != nil || o.CancelStatus.CancelState == cancelled {
		return err
	}
	for _, r := range o.CancelStatus.CancelRequests {
		if r.CancelRequestState != "REQUESTED" {
			continue
		}
		if !strings.EqualFold(r.CancelInitiator, "buyer") { // an earlier one of the seller's, which eBay works on
			return nil
		}
		_, err := s.call(ctx, http.MethodPost, cancellationAPI+"/"+url.PathEscape(r.CancelRequestID)+"/approve", fields{}, nil)
		return notCancelled(err)
	}
	body := fields{"legacyOrderId": ref.ExternalID, "cancelReason": "OUT_OF_STOCK_OR_CANNOT_FULFILL", "buyerPaid": o.paid()}
	for _, p := range o.PaymentSummary.Payments {
		if !p.PaymentDate.IsZero() && o.paid() {
			body["buyerPaidDate"] = fields{"value": p.PaymentDate.UTC().Format(ebayTime)}
		}
	}
	var out struct {
		CancelID               connector.ID
		OrderEligibilityResult struct{ FailureReason json.RawMessage }
	}
	if _, err := s.call(ctx, http.MethodPost, cancellationAPI, body, &out); err != nil || out.CancelID != "" {
		return notCancelled(err)
	}
	// An order that cannot be cancelled is no error: there is no id then.
	if o, err = s.readOrder(ctx, ref.ExternalID); err != nil || o.CancelStatus.CancelState == cancelled {
		return err
	}
	reason := strings.Trim(connector.Line(string(out.OrderEligibilityResult.FailureReason)), `[]"`)
	return notCancelled(connector.Failf(connector.Rejected, "it cannot be cancelled %s", strings.ReplaceAll(reason, `"`, "")))
}

// paid reports whether the buyer has paid: the cancellation then returns the money.
func (o *order) paid() bool {
	return o.OrderPaymentStatus != "" && o.OrderPaymentStatus != "PENDING" && o.OrderPaymentStatus != "FAILED"
}

// notCancelled is a failure to cancel an order; if a later try is useless, it says what the merchant can do.
func notCancelled(err error) error {
	if f := connector.FailureOf(err); f != nil && f.Lasting() && f.Kind != connector.Unauthorized {
		return connector.Failf(connector.Rejected, "eBay did not cancel the order, please cancel it there: %s", f)
	}
	return err
}
