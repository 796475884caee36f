package amazon

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/connector"
)

// cancellations is the feed document with which a seller cancels orders. Amazon has no other way.
type cancellations struct {
	XMLName xml.Name `xml:"AmazonEnvelope"`
	Header  struct {
		DocumentVersion    string
		MerchantIdentifier string
	}
	MessageType string
	Message     []cancellation
}

type cancellation struct {
	MessageID            int
	OrderAcknowledgement struct {
		AmazonOrderID string
		StatusCode    string
		Item          []cancelledItem
	}
}

type cancelledItem struct{ AmazonOrderItemCode, CancelReason string }

// cancelReason is the default reason of every cancellation; the channel's setting cancelReason sets another one.
const cancelReason = "NoInventory"

// mostCancelled is the largest number of orders in one feed.
const mostCancelled = 1000

// cancelFact is the fact with the feed that cancels an order, and the order's message in it, until Amazon has
// processed the feed.
func cancelFact(order string) string { return "cancel " + order }

// PushCancel collects an order to be cancelled: Send cancels all of them in one feed, because Amazon accepts one in
// two minutes. Until Amazon has processed it the failure is Underway.
func (s *session) PushCancel(ctx context.Context, ref connector.OrderRef, _ string) error {
	if place := s.link.Facts.Fact(cancelFact(ref.ExternalID)); place != "" {
		feed, message, _ := strings.Cut(place, " ")
		return s.cancelled(ctx, ref.ExternalID, feed, message)
	}
	o, err := s.beforeWrite(ctx, ref.ExternalID)
	if err != nil || o.Fulfillment.FulfillmentStatus == "CANCELLED" {
		return err
	}
	var one cancellation
	ack := &one.OrderAcknowledgement
	ack.AmazonOrderID, ack.StatusCode = o.OrderID, "Failure"
	reason := s.link.Channel.Value("cancelReason")
	if reason == "" {
		reason = cancelReason
	}
	for _, it := range o.OrderItems {
		ack.Item = append(ack.Item, cancelledItem{it.OrderItemID, reason})
	}
	s.cancel = append(s.cancel, one)
	return underway()
}

func underway() error {
	return connector.Failf(connector.Underway, "Amazon works on the cancellation")
}

// Send cancels the collected orders. If Amazon accepts no feed now, the next run collects them again.
func (s *session) Send(ctx context.Context) error {
	all := s.cancel
	s.cancel = nil
	for piece := range slices.Chunk(all, mostCancelled) {
		doc := cancellations{MessageType: "OrderAcknowledgement", Message: piece}
		doc.Header.DocumentVersion, doc.Header.MerchantIdentifier = "1.01", s.seller
		for i := range doc.Message {
			doc.Message[i].MessageID = i + 1
		}
		text, err := xml.Marshal(doc)
		if err != nil {
			return err
		}
		feed, err := s.submit(ctx, createFeed, ordersFeed, ordersForm, append([]byte(xml.Header), text...))
		if connector.Is(err, connector.Throttled) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, one := range doc.Message {
			s.link.Facts.Keep(cancelFact(one.OrderAcknowledgement.AmazonOrderID), feed+" "+strconv.Itoa(one.MessageID))
		}
	}
	return nil
}

// cancelled returns the outcome of a message of the feed that cancels an order. Each feed is requested once.
func (s *session) cancelled(ctx context.Context, order, feed, message string) error {
	out, known := s.acknowledged[feed]
	if !known {
		var err error
		if out, err = s.acknowledgement(ctx, feed); err != nil {
			return err
		}
		if s.acknowledged == nil {
			s.acknowledged = map[string]acknowledgement{}
		}
		s.acknowledged[feed] = out
	}
	if out.forgotten || out.ended {
		s.link.Facts.Keep(cancelFact(order), "")
	}
	if !out.ended { // Amazon forgets feeds: the next try begins anew
		return underway()
	}
	s.last = nil
	reason := strings.Join(append(slices.Clone(out.refused[""]), out.refused[message]...), "; ")
	if out.unread { // the order itself says whether it is cancelled
		reason = "its report cannot be read"
	}
	if out.state != feedDone || reason != "" {
		if o, err := s.beforeWrite(ctx, order); err == nil && o.Fulfillment.FulfillmentStatus == "CANCELLED" {
			return nil // the reason was about another message
		}
		return connector.Failf(connector.Rejected, "Amazon did not cancel the order, please cancel it there: %s %s", out.state, reason)
	}
	return nil
}

// acknowledgement is the outcome of a feed of cancellations.
type acknowledgement struct {
	state            string
	ended, forgotten bool
	unread           bool                // the report is not what Amazon documents
	refused          map[string][]string // why, by message; those about the feed as a whole under ""
}

func (s *session) acknowledgement(ctx context.Context, feed string) (out acknowledgement, err error) {
	var report string
	out.state, report, out.ended, err = s.feed(ctx, feed)
	if connector.Is(err, connector.Missing) {
		return acknowledgement{forgotten: true}, nil
	}
	if err != nil || !out.ended {
		return out, err
	}
	opened, err := s.report(ctx, report)
	var text []byte
	if err == nil {
		text, err = opened.all()
	}
	if errors.Is(err, errReportTooLarge) { // the order itself says whether it is cancelled
		out.refused = map[string][]string{"": {errReportTooLarge.Message}}
		return out, nil
	}
	if err == nil {
		out.refused, out.unread = refusedMessages(text)
	}
	return out, err
}

// refusedMessages are the refused messages in a feed's report, with the reasons; unread says that it cannot be read.
func refusedMessages(report []byte) (refused map[string][]string, unread bool) {
	var out struct {
		Message []struct {
			ProcessingReport struct {
				Result []struct{ MessageID, ResultCode, ResultDescription string }
			}
		}
	}
	refused = map[string][]string{}
	if len(bytes.TrimSpace(report)) == 0 {
		return refused, false
	}
	d := xml.NewDecoder(bytes.NewReader(report))
	d.CharsetReader = charset
	if d.Decode(&out) != nil {
		return refused, true
	}
	for _, m := range out.Message {
		for _, r := range m.ProcessingReport.Result {
			about := strings.TrimSpace(r.MessageID)
			if about == "0" {
				about = ""
			}
			if r.ResultCode == "Error" {
				refused[about] = append(refused[about], connector.Line(r.ResultDescription))
			}
		}
	}
	return refused, false
}

// charset converts a text in a one-byte character set, as Amazon's older reports use. It reads all of them as ISO
// 8859-1: only the wording of a reason depends on it.
func charset(_ string, text io.Reader) (io.Reader, error) {
	raw, err := io.ReadAll(text)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	for _, b := range raw {
		out.WriteRune(rune(b))
	}
	return strings.NewReader(out.String()), nil
}
