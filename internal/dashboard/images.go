package dashboard

import (
	"net/url"
	"strings"

	"entrepot/internal/media"
)

// imagesName is the cookie of a browser that loads no images of other hosts: such hosts learn who opens which
// product, and when.
const imagesName, imagesOff = "entrepot-images", "off"

// imagesTime is how long a browser keeps that choice, in seconds.
const imagesTime = 365 * 24 * 3600

// ownPolicy is the Content-Security-Policy in such a browser.
var ownPolicy = strings.Replace(policy, "img-src 'self' https: data:", "img-src 'self' data:", 1)

// ownImagesOnly reports whether images of other hosts are turned off in the browser.
func (r *request) ownImagesOnly() bool {
	c, err := r.http.Cookie(imagesName)
	return err == nil && c.Value == imagesOff
}

// image is the address of an image, "" if it is turned off, or if the policy of the pages does not load it: by http.
func (r *request) image(address string) string {
	if r.plainImage(address) {
		return ""
	}
	if !r.ownImagesOnly() || strings.HasPrefix(address, "data:") {
		return media.SmallAddress(address)
	}
	if u, err := url.Parse(address); err == nil && u.Host == r.http.Host {
		return media.SmallAddress(address)
	}
	return ""
}

// plainImage reports whether an image has an address of another host by http: anybody on the way could replace it.
func (r *request) plainImage(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "http" && u.Host != r.http.Host
}

func imagesForm(r *request) *form {
	return r.form("/settings/me/images", field{Name: "foreign", Kind: "checkbox", Label: "Show images of other hosts",
		Hint:  "Hosts of product images learn your address, and when you look. The choice is kept in this browser.",
		Value: map[bool]string{false: "true"}[r.ownImagesOnly()]})
}

// chooseImages serves POST /settings/me/images.
func (d *Dashboard) chooseImages(r *request) (answer, error) {
	out := redirect("/settings/me", "Showing images of other hosts")
	value, age := "", -1
	if r.http.PostForm.Get("foreign") == "" {
		out = redirect("/settings/me", "Hiding images of other hosts in this browser")
		value, age = imagesOff, imagesTime
	}
	out.cookies = append(out.cookies, r.cookie(imagesName, value, age))
	return out, nil
}
