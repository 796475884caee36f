package picture_test

import (
	"image"
	"math/rand/v2"
	"testing"

	"entrepot/internal/base/picture"
)

// BenchmarkPublish publishes a photo of 12 million pixels, as telephones take them, and of 48 million.
func BenchmarkPublish(b *testing.B) {
	for name, size := range map[string]image.Rectangle{"12 MP": image.Rect(0, 0, 4000, 3000), "48 MP": image.Rect(0, 0, 8000, 6000)} {
		m := image.NewYCbCr(size, image.YCbCrSubsampleRatio420)
		random := rand.New(rand.NewPCG(1, 2))
		for i := range m.Y {
			m.Y[i] = byte(128 + random.IntN(20))
		}
		raw := jpegOf(b, m)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := picture.Publish(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
