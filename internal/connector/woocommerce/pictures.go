package woocommerce

import (
	"slices"

	"entrepot/internal/connector"
)

// claimImages finds which of the product's pictures the shop has. The shop fetches an address again whenever it is
// sent, and stores no address. Pictures in the shop with unknown ids came by a request whose answer was lost, if
// there are as many as were sent; else they are the merchant's own, and stay behind ours.
func (u *upsert) claimImages() {
	u.Images = slices.Clone(u.Images)
	known := slices.Clone(u.DroppedImages)
	var unknown []*connector.Image
	for i := range u.Images {
		image := &u.Images[i]
		if image.Known != "" && u.there.missing(image.Known) {
			image.Known = ""
		}
		if known = append(known, image.Known); image.Known == "" {
			unknown = append(unknown, image)
		}
	}
	var left []string
	for _, i := range u.there.Images {
		if !slices.Contains(known, string(i.ID)) {
			left = append(left, string(i.ID))
		}
	}
	if u.Settled || len(left) != len(unknown) {
		u.others = left
		return
	}
	for i, image := range unknown {
		image.Known = left[i]
	}
}

// missing reports whether the shop's product does not have a picture any more.
func (f found) missing(image string) bool {
	for _, i := range f.Images {
		if string(i.ID) == image {
			return false
		}
	}
	return true
}
