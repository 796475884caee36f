package picture_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/picture"
)

// halves is a picture whose left half is red and whose right half is blue.
func halves(width, height int, alpha uint8) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{R: 255, A: alpha}
			if x >= width/2 {
				c = color.NRGBA{B: 255, A: alpha}
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

func jpegOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func encoded(t *testing.T, format string, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	var err error
	switch format {
	case "jpeg":
		return jpegOf(t, m)
	case "png":
		err = png.Encode(&out, m)
	case "gif":
		err = gif.Encode(&out, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// webp is a picture of 1 × 1 pixel that no encoder here can write.
func webp(t *testing.T) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vv9UAA=")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A picture of each format becomes JPEG or PNG, with a small one of the same form.
func TestFormats(t *testing.T) {
	for name, c := range map[string]struct {
		raw                         []byte
		kind                        string
		width, height, small, other int
	}{
		"jpeg":             {encoded(t, "jpeg", halves(640, 480, 255)), "image/jpeg", 640, 480, 320, 240},
		"png":              {encoded(t, "png", halves(100, 200, 255)), "image/png", 100, 200, 100, 200},
		"transparent":      {encoded(t, "png", halves(1000, 500, 90)), "image/png", 1000, 500, 320, 160},
		"gif":              {encoded(t, "gif", halves(20, 10, 255)), "image/png", 20, 10, 20, 10},
		"webp":             {webp(t), "image/jpeg", 1, 1, 1, 1},
		"larger than most": {encoded(t, "jpeg", image.NewGray(image.Rect(0, 0, 5000, 100))), "image/jpeg", 4000, 80, 320, 6},
	} {
		whole, small, err := picture.Publish(c.raw)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if whole.Type != c.kind || whole.Width != c.width || whole.Height != c.height || small.Width != c.small || small.Height != c.other {
			t.Errorf("%s: %s %d × %d, small %d × %d", name, whole.Type, whole.Width, whole.Height, small.Width, small.Height)
		}
		for _, f := range []picture.File{whole, small} {
			if config, format, err := image.DecodeConfig(bytes.NewReader(f.Bytes)); err != nil || "image/"+format != f.Type || config.Width != f.Width {
				t.Errorf("%s: %s %d: %v", name, format, config.Width, err)
			}
		}
	}
}

// photo is a JPEG as a camera writes it: with an orientation, and a comment that nobody may read.
func photo(t *testing.T, orientation uint16) []byte {
	t.Helper()
	raw := encoded(t, "jpeg", halves(64, 32, 255))
	tiff := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	tiff = append(binary.BigEndian.AppendUint16(tiff, orientation), 0, 0, 0, 0, 0, 0)
	segment := func(marker byte, content []byte) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(content)+2)), content...)
	}
	out := append([]byte{0xff, 0xd8}, segment(0xe1, tiff)...)
	out = append(out, segment(0xfe, []byte("taken at home, 48.8584 2.2945"))...)
	return append(append(out, raw[2:]...), "<script>behind the last pixel</script>"...)
}

// A photo is turned as its camera was held, and nothing that came with it is published.
func TestPhotos(t *testing.T) {
	for orientation, c := range map[uint16]struct {
		width, height, x, y int // where the red half is
	}{
		1: {64, 32, 5, 16}, 2: {64, 32, 58, 16}, 3: {64, 32, 58, 16}, 4: {64, 32, 5, 16},
		5: {32, 64, 16, 5}, 6: {32, 64, 16, 5}, 7: {32, 64, 16, 58}, 8: {32, 64, 16, 58},
		9: {64, 32, 5, 16}, // no orientation
	} {
		whole, _, err := picture.Publish(photo(t, orientation))
		if err != nil {
			t.Fatal(err)
		}
		m, err := jpeg.Decode(bytes.NewReader(whole.Bytes))
		if err != nil || whole.Width != c.width || whole.Height != c.height {
			t.Errorf("orientation %d: %d × %d, %v", orientation, whole.Width, whole.Height, err)
			continue
		}
		if r, _, b, _ := m.At(c.x, c.y).RGBA(); r < b {
			t.Errorf("orientation %d: red is not at %d, %d", orientation, c.x, c.y)
		}
		for _, secret := range []string{"taken at home", "script", "Exif"} {
			if bytes.Contains(whole.Bytes, []byte(secret)) {
				t.Errorf("orientation %d: %q is published", orientation, secret)
			}
		}
	}
}

// What is no picture, or too large a one, is refused before it is decoded, and what is damaged after that.
func TestRefused(t *testing.T) {
	bomb := encoded(t, "png", halves(1, 1, 255))
	binary.BigEndian.PutUint32(bomb[16:], 100_000)
	binary.BigEndian.PutUint32(bomb[20:], 100_000)
	binary.BigEndian.PutUint32(bomb[29:], 0x1d8f3a7c)
	whole := encoded(t, "png", halves(100, 100, 255))
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"nothing": {nil, "no picture"},
		"text":    {[]byte("GIF or so"), "no picture"},
		"page":    {[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), "no picture"},
		"bomb":    {bomb, "no picture"}, // its checksum is wrong
		"large":   {encoded(t, "gif", image.NewPaletted(image.Rect(0, 0, 8000, 7000), color.Palette{color.Black})), "8000 × 7000"},
		"cut":     {whole[:len(whole)/2], "damaged"},
	} {
		if _, _, err := picture.Publish(c.raw); !apperr.Is(err, apperr.Invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzPublish: any bytes are refused or become a picture within the bounds.
func FuzzPublish(f *testing.F) {
	for _, seed := range []string{"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if width, height, err := picture.Size(raw); err == nil && width*height > 1<<20 {
			t.Skip("large pictures only take longer")
		}
		whole, small, err := picture.Publish(raw)
		if err != nil {
			if !apperr.Is(err, apperr.Invalid) {
				t.Error(err)
			}
			return
		}
		if max(whole.Width, whole.Height) > picture.Longest || max(small.Width, small.Height) > picture.Small {
			t.Errorf("%d × %d, small %d × %d", whole.Width, whole.Height, small.Width, small.Height)
		}
	})
}
