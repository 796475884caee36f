package prestashop

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"entrepot/internal/connector"
)

// putImages uploads pictures that the shop does not have yet, and deletes those that the product no longer has. The
// shop takes bytes, not addresses, and stores no name. So after a push without an answer, or before the first,
// pictures in the shop without a known id count as the product's in their order: they came by that push, or the
// merchant has chosen them. The web service sets which picture is the first, and no other order. Pictures that the
// key may not delete stay. It returns the shop's ids of all pictures.
func (s *session) putImages(ctx context.Context, p *connector.Product, there *node) (map[string]string, error) {
	var shown, left []string
	for _, image := range there.at("associations", "images").all("image") {
		shown = append(shown, image.get("id"))
	}
	for _, id := range shown {
		known := func(i connector.Image) bool { return i.Known == id }
		if !p.Settled && !slices.Contains(p.DroppedImages, id) && !slices.ContainsFunc(p.Images, known) {
			left = append(left, id)
		}
	}
	ids := map[string]string{}
	for _, image := range p.Images {
		switch {
		case slices.Contains(shown, image.Known):
			ids[image.ID] = image.Known
		case len(left) > 0:
			ids[image.ID], left = left[0], left[1:]
		default:
			id, err := s.uploadImage(ctx, there.get("id"), image)
			if err != nil {
				return nil, err
			}
			ids[image.ID] = id
		}
	}
	if cover := there.get("id_default_image"); len(p.Images) > 0 && cover != "" && cover != ids[p.Images[0].ID] {
		if err := s.patch(ctx, "products", "product", there.get("id"), value("id_default_image", ids[p.Images[0].ID])); err != nil {
			return nil, err
		}
	}
	for _, id := range p.DroppedImages {
		if !slices.Contains(shown, id) {
			continue
		}
		if err := ignoreForbidden(s.remove(ctx, "images/products/"+url.PathEscape(there.get("id")), id)); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func (s *session) uploadImage(ctx context.Context, product string, image connector.Image) (string, error) {
	picture, err := s.link.Client.Picture(ctx, image.URL)
	if err != nil {
		return "", err
	}
	form, kind, err := picture.Form("image", fileName(image.URL), nil)
	if err != nil {
		return "", err
	}
	doc, _, err := s.send(ctx, http.MethodPost, "images/products/"+url.PathEscape(product), nil, kind, form)
	return doc.at("image").get("id"), err
}

// fileName is the last part of an address, in plain characters.
func fileName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "image"
	}
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, path.Base(u.Path))
}
