package fakeshop

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

const feedsPath = "/feeds/2021-06-30"

// document is something to be uploaded or fetched at an address that ends after five minutes.
type document struct {
	id, form string
	content  []byte
	packed   bool
	ends     time.Time
}

type feed struct {
	id, kind, input, report string
	at, ready               time.Time
	done, fatal             bool
}

// listingsFeed is the type of feeds of which Amazon takes five in five minutes.
const listingsFeed = "JSON_LISTINGS_FEED"

func (a *Account) newDocument(form string) *document {
	d := &document{id: "amzn1.tortuga." + a.id(), form: form, ends: a.Now().Add(5 * time.Minute)}
	a.documents[d.id] = d
	return d
}

func (d *document) address(r *http.Request) string {
	return "http://" + r.Host + "/documents/" + d.id + "?signature=" + d.id
}

func (a *Account) addDocument(r *http.Request, body object) (int, any) {
	form, _ := body["contentType"].(string)
	if form == "" {
		return http.StatusBadRequest, problem("InvalidInput", "contentType is missing")
	}
	d := a.newDocument(form)
	return http.StatusCreated, object{"feedDocumentId": d.id, "url": d.address(r)}
}

func (a *Account) document(r *http.Request, _ object) (int, any) {
	d := a.documents[r.PathValue("id")]
	if d == nil {
		return http.StatusNotFound, problem("NotFound", "The document does not exist.")
	}
	d.ends = a.Now().Add(5 * time.Minute)
	out := object{"feedDocumentId": d.id, "url": d.address(r)}
	if d.packed {
		out["compressionAlgorithm"] = "GZIP"
	}
	return http.StatusOK, out
}

// content serves documents. It accepts no tokens, and refuses requests with one.
func (a *Account) content(w http.ResponseWriter, r *http.Request) {
	a.calls["document"]++
	d := a.documents[r.PathValue("id")]
	switch {
	case d == nil || r.FormValue("signature") != d.id || !a.Now().Before(d.ends):
		http.Error(w, "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>", http.StatusForbidden)
	case r.Header.Get("x-amz-access-token") != "" || r.Header.Get("Authorization") != "":
		http.Error(w, "<Error><Code>InvalidArgument</Code></Error>", http.StatusBadRequest)
	case r.Method == http.MethodPut && r.Header.Get("Content-Type") != d.form:
		http.Error(w, "<Error><Code>SignatureDoesNotMatch</Code></Error>", http.StatusForbidden)
	case r.Method == http.MethodPut:
		d.content, _ = io.ReadAll(r.Body)
	default:
		_, _ = w.Write(d.content)
	}
}

func (a *Account) addFeed(_ *http.Request, body object) (int, any) {
	input, _ := body["inputFeedDocumentId"].(string)
	kind, _ := body["feedType"].(string)
	if d := a.documents[input]; d == nil || d.content == nil {
		return http.StatusBadRequest, problem("InvalidInput", "The document was not uploaded.")
	}
	lately := 0
	for _, f := range a.feeds {
		if f.kind == listingsFeed && a.Now().Sub(f.at) < 5*time.Minute {
			lately++
		}
	}
	if kind == listingsFeed && lately == 5 {
		a.calls["429"]++
		return http.StatusTooManyRequests, problem("QuotaExceeded", "You exceeded your quota for the requested resource.")
	}
	f := &feed{id: a.id(), kind: kind, input: input, at: a.Now(), ready: a.Now().Add(a.Working)}
	a.feeds = append(a.feeds, f)
	f.fatal = fakeshop.Nth(a.LoseFeed, len(a.feeds))
	return http.StatusAccepted, object{"feedId": f.id}
}

func (a *Account) feed(r *http.Request, _ object) (int, any) {
	for _, f := range a.feeds {
		if f.id != r.PathValue("id") {
			continue
		}
		out := object{"feedId": f.id, "feedType": f.kind, "processingStatus": "IN_QUEUE"}
		switch {
		case f.done && f.fatal:
			out["processingStatus"] = "FATAL"
		case f.done:
			out["processingStatus"], out["resultFeedDocumentId"] = "DONE", f.report
		case f.ready.Sub(a.Now()) < a.Working/2:
			out["processingStatus"] = "IN_PROGRESS"
		}
		return http.StatusOK, out
	}
	return http.StatusNotFound, problem("NotFound", "The feed does not exist.")
}

// cancelFeed ends a feed that is not in process yet.
func (a *Account) cancelFeed(r *http.Request, _ object) (int, any) {
	for _, f := range a.feeds {
		if f.id == r.PathValue("id") && !f.done && f.ready.Sub(a.Now()) >= a.Working/2 {
			f.done, f.fatal = true, true
			return http.StatusOK, object{}
		}
	}
	return http.StatusBadRequest, problem("InvalidInput", "The feed cannot be cancelled.")
}

