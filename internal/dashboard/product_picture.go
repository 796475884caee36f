package dashboard

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/limits"
	"entrepot/internal/media"
)

// pictureName is the input of a picture that is to be uploaded.
const pictureName = "picture"

// textMost is how much of one other input of a form with a picture is read.
const textMost = limits.MaxDescription * 4

func pictureField(r *request) field {
	return field{Name: pictureName, Label: "A picture from this device", Kind: "file",
		Placeholder: "image/jpeg,image/png,image/webp,image/gif",
		Hint: r.say("JPEG, PNG, WebP or GIF, at most %s MB. It is turned upright, and where it was taken is not published",
			r.format.Count(limits.MaxPicture>>20))}
}

// receivePicture reads the product's form as the button Upload sends it: with a picture, which is returned. The other
// inputs become the request's form. Nil if the form has no picture. Errors: TooLarge.
func (r *request) receivePicture() (raw []byte, err error) {
	parts, err := r.http.MultipartReader()
	if err != nil {
		return nil, nil // the form of another button
	}
	r.http.PostForm = url.Values{}
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return raw, nil
		}
		var text []byte
		if err == nil && part.FormName() == pictureName {
			raw, err = io.ReadAll(io.LimitReader(part, limits.MaxPicture+1))
		} else if err == nil {
			text, err = io.ReadAll(io.LimitReader(part, textMost))
			r.http.PostForm.Add(part.FormName(), strings.ReplaceAll(string(text), "\r\n", "\n"))
		}
		var over *http.MaxBytesError
		switch {
		case errors.As(err, &over) || len(raw) > limits.MaxPicture:
			return nil, apperr.New(apperr.TooLarge, "body_too_large", "the picture is larger than %d MB", limits.MaxPicture>>20)
		case err != nil:
			return nil, refusal(apperr.Invalid, "the picture did not arrive whole; send it again")
		}
	}
}

// addPicture publishes a picture and adds its address to the images that were typed. Errors: at the picture's input.
func (d *Dashboard) addPicture(r *request, sent url.Values, raw []byte) error {
	if len(raw) == 0 {
		return apperr.At(pictureName, "is missing: choose one")
	}
	free := 0
	for sent.Get(imageName(free)) != "" {
		free++
	}
	if free >= limits.MaxImages {
		return apperr.At(pictureName, "is one too many: a product has at most %d", limits.MaxImages)
	}
	p, err := d.Commerce.UploadPicture(r.http.Context(), r.store(), r.caller().Tenant, raw)
	if known, is := apperr.As(err); is && known.Code == "invalid_picture" {
		return apperr.At(pictureName, "%s", known.Message)
	}
	if err == nil {
		sent.Set(imageName(free), r.base()+media.Path+p.Name)
	}
	return err
}
