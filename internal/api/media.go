package api

import (
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/picture"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/media"
)

// mediaRoutes take pictures (interface §4.5.1). The files are served under /media/ by the server.
var mediaRoutes = []*route{
	{method: "POST", path: "/api/v1/media", name: "uploadPicture", section: "4.5.1", summary: "Upload a picture", scope: "write:products",
		file: true, most: limits.MaxPicture + formRoom, rate: &limits.Uploads, waits: true, status: http.StatusCreated,
		errors: []int{http.StatusConflict, http.StatusUnsupportedMediaType}, answer: data(samplePicture), serve: (*API).uploadPicture},
}

// formRoom is what a form adds to the file that it sends, at most.
const formRoom = 16 << 10

// pictureTypes are the types of bodies that are a picture; what it is, its bytes say.
var pictureTypes = []string{"image/jpeg", "image/png", "image/webp", "image/gif", "application/octet-stream"}

// uploadPicture serves POST /api/v1/media: 201; 400, 409, 413, 415.
func (a *API) uploadPicture(r *request) (answer, error) {
	raw, err := a.uploadedFile(r)
	if err != nil {
		return answer{}, err
	}
	width, height, err := picture.Size(raw)
	if err == nil {
		err = r.holds(picture.Memory(width, height))
	}
	if err != nil {
		return answer{}, err
	}
	p, err := a.Commerce.UploadPicture(r.ctx(), a.store(r), r.caller.Tenant, raw)
	if err != nil {
		return answer{}, err
	}
	// The stored answer of an Idempotency-Key belongs to this picture.
	if r.body, err = jsonvalue.Parse([]byte(`{"name":"` + p.Name + `"}`)); err != nil {
		return answer{}, err
	}
	return a.write(r, func(*db.Tx) (answer, error) {
		return one(http.StatusCreated, p.Name, func(w *apijson.Writer) { writePicture(w, a.addressBase(r), p) }), nil
	})
}

// uploadedFile reads the body: the file itself, or a form with it.
func (a *API) uploadedFile(r *request) (raw []byte, err error) {
	kind, parameters, _ := mime.ParseMediaType(r.http.Header.Get("Content-Type"))
	form := kind == "multipart/form-data"
	if !form && !slices.Contains(pictureTypes, kind) {
		return nil, apperr.New(apperr.Unsupported, "unsupported_media_type", "send the picture as %s, or in the field file of multipart/form-data",
			strings.Join(pictureTypes, ", "))
	}
	if raw, err = a.readAll(r, r.route.bound()); err != nil {
		return nil, err
	}
	if form {
		if raw, err = formFile(raw, parameters["boundary"]); err != nil {
			return nil, err
		}
	}
	switch {
	case len(raw) == 0:
		return nil, apperr.New(apperr.Invalid, "invalid_picture", "no picture was sent")
	case len(raw) > limits.MaxPicture:
		return nil, tooLarge(limits.MaxPicture)
	}
	return raw, nil
}

// formFile is the field file of a form.
func formFile(body []byte, boundary string) ([]byte, error) {
	parts := multipart.NewReader(strings.NewReader(string(body)), boundary)
	for {
		part, err := parts.NextRawPart()
		if err != nil {
			return nil, apperr.At("file", "is missing: send the picture in the field file of multipart/form-data")
		}
		if part.FormName() == "file" {
			raw, err := io.ReadAll(part)
			if err != nil {
				return nil, apperr.At("file", "ends too early")
			}
			return raw, nil
		}
	}
}

// addressBase is the beginning of addresses of this service: the public one, or that of the request.
func (a *API) addressBase(r *request) string {
	if a.PublicURL != "" {
		return a.PublicURL
	}
	scheme := "http://"
	if r.http.TLS != nil || a.Proxies.HTTPS(r.http) {
		scheme = "https://"
	}
	return scheme + r.http.Host
}

func writePicture(w *apijson.Writer, base string, p media.Picture) {
	w.Record("Picture", "data")
	w.Text("url", base+media.Path+p.Name)
	w.Text("smallUrl", base+media.Path+p.Small())
	w.Text("contentType", p.Type())
	w.Int("width", p.Width)
	w.Int("height", p.Height)
	w.Int("bytes", p.Bytes)
	w.End()
}

func samplePicture(w *apijson.Writer) {
	writePicture(w, "https://entrepot.example", media.Picture{
		Name: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.jpg", Width: 1200, Height: 900, Bytes: 184_312})
}