// process applies a feed and writes its report.
func (a *Account) process(f *feed) {
	if f.fatal {
		return
	}
	input := a.documents[f.input].content
	report := a.newDocument("")
	f.report = report.id
	if f.kind == "POST_ORDER_ACKNOWLEDGEMENT_DATA" {
		report.content = a.acknowledge(input)
		return
	}
	text, ok := a.listingsFeed(input)
	if f.fatal = !ok; !ok {
		return
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(text)
	_ = w.Close()
	report.content, report.packed = packed.Bytes(), true
}

// acknowledge cancels the orders of a document, as far as they can be.
func (a *Account) acknowledge(input []byte) []byte {
	var in struct {
		Header  struct{ MerchantIdentifier string }
		Message []struct {
			MessageID            int
			OrderAcknowledgement struct {
				AmazonOrderID, StatusCode string
				Item                      []struct{ AmazonOrderItemCode, CancelReason string }
			}
		}
	}
	result := ""
	if xml.Unmarshal(input, &in) != nil || in.Header.MerchantIdentifier != SellerID {
		result = "<Result><MessageID>0</MessageID><ResultCode>Error</ResultCode>" +
			"<ResultDescription>The document is not readable.</ResultDescription></Result>"
	}
	for _, m := range in.Message {
		o := a.find(m.OrderAcknowledgement.AmazonOrderID)
		if o == nil || o.status != "UNSHIPPED" || len(m.OrderAcknowledgement.Item) != len(o.lines) ||
			m.OrderAcknowledgement.StatusCode != "Failure" {
			result += "<Result><MessageID>" + strconv.Itoa(m.MessageID) + "</MessageID><ResultCode>Error</ResultCode>" +
				"<ResultMessageCode>18028</ResultMessageCode>" +
				"<ResultDescription>The order cannot be cancelled.</ResultDescription></Result>"
			continue
		}
		o.status, o.updated = "CANCELLED", a.Now().UTC()
	}
	text := `<?xml version="1.0" encoding="UTF-8"?><AmazonEnvelope><MessageType>ProcessingReport</MessageType>` +
		`<Message><MessageID>1</MessageID>` +
		`<ProcessingReport><StatusCode>Complete</StatusCode>` + result + `</ProcessingReport></Message></AmazonEnvelope>`
	if a.Torn {
		text = text[:len(text)/2]
	}
	if !a.Latin {
		return []byte(text)
	}
	var latin []byte
	for _, r := range strings.NewReplacer("UTF-8", "ISO-8859-1", "cannot be", "can't be (für Käufer)").Replace(text) {
		latin = append(latin, byte(r))
	}
	return latin
}

// listingsFeed does the messages of a document, each by itself; ok is false for a document that is none.
func (a *Account) listingsFeed(input []byte) (report []byte, ok bool) {
	var in struct {
		Header   struct{ SellerID, Version string }
		Messages []feedMessage
	}
	if json.Unmarshal(input, &in) != nil || in.Header.SellerID != SellerID || in.Header.Version != "2.0" || len(in.Messages) > 25_000 {
		return nil, false
	}
	issues, seen, refused := []object{}, map[int]bool{}, 0
	for _, m := range in.Messages {
		text := "The message id is used twice."
		if !seen[m.MessageID] && m.MessageID > 0 {
			text = a.message(m)
		}
		seen[m.MessageID] = true
		one := object{"messageId": m.MessageID, "code": "1", "severity": "WARNING",
			"message": "Too few pictures." + strings.Repeat(" ", a.Wordy)}
		if text != "" {
			one["code"], one["severity"], one["message"] = "90220", "ERROR", text
			refused++
		}
		issues = append(issues, one)
	}
	report, err := json.Marshal(object{"header": object{"sellerId": SellerID, "version": "2.0"}, "issues": issues,
		"summary": object{"errors": refused, "warnings": len(issues) - refused, "messagesProcessed": len(in.Messages),
			"messagesAccepted": len(in.Messages) - refused, "messagesInvalid": refused}})
	return report, err == nil
}

// feedMessage is one change of a listing in a feed.
type feedMessage struct {
	MessageID                                     int
	SKU, OperationType, ProductType, Requirements string
	Attributes                                    object
	Patches                                       []any
}

// message applies a message of a feed, or returns why it cannot be applied.
func (a *Account) message(m feedMessage) string {
	switch li := a.listings[m.SKU]; {
	case m.OperationType == "DELETE":
		delete(a.listings, m.SKU)
		return ""
	case m.ProductType == "":
		return "'[productType]' is required but not supplied."
	case m.OperationType == "UPDATE" && m.Attributes != nil:
		return strings.Join(a.replace(m.SKU, m.ProductType, m.Requirements, m.Attributes, false), " ")
	case m.OperationType != "PATCH":
		return "The operation is unknown."
	case li == nil:
		return "The SKU does not exist."
	default:
		return li.change(m.Patches)
	}
}
