package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"

	"golang.org/x/image/vector"

	"entrepot/internal/base/id"
	"entrepot/internal/media"
	"entrepot/internal/server"
)

// demoSide is the side of a picture of the sample shop, in pixels; its shapes are drawn on a sheet of 100 × 100.
const (
	demoSide  = 480
	demoSheet = 100
)

// demoColors are the colours of a category: its main one, by 'a' in a shape, and its background, by 'b'. Others are the
// same everywhere.
var demoColors = map[string][2]color.NRGBA{
	"kitchen": {{R: 0xc2, G: 0x64, B: 0x3f, A: 255}, {R: 0xf8, G: 0xec, B: 0xe4, A: 255}},
	"table":   {{R: 0x4a, G: 0x78, B: 0xa8, A: 255}, {R: 0xe6, G: 0xee, B: 0xf6, A: 255}},
	"desk":    {{R: 0xbf, G: 0x93, B: 0x36, A: 255}, {R: 0xf7, G: 0xf1, B: 0xe0, A: 255}},
	"garden":  {{R: 0x5b, G: 0x8a, B: 0x4a, A: 255}, {R: 0xe9, G: 0xf2, B: 0xe4, A: 255}},
}

var demoInks = map[string]color.NRGBA{
	"d": {R: 0x3b, G: 0x3a, B: 0x3a, A: 255}, // dark
	"l": {R: 0xb9, G: 0xbf, B: 0xc4, A: 255}, // like steel
	"w": {R: 0xff, G: 0xff, B: 0xff, A: 255},
	"s": {R: 0xd8, G: 0xc0, B: 0x9a, A: 255}, // sand, wood
}

// demoShapes draws the products, each a list of shapes from back to front: a colour, then
//
//	r x y width height radius   a rectangle with round corners
//	e x y rx ry                 an ellipse
//	u x y rx ry                 its lower half
//	p x y x y x y …             a polygon
var demoShapes = map[string]string{
	"KIT-POT-IRON":   "d r 12 48 76 9 4; a r 22 42 56 36 8; d r 20 34 60 8 4; d e 50 31 4 4",
	"KIT-PAN-28":     "d r 64 48 30 8 4; d e 40 52 29 29; a e 40 52 24 24",
	"KIT-KNIFE-CHEF": "l p 10 57 30 46 58 43 58 58; d r 56 43 32 12 4",
	"KIT-KNIFE-PAR":  "l p 28 56 42 48 57 47 57 57; s r 55 47 24 10 4",
	"KIT-BOARD-OAK":  "s r 22 24 56 54 6; d e 70 32 3 3; a r 28 42 44 1 0; a r 28 54 44 1 0; a r 28 66 44 1 0",
	"KIT-GRATER": "d r 42 10 16 14 5; b r 46 14 8 10 3; l p 34 22 66 22 74 82 26 82; d e 42 40 2 2; d e 50 40 2 2; d e 58 40 2 2; " +
		"d e 41 52 2 2; d e 50 52 2 2; d e 59 52 2 2; d e 40 64 2 2; d e 50 64 2 2; d e 60 64 2 2",
	"KIT-SIEVE":      "d r 64 48 28 6 3; d e 42 51 27 27; l e 42 51 23 23; w e 42 51 15 15; l e 42 51 12 12",
	"KIT-APRON":      "d r 36 14 3 14 1; d r 61 14 3 14 1; a p 36 26 64 26 68 46 78 52 75 86 25 86 22 52 32 46; d r 38 58 24 14 2",
	"TAB-MUG-BLUE":   "a e 68 52 13 15; b e 68 52 8 10; a r 28 32 40 44 6; w r 28 38 40 3 0",
	"TAB-MUG-SAND":   "s e 68 52 13 15; b e 68 52 8 10; s r 28 32 40 44 6; w r 28 38 40 3 0",
	"TAB-BOWL-S":     "d r 41 70 18 5 2; a u 50 44 25 29; w e 50 44 25 5; s e 50 44 21 3",
	"TAB-BOWL-L":     "d r 38 74 24 5 2; s u 50 40 36 37; w e 50 40 36 7; a e 50 40 31 5",
	"TAB-PLATE":      "w e 50 50 36 36; l e 50 50 26 26; w e 50 50 25 25",
	"TAB-GLASS-6":    "w p 33 26 67 26 62 78 38 78; a p 35 46 65 46 62 76 38 76",
	"TAB-CARAFE":     "w p 43 14 57 14 56 36 69 58 66 84 34 84 31 58 44 36; a p 33 60 67 60 65 82 35 82",
	"TAB-NAPKIN-4":   "l r 24 36 52 38 3; w r 24 44 52 1 0; w r 24 53 52 1 0; w r 24 62 52 1 0; a r 46 36 8 38 0",
	"DSK-NOTE-A5":    "a r 28 18 46 64 3; d r 28 18 9 64 2; w r 46 32 20 10 1",
	"DSK-NOTE-A6":    "d r 34 28 34 46 3; a r 34 28 7 46 2; w r 48 38 14 8 1",
	"DSK-PENCIL-12":  "a r 28 20 10 46 0; s p 28 66 38 66 33 80; a r 45 20 10 46 0; s p 45 66 55 66 50 80; a r 62 20 10 46 0; s p 62 66 72 66 67 80",
	"DSK-PEN":        "d r 44 12 12 44 5; a r 44 50 12 5 0; l p 44 56 56 56 51 80 49 80",
	"DSK-INK-BLACK":  "l r 41 26 18 14 3; d r 30 40 40 42 7; w r 37 54 26 16 2; a r 41 60 18 3 0",
	"DSK-LAMP":       "d r 30 82 42 5 2; d p 50 82 53 82 66 50 63 49; d p 63 51 66 48 46 26 43 29; a p 24 30 44 16 58 34 40 50",
	"DSK-TRAY":       "w r 26 40 48 20 1; l r 23 46 54 16 1; s p 16 54 84 54 78 76 22 76",
	"DSK-SCISSORS":   "a e 37 74 11 11; b e 37 74 6 6; a e 63 74 11 11; b e 63 74 6 6; l p 40 64 47 68 66 16 61 16; l p 60 64 53 68 34 16 39 16; d e 50 56 2 2",
	"GRD-TROWEL":     "l p 50 10 63 30 59 52 41 52 37 30; d r 48 50 4 14 0; s r 45 62 10 28 5",
	"GRD-SECATEUR":   "l p 48 48 38 14 47 16 56 44; d p 52 48 62 18 68 26 57 50; a p 46 46 54 46 44 88 36 86; a p 48 46 57 46 70 86 62 88; d e 51 47 3 3",
	"GRD-CAN-5":      "l e 32 46 16 18; b e 32 46 11 13; l p 62 62 82 34 88 38 66 76; a r 82 28 9 14 2; l r 30 42 38 38 5",
	"GRD-GLOVES":     "s p 64 60 78 44 82 50 64 74; s r 34 40 31 36 6; s r 34 22 7 30 3; s r 42 16 7 34 3; s r 50 18 7 32 3; s r 58 24 7 28 3; a r 32 72 35 12 3",
	"GRD-SEED-HERBS": "w r 30 16 40 68 3; a r 30 16 40 18 3; a e 44 58 5 10; a e 56 58 5 10; a e 50 50 5 10; d r 49 58 2 18 1",
	"GRD-TWINE":      "s e 50 54 29 29; a e 50 54 20 20; s e 50 54 18 18; a e 50 54 10 10; s e 50 54 8 8; s p 74 66 90 84 88 87 70 72",
}

