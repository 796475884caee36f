package main

import (
	"bytes"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"testing"
)

var sheet = flag.String("pictures", "", "file for the demo's pictures, on one sheet")

// Every product of the sample shop has a picture, and no two have the same.
func TestDemoPictures(t *testing.T) {
	seen := map[string]string{}
	all := image.NewNRGBA(image.Rect(0, 0, 6*demoSide, 5*demoSide))
	for i, p := range demoProducts {
		raw, err := demoPicture(p)
		if err != nil {
			t.Fatal(err)
		}
		if other := seen[string(raw)]; other != "" {
			t.Errorf("%s looks like %s", p.sku, other)
		}
		seen[string(raw)] = p.sku
		m, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		at := image.Pt(i%6*demoSide, i/6*demoSide)
		draw.Draw(all, m.Bounds().Add(at), m, image.Point{}, draw.Src)
	}
	if len(demoShapes) != len(demoProducts) {
		t.Errorf("%d pictures of %d products", len(demoShapes), len(demoProducts))
	}
	if *sheet != "" {
		var out bytes.Buffer
		if err := png.Encode(&out, all); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*sheet, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
