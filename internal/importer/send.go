package importer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"entrepot/internal/importer/client"
)

// outcome is the result of a chunk.
type outcome struct {
	chunk    *chunk
	created  int
	updated  int
	same     int // dry run: unchanged products
	accepted int // stored, but whether created or updated only the job knows
	existing int // orders that were there already
	moved    int // orders moved by a credit note that names them
	job      string
	faults   []Fault
	err      error // the import cannot go on
}

// sender sends a chunk and returns the outcome. Its error ends the import.
type sender interface {
	send(ctx context.Context, c *chunk) outcome
}

// nowhere is the sender of a dry run without a service: every valid item counts as stored.
type nowhere struct{}

func (nowhere) send(_ context.Context, c *chunk) outcome {
	return outcome{chunk: c, accepted: len(c.items)}
}

// productSender sends products by the bulk import (interface §4.2).
type productSender struct {
	catalog Catalog
	channel string
	dryRun  bool
}

func (s *productSender) send(ctx context.Context, c *chunk) outcome {
	out := outcome{chunk: c}
	if len(c.items) > 0 {
		out.err = inHalves(0, len(c.items), func(from, to int) error {
			items := c.items[from:to]
			imported, err := s.catalog.ImportProducts(ctx, s.request(c.body[items[0].from:items[len(items)-1].to]), s.channel == "")
			if err == nil {
				settleItems(items, imported, &out)
			}
			return err
		}, func(at int, err error) { out.refuse(c.items[at], "", "refused", err.Error()) })
	}
	return out
}

// inHalves sends the items from..to. If the service refuses the request as a whole, for which one bad item is enough,
// it is halved until that item is alone, which is refused.
func inHalves(from, to int, send func(from, to int) error, refuse func(at int, err error)) error {
	err := send(from, to)
	switch status := client.StatusOf(err); {
	case err == nil:
		return nil
	case status != http.StatusBadRequest && status != http.StatusRequestEntityTooLarge:
		return err
	case to-from == 1:
		refuse(from, err)
		return nil
	}
	half := (from + to) / 2
	if err := inHalves(from, half, send, refuse); err != nil {
		return err
	}
	return inHalves(half, to, send, refuse)
}

func (s *productSender) request(items []byte) []byte {
	body := make([]byte, 0, len(items)+wrapping)
	body = append(body, '{')
	if s.channel != "" || s.dryRun {
		o := openObject(append(body, `"options":`...))
		o.textIf("channelId", []byte(s.channel))
		if s.dryRun {
			o.key("dryRun")
			o.b = append(o.b, "true"...)
		}
		body = append(o.close(), ',')
	}
	body = append(body, `"products":[`...)
	body = append(body, items...)
	return append(body, ']', '}')
}

// settleItems counts an answer and reports the items it names.
func settleItems(items []chunkItem, imported client.Imported, out *outcome) {
	bad := map[int]*Fault{}
	for _, e := range imported.Errors {
		at := e.Index
		if at < 0 || at >= len(items) {
			for at = len(items) - 1; at > 0 && items[at].item != e.SKU; {
				at--
			}
		}
		if have := bad[at]; have != nil {
			have.Message += "; " + e.Error
			continue
		}
		f := items[at].refused(items[at].item, e.Field, wordOr(e.Code, "refused"), "%s", e.Error)
		f.Rows = items[at].rows
		bad[at] = &f
	}
	for i := range items {
		if f := bad[i]; f != nil {
			out.faults = append(out.faults, *f)
		}
	}
	out.job = imported.JobID
	switch stored := len(items) - len(bad); {
	case imported.Changes != nil:
		for _, change := range imported.Changes {
			switch change.Action {
			case "create":
				out.created++
			case "unchanged":
				out.same++
			default:
				out.updated++
			}
		}
	case imported.Counted:
		out.created += imported.Created
		out.updated += imported.Updated
		out.accepted += max(0, stored-imported.Created-imported.Updated)
	default:
		out.accepted += stored
	}
}

func (out *outcome) refuse(item chunkItem, field, code, message string) {
	f := item.refused(item.item, field, code, "%s", message)
	f.Rows = item.rows
	out.faults = append(out.faults, f)
}

func wordOr(word, other string) string {
	if word != "" {
		return word
	}
	return other
}

// orderSender creates orders one by one (interface §4.1). The idempotency key is a hash of the order,
// so that sending it again, in this run or another, never makes a second one.
type orderSender struct{ shop Shop }

func (s *orderSender) send(ctx context.Context, c *chunk) outcome {
	out := outcome{chunk: c}
	for _, item := range c.items {
		if out.err = s.one(ctx, item, c.body[item.from:item.to], &out); out.err != nil {
			break
		}
	}
	return out
}

func (s *orderSender) one(ctx context.Context, item chunkItem, body []byte, out *outcome) error {
	if item.credit != nil {
		if done, err := s.takeBack(ctx, item, out); done || err != nil {
			return err
		}
	}
	sum := sha256.Sum256(body)
	replayed, err := s.shop.CreateOrder(ctx, body, "import-"+hex.EncodeToString(sum[:]))
	switch status := client.StatusOf(err); {
	case err == nil && replayed:
		out.existing++
	case err == nil:
		out.created++
	case status == http.StatusConflict && existing(err):
		out.existing++
		out.faults = append(out.faults, item.note(item.item, "externalReference", "exists",
			"an order with this reference is there already and was left as it is"))
	case status == http.StatusBadRequest, status == http.StatusNotFound, status == http.StatusConflict,
		status == http.StatusRequestEntityTooLarge, status == http.StatusUnprocessableEntity:
		field, why := reason(err)
		out.refuse(item, field, codeOf(err), why)
	default:
		return err
	}
	return nil
}

// takeBack changes the status of the order that a credit note names. The note is stored as an order of its own if
// there is no such order, if it covers only a part of it, or if the order's status does not allow the change.
func (s *orderSender) takeBack(ctx context.Context, item chunkItem, out *outcome) (done bool, err error) {
	plan := item.credit
	order, found, err := s.shop.FindOrder(ctx, plan.original)
	if err != nil || !found || !plan.covers(order) {
		return false, err
	}
	if order.Status != plan.status {
		err := s.shop.MoveOrder(ctx, order.ID, plan.status, plan.note)
		if client.StatusOf(err) == http.StatusUnprocessableEntity {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	out.moved++
	out.faults = append(out.faults, item.note(item.item, "originalReference", "original_moved",
		"the order %s it takes back is now %s; no order was made of the note itself", plan.original, plan.status))
	return true, nil
}

func existing(err error) bool {
	refused, ok := errors.AsType[*client.Error](err)
	return ok && refused.OrderID != ""
}

func codeOf(err error) string {
	if refused, ok := errors.AsType[*client.Error](err); ok {
		return wordOr(refused.Code, "refused")
	}
	return "refused"
}

// reason is why an order was refused, and the field if it is a single one.
func reason(err error) (field, why string) {
	if refused, ok := errors.AsType[*client.Error](err); ok && len(refused.Details) == 1 {
		return refused.Details[0].Path, refused.Details[0].Message
	}
	return "", message(err)
}

// message is the refusal with its details, on one line.
func message(err error) string {
	return strings.Join(strings.Fields(string(bytes.ToValidUTF8([]byte(err.Error()), nil))), " ")
}
