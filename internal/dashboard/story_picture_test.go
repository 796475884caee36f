package dashboard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The merchant uploads a picture from this device: what was typed before stays, a file that is no picture is refused at
// its input, one that was chosen and not uploaded is not forgotten, and the product shows the picture when it is saved.
// Four clicks: choose, Upload, Save.
func TestStoryOfAPicture(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		p := s.product(`{"sku":"MUG","name":"Mug","price":20}`)
		folder := t.TempDir()
		mug, note := filepath.Join(folder, "mug.gif"), filepath.Join(folder, "note.gif")
		pixel := "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
		for path, content := range map[string]string{mug: pixel, note: "a note"} {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b := s.window(t, s.owner)
		b.open("/products/" + string(p.ID))
		choose := func(path string) {
			b.do(chromedp.SetUploadFiles(chromedp.CSS("#card-images input[type=file]"), []string{path}))
		}
		b.fill("[name=name]", "Blue mug")
		choose(note)
		b.press("Upload")
		b.shows("The file is no picture")
		choose(mug)
		b.press("Save")
		b.shows("not uploaded yet")
		choose(mug)
		b.press("Upload")
		b.until("document.querySelector('#card-images img')?.src.endsWith('-small.png')")
		b.until("document.querySelector('[name=name]').value === 'Blue mug'")
		if now, _ := s.stored(p.ID); len(now.Images()) != 0 {
			t.Errorf("an upload has saved %+v", now.Images())
		}
		b.press("Save")
		b.shows("Saved")
		now, _ := s.stored(p.ID)
		if images := now.Images(); now.Name != "Blue mug" || len(images) != 1 || !strings.HasSuffix(images[0].URL, ".png") {
			t.Errorf("stored %s %+v", now.Name, images)
		}
	})
}
