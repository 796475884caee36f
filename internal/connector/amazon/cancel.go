package amazon

import (
	"context"
	"encoding/xml"
	"strings"

	"entrepot/internal/connector"
)

// cancellation is the document by which a seller says that an order is not fulfilled. Amazon has no other way to cancel one.
type cancellation struct {
	XMLName xml.Name `xml:"AmazonEnvelope"`
	Header  struct {
		DocumentVersion    string
		MerchantIdentifier string
	}
	MessageType string
	Message     struct {
		MessageID            int
		OrderAcknowledgement struct {
			AmazonOrderID string
			StatusCode    string
			Item          []cancelledItem
		}
	}
}

type cancelledItem struct{ AmazonOrderItemCode, CancelReason string }

// cancelReason is what Amazon is given for every cancellation; the channel's setting cancelReason names another one.
const cancelReason = "NoInventory"

// cancelFact is under what the feed that cancels an order is kept while Amazon works on it.
func cancelFact(order string) string { return "cancel " + order }

// PushCancel cancels an order by a feed. Until Amazon has done it the failure is Underway.
func (s *session) PushCancel(ctx context.Context, ref connector.OrderRef, _ string) error {
	fact := cancelFact(ref.ExternalID)
	if feed := s.link.Facts.Fact(fact); feed != "" {
		return s.cancelled(ctx, fact, feed)
	}
	o, err := s.mine(ctx, ref.ExternalID)
	if err != nil || o.Fulfillment.FulfillmentStatus == "CANCELLED" {
		return err
	}
	var doc cancellation
	doc.Header.DocumentVersion, doc.Header.MerchantIdentifier = "1.01", s.seller
	doc.MessageType, doc.Message.MessageID = "OrderAcknowledgement", 1
	ack := &doc.Message.OrderAcknowledgement
	ack.AmazonOrderID, ack.StatusCode = o.OrderID, "Failure"
	reason := s.link.Channel.Value("cancelReason")
	if reason == "" {
		reason = cancelReason
	}
	for _, it := range o.OrderItems {
		ack.Item = append(ack.Item, cancelledItem{it.OrderItemID, reason})
	}
	text, err := xml.Marshal(doc)
	if err != nil {
		return err
	}
	feed, err := s.submit(ctx, ordersFeed, ordersForm, append([]byte(xml.Header), text...))
	if connector.Is(err, connector.Throttled) { // a feed in two minutes: other orders need not wait for that
		return underway()
	}
	if err != nil {
		return err
	}
	s.link.Facts.Keep(fact, feed)
	return underway()
}

func underway() error {
	return connector.Failf(connector.Underway, "Amazon works on the cancellation")
}

// cancelled says what became of the feed that cancels an order.
func (s *session) cancelled(ctx context.Context, fact, feed string) error {
	state, report, ended, err := s.feed(ctx, feed)
	switch {
	case connector.Is(err, connector.Missing):
		s.link.Facts.Keep(fact, "") // Amazon forgets feeds: the next try begins anew
		return underway()
	case err != nil:
		return err
	case !ended:
		return underway()
	}
	text, err := s.report(ctx, report)
	if err != nil {
		return err
	}
	s.link.Facts.Keep(fact, "")
	s.read = nil
	if reason := refusal(text); state != feedDone || reason != "" {
		return connector.Failf(connector.Rejected, "Amazon did not cancel the order, please cancel it there: %s %s", state, reason)
	}
	return nil
}

// refusal is why the report of a feed of orders says that its message was refused; "" when it was taken.
func refusal(report []byte) string {
	var out struct {
		Message []struct {
			ProcessingReport struct {
				Result []struct{ ResultCode, ResultMessageCode, ResultDescription string }
			}
		}
	}
	if len(report) == 0 || xml.Unmarshal(report, &out) != nil {
		return ""
	}
	var reasons []string
	for _, m := range out.Message {
		for _, r := range m.ProcessingReport.Result {
			if r.ResultCode == "Error" {
				reasons = append(reasons, connector.Line(r.ResultDescription))
			}
		}
	}
	return strings.Join(reasons, "; ")
}