// demoPicture draws a product of the sample shop, as PNG.
func demoPicture(p demoProduct) ([]byte, error) {
	inks := demoColors[p.category]
	sheet := image.NewNRGBA(image.Rect(0, 0, demoSide, demoSide))
	draw.Draw(sheet, sheet.Rect, image.NewUniform(inks[1]), image.Point{}, draw.Src)
	for shape := range strings.SplitSeq(demoShapes[p.sku], ";") {
		words := strings.Fields(shape)
		if len(words) < 2 {
			return nil, fmt.Errorf("the picture of %s has the shape %q", p.sku, shape)
		}
		ink := demoInks[words[0]]
		switch words[0] {
		case "a":
			ink = inks[0]
		case "b":
			ink = inks[1]
		}
		var at []float32
		for _, w := range words[2:] {
			var n float32
			if _, err := fmt.Sscan(w, &n); err != nil {
				return nil, fmt.Errorf("the picture of %s: %w", p.sku, err)
			}
			at = append(at, n*demoSide/demoSheet)
		}
		outline := vector.NewRasterizer(demoSide, demoSide)
		demoOutline(outline, words[1], at)
		outline.Draw(sheet, sheet.Rect, image.NewUniform(ink), image.Point{})
	}
	var out bytes.Buffer
	err := png.Encode(&out, sheet)
	return out.Bytes(), err
}

// demoOutline draws the outline of a shape with its numbers, in pixels.
func demoOutline(z *vector.Rasterizer, kind string, at []float32) {
	const round = 0.5523 // of a radius: where the control points of a quarter of a circle are
	switch kind {
	case "r":
		x, y, x2, y2, r := at[0], at[1], at[0]+at[2], at[1]+at[3], at[4]
		z.MoveTo(x+r, y)
		z.LineTo(x2-r, y)
		z.QuadTo(x2, y, x2, y+r)
		z.LineTo(x2, y2-r)
		z.QuadTo(x2, y2, x2-r, y2)
		z.LineTo(x+r, y2)
		z.QuadTo(x, y2, x, y2-r)
		z.LineTo(x, y+r)
		z.QuadTo(x, y, x+r, y)
	case "e", "u":
		x, y, rx, ry := at[0], at[1], at[2], at[3]
		z.MoveTo(x+rx, y)
		z.CubeTo(x+rx, y+ry*round, x+rx*round, y+ry, x, y+ry)
		z.CubeTo(x-rx*round, y+ry, x-rx, y+ry*round, x-rx, y)
		if kind == "e" {
			z.CubeTo(x-rx, y-ry*round, x-rx*round, y-ry, x, y-ry)
			z.CubeTo(x+rx*round, y-ry, x+rx, y-ry*round, x+rx, y)
		}
	case "p":
		z.MoveTo(at[0], at[1])
		for i := 2; i+1 < len(at); i += 2 {
			z.LineTo(at[i], at[i+1])
		}
	}
	z.ClosePath()
}

// showPictures gives the sample shop's products their pictures, at the address that the service has in this run.
func showPictures(ctx context.Context, store *server.Store, account id.Tenant, base string, call demoCall) error {
	var list struct {
		Data []struct {
			ID, SKU string
			Media   []struct{ URL string }
		}
	}
	if err := call("GET", "/api/v1/products?limit=250", nil, &list); err != nil {
		return err
	}
	for _, p := range demoProducts {
		for _, known := range list.Data {
			if known.SKU != p.sku || len(known.Media) > 0 && strings.HasPrefix(known.Media[0].URL, base) {
				continue
			}
			raw, err := demoPicture(p)
			if err != nil {
				return err
			}
			picture, err := store.Commerce.UploadPicture(ctx, store.DB, account, raw)
			if err != nil {
				return err
			}
			if err := call("PATCH", "/api/v1/products/"+known.ID, map[string]any{
				"images": []any{map[string]any{"url": base + media.Path + picture.Name}}}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
