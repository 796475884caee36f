package tiktokshop

import (
	"context"
	"net/http"

	"entrepot/internal/connector"
)

// mostImages is how many pictures a product of the shop may have.
const mostImages = 9

// upload uploads the pictures that the shop does not have yet, because it takes only bytes, and returns the shop's
// names of all by the service's ids.
func (s *session) upload(ctx context.Context, p *connector.Product) (map[string]string, error) {
	names := map[string]string{}
	for _, image := range p.Images[:min(len(p.Images), mostImages)] {
		if image.Known != "" {
			names[image.ID] = image.Known
			continue
		}
		picture, err := s.link.Client.Picture(ctx, image.URL)
		if err != nil {
			return nil, err
		}
		form, kind, err := picture.Form("data", "picture", map[string]string{"use_case": "MAIN_IMAGE"})
		if err != nil {
			return nil, err
		}
		var out struct {
			URI string `json:"uri"`
		}
		if _, err := s.call(connector.Repeatable(ctx), request{method: http.MethodPost, path: "/product/202309/images/upload", form: form,
			formType: kind, account: true}, &out); err != nil {
			return nil, err
		}
		if out.URI == "" {
			return nil, connector.Failf(connector.Rejected, "TikTok Shop did not take the picture %s", connector.Line(image.URL))
		}
		names[image.ID] = out.URI
	}
	return names, nil
}
