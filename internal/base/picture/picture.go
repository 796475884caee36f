// Package picture makes an uploaded picture fit to be published.
//
//	Size     how large a picture is, before any of it is decoded
//	Publish  the picture as it is published, with a small one for lists
//
// A picture is decoded and written anew: nothing that came with it is published, neither the place where a photo was
// taken nor a program hidden behind the last pixel.
package picture

import (
	"bytes"
	"image"
	_ "image/gif" // read, like the next three
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"

	"github.com/bep/imagemeta"

	"entrepot/internal/base/apperr"
)

// Bounds of pictures, in pixels.
const (
	MaxPixels = 50_000_000 // of a picture that comes in
	Longest   = 4_000      // longer side of a picture that is published: no platform takes less
	Small     = 320        // longer side of the small one
	quality   = 90         // of JPEG, of 100
)

// File is a picture as it is published.
type File struct {
	Type   string // image/jpeg or image/png
	Bytes  []byte
	Width  int
	Height int
}

// Extension is how the name of the file ends: jpg or png.
func (f File) Extension() string {
	if f.Type == "image/png" {
		return "png"
	}
	return "jpg"
}

var types = map[string]imagemeta.ImageFormat{"jpeg": imagemeta.JPEG, "png": imagemeta.PNG, "webp": imagemeta.WebP, "gif": imagemeta.ImageFormatAuto}

// Size reads how large a picture is from its first bytes. Errors: invalid_picture, if it is none of JPEG, PNG, WebP and
// GIF, or has more than MaxPixels.
func Size(raw []byte) (width, height int, err error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(raw))
	if _, known := types[format]; err != nil || !known {
		return 0, 0, refused("the file is no picture: give JPEG, PNG, WebP or GIF")
	}
	if config.Width < 1 || config.Height < 1 {
		return 0, 0, refused("the picture has no pixels")
	}
	if config.Width > MaxPixels/config.Height {
		return 0, 0, refused("the picture has %d × %d pixels, more than %d million: give a smaller one",
			config.Width, config.Height, MaxPixels/1_000_000)
	}
	return config.Width, config.Height, nil
}

// Memory is about how many bytes Publish needs for a picture of a size: for it decoded, reduced, turned and small.
func Memory(width, height int) int {
	published := min(width*height, Longest*Longest)
	return 4*width*height + 3*4*published + 32*Small*Longest
}

// Publish decodes a picture, turns it as its camera was held, reduces it to Longest, and writes it anew: as PNG if it
// has transparent pixels or was PNG or GIF, else as JPEG. Of a moving picture the first frame is taken. small is the
// same in Small. Errors: as of Size; or the picture is damaged.
func Publish(raw []byte) (whole, small File, err error) {
	if _, _, err = Size(raw); err != nil {
		return whole, small, err
	}
	decoded, format, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return whole, small, refused("the picture is damaged: %v", err)
	}
	// Four neighbours are enough for a picture that is halved, and take no memory; more would take a gigabyte.
	upright := turned(reduced(decoded, Longest, draw.ApproxBiLinear), orientation(raw, format))
	lossless := format == "png" || format == "gif" || !opaque(upright)
	if whole, err = written(upright, lossless); err != nil {
		return whole, small, err
	}
	small, err = written(reduced(upright, Small, draw.CatmullRom), lossless)
	return whole, small, err
}

func refused(format string, args ...any) error {
	return apperr.New(apperr.Invalid, "invalid_picture", format, args...)
}

// orientation is the EXIF orientation of a picture, 1 to 8; 1 if it names none that can be read.
func orientation(raw []byte, format string) (found int) {
	found = 1
	kind := types[format]
	if kind == imagemeta.ImageFormatAuto {
		return found
	}
	// What cannot be read says nothing about the orientation.
	_, _ = imagemeta.Decode(imagemeta.Options{R: bytes.NewReader(raw), ImageFormat: kind, Sources: imagemeta.EXIF,
		ShouldHandleTag: func(tag imagemeta.TagInfo) bool { return tag.Tag == "Orientation" && tag.Namespace == "IFD0" },
		HandleTag: func(tag imagemeta.TagInfo) error {
			if value, is := tag.Value.(uint16); is && value >= 1 && value <= 8 {
				found = int(value)
			}
			return imagemeta.ErrStopWalking
		}})
	return found
}

// reduced is a picture whose longer side has at most so many pixels.
func reduced(from image.Image, longest int, by draw.Scaler) image.Image {
	width, height := from.Bounds().Dx(), from.Bounds().Dy()
	if max(width, height) <= longest {
		return from
	}
	scale := float64(longest) / float64(max(width, height))
	size := image.Rect(0, 0, max(1, int(float64(width)*scale+0.5)), max(1, int(float64(height)*scale+0.5)))
	var to draw.Image = image.NewNRGBA(size)
	if opaque(from) {
		to = image.NewRGBA(size) // twice as fast
	}
	by.Scale(to, size, from, from.Bounds(), draw.Src, nil)
	return to
}

// opaque reports whether a picture has no transparent pixel.
func opaque(m image.Image) bool {
	known, is := m.(interface{ Opaque() bool })
	return is && known.Opaque()
}

// turned is a picture in an EXIF orientation as a person sees it.
func turned(from image.Image, orientation int) image.Image {
	if orientation == 1 {
		return from
	}
	b := from.Bounds()
	width, height := b.Dx(), b.Dy()
	before := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(before, before.Rect, from, b.Min, draw.Src)
	after := image.NewRGBA(before.Rect)
	if orientation >= 5 { // on its side
		after = image.NewRGBA(image.Rect(0, 0, height, width))
	}
	for y := range height {
		for x := range width {
			tx, ty := placed(x, y, width, height, orientation)
			at := after.PixOffset(tx, ty)
			copy(after.Pix[at:at+4], before.Pix[before.PixOffset(x, y):])
		}
	}
	return after
}

// placed is where a pixel of a picture of a size is seen in an orientation.
func placed(x, y, width, height, orientation int) (int, int) {
	switch orientation {
	case 2:
		return width - 1 - x, y
	case 3:
		return width - 1 - x, height - 1 - y
	case 4:
		return x, height - 1 - y
	case 5:
		return y, x
	case 6:
		return height - 1 - y, x
	case 7:
		return height - 1 - y, width - 1 - x
	}
	return y, width - 1 - x
}

// written is a picture as a file.
func written(m image.Image, lossless bool) (f File, err error) {
	var out bytes.Buffer
	if lossless {
		f.Type, err = "image/png", (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(&out, m)
	} else {
		f.Type, err = "image/jpeg", jpeg.Encode(&out, m, &jpeg.Options{Quality: quality})
	}
	f.Bytes, f.Width, f.Height = out.Bytes(), m.Bounds().Dx(), m.Bounds().Dy()
	return f, err
}
