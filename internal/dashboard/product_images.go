package dashboard

import (
	"net/url"
	"strconv"

	"entrepot/internal/limits"
)

// moreImages are blank inputs for new images.
const moreImages = 2

// imageRow is the input of one image with what it shows.
type imageRow struct {
	In       *field
	Number   int    // from 1
	At       int    // its place in the list, for the buttons
	Shown    string // the address of the picture, "" for none
	Up, Down bool   // whether it can be moved
}

func imageName(i int) string { return "images[" + strconv.Itoa(i) + "].url" }

// imageFields are the addresses of the images, and some for new ones.
func (p productPage) imageFields(r *request) (fields []field) {
	images := p.product.Images()
	filled := len(images)
	for r.sentTo(p.path("")).Get(imageName(filled)) != "" { // uploaded, and not saved yet
		filled++
	}
	for i := range min(filled+moreImages, limits.MaxImages) {
		f := field{Name: imageName(i), Label: r.say("Image %s", strconv.Itoa(i+1)), Kind: "url", Placeholder: "https://…",
			Max: limits.MaxImageURL}
		if i < len(images) {
			if f.Value = images[i].URL; r.plainImage(f.Value) {
				f.Hint = "Not shown here, because its address does not begin with https"
			}
		}
		fields = append(fields, f)
	}
	return fields
}

// imageRows are the inputs of the images with their pictures, as they are typed.
func (r *request) imageRows(f *form) (rows []imageRow) {
	last := -1 // the last one with an address
	for i := 0; f.find(imageName(i)) != nil; i++ {
		row := imageRow{In: f.At(imageName(i)), Number: i + 1, At: i}
		if row.In.Value != "" {
			row.Shown, last = r.image(row.In.Value), i
		}
		rows = append(rows, row)
	}
	for i := range rows {
		filled := rows[i].In.Value != ""
		rows[i].Up, rows[i].Down = filled && i > 0, filled && i < last
	}
	return rows
}

// moveImage moves an image among those that were sent, up or down by one place, or drops it: those after it follow.
func moveImage(sent url.Values, act, which string) {
	at, err := strconv.Atoi(which)
	if err != nil || at < 0 || !sent.Has(imageName(at)) {
		return
	}
	swap := func(i, k int) {
		if i >= 0 && sent.Has(imageName(k)) {
			was := sent.Get(imageName(i))
			sent.Set(imageName(i), sent.Get(imageName(k)))
			sent.Set(imageName(k), was)
		}
	}
	switch act {
	case "up":
		swap(at-1, at)
	case "down":
		swap(at, at+1)
	case "drop":
		sent.Set(imageName(at), "")
		for ; sent.Has(imageName(at + 1)); at++ {
			swap(at, at+1)
		}
	}
}
