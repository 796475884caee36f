package shopify

import (
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/connector"
)

// States of a picture. The shop fetches pictures after it has answered.
const (
	ready  = "READY"
	failed = "FAILED"
)

type media struct {
	ID, Status  string
	MediaErrors []struct{ Message string }
}

const mediaID = "gid://shopify/MediaImage/"

// awaited names the pictures of a product that the shop has not fetched yet, as "pictures 1:27 3:29": the place of
// each among the product's and its number; "" for none.
func awaited(p *connector.Product, shown map[string]string, made *product) string {
	name := ""
	for i, image := range p.Images {
		at := slices.IndexFunc(made.Media.Nodes, func(m media) bool { return m.ID == shown[image.ID] })
		if at < 0 {
			continue
		}
		number, ours := strings.CutPrefix(made.Media.Nodes[at].ID, mediaID)
		if state := made.Media.Nodes[at].Status; ours && state != "" && state != ready {
			name += " " + strconv.Itoa(i+1) + ":" + number
		}
	}
	if name == "" {
		return ""
	}
	return "pictures" + name
}

// pictures are the product's pictures, and behind them those that the merchant has added in the shop; changed reports
// whether the shop shows others, or in another order.
func pictures(p *connector.Product, there *product) (files []vars, changed bool) {
	files = []vars{}
	own, others := inShop(p, there)
	var shown []string
	for i, image := range p.Images {
		if own[i] == "" {
			files, changed = append(files, vars{"originalSource": image.URL, "contentType": "IMAGE", "alt": connector.Cut(p.Name, 512)}), true
			continue
		}
		files, shown = append(files, vars{"id": own[i]}), append(shown, own[i])
	}
	if there == nil {
		return files, changed
	}
	ours := slices.DeleteFunc(there.media(), func(id string) bool { return slices.Contains(others, id) })
	for _, id := range others {
		files = append(files, vars{"id": id})
	}
	return files, changed || !slices.Equal(ours, shown)
}

// inShop are the shop's ids of a product's pictures, "" of those that it does not have, and of pictures that are not
// the product's. After a push without an answer, or before the first, pictures without a known id count as the
// product's in their order: they came by that push, or the merchant has chosen them.
func inShop(p *connector.Product, there *product) (own, others []string) {
	own = make([]string, len(p.Images))
	if there == nil {
		return own, nil
	}
	media := there.media()
	for i, image := range p.Images {
		if slices.Contains(media, image.Known) {
			own[i] = image.Known
		}
	}
	for _, id := range media {
		at := slices.Index(own, "")
		switch {
		case slices.Contains(own, id) || slices.Contains(p.DroppedImages, id):
		case !p.Settled && at >= 0:
			own[at] = id
		default:
			others = append(others, id)
		}
	}
	return own, others
}
