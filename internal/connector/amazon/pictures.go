package amazon

import (
	"fmt"
	"maps"
	"slices"

	"entrepot/internal/connector"
)

// mostImages is how many pictures a listing has.
const mostImages = 9

// locator is the attribute with a listing's n-th picture.
func locator(n int) string {
	if n == 0 {
		return "main_product_image_locator"
	}
	return fmt.Sprintf("other_product_image_locator_%d", n)
}

// images are the attributes in which a product's pictures are, by the service's ids.
func (s *session) images(p *connector.Product) map[string]string {
	all := map[string]string{}
	for i, image := range p.Images {
		if i < mostImages && s.full() {
			all[image.ID] = locator(i)
		}
	}
	return all
}

// emptied are the attributes that had pictures at the last push and have none any more.
func (s *session) emptied(p *connector.Product) (names []string) {
	had := slices.Clone(p.DroppedImages)
	for _, image := range p.Images {
		had = append(had, image.Known)
	}
	now := slices.Collect(maps.Values(s.images(p)))
	slices.Sort(had)
	return slices.DeleteFunc(slices.Compact(had), func(name string) bool { return name == "" || !s.full() || slices.Contains(now, name) })
}
