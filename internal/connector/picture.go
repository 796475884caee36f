package connector

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
)

// Picture is a fetched picture.
type Picture struct {
	Kind string // "image/png"
	Body []byte
}

// PictureLimit is the limit for requests of pictures, which go to other servers than the platform's.
const PictureLimit = "pictures"

// Picture fetches a picture for a platform that takes bytes, not addresses. Errors: Failure Rejected when the address
// must not be called, its server refuses, or the answer is no picture; Temporary when there is no answer.
func (c *Client) Picture(ctx context.Context, address string) (Picture, error) {
	shown := Line(address)
	r, err := http.NewRequestWithContext(Within(ctx, PictureLimit), http.MethodGet, address, nil)
	if err != nil {
		return Picture{}, Failf(Rejected, "the picture's address cannot be called: %s", shown)
	}
	answer, err := c.Do(r)
	if err != nil {
		kind := FailureOf(err).Kind
		if kind == Refused { // the picture's address is refused, not the platform's
			kind = Rejected
		}
		return Picture{}, Failf(kind, "the picture %s cannot be fetched: %s", shown, err)
	}
	if answer.Status != http.StatusOK {
		return Picture{}, Failf(Rejected, "the picture %s cannot be fetched: its server answered %d", shown, answer.Status)
	}
	kind := http.DetectContentType(answer.Body)
	if !strings.HasPrefix(kind, "image/") {
		return Picture{}, Failf(Rejected, "%s is no picture", shown)
	}
	return Picture{Kind: kind, Body: answer.Body}, nil
}

// Form is a form with the picture as a file in a field, and with further fields, and the form's content type.
func (p Picture) Form(field, file string, more map[string]string) (body []byte, contentType string, err error) {
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	part, err := form.CreatePart(textproto.MIMEHeader{"Content-Type": {p.Kind},
		"Content-Disposition": {`form-data; name="` + field + `"; filename="` + file + `"`}})
	if err == nil {
		_, err = part.Write(p.Body)
	}
	for name, value := range more {
		if err == nil {
			err = form.WriteField(name, value)
		}
	}
	if err == nil {
		err = form.Close()
	}
	return out.Bytes(), form.FormDataContentType(), err
}
