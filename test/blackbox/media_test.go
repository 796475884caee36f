package blackbox

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"strings"

	"entrepot/test/blackbox/harness"
)

func init() {
	about("4.5-media", "a picture is uploaded, served to everybody and shown by a product", func(c *testCase) {
		m := image.NewNRGBA(image.Rect(0, 0, 640, 480))
		m.Set(1, 1, color.NRGBA{R: 200, A: 255})
		var content, form bytes.Buffer
		if err := png.Encode(&content, m); err != nil {
			c.Fatal(err)
		}
		parts := multipart.NewWriter(&form)
		part, err := parts.CreateFormFile("file", "mug.png")
		if err != nil {
			c.Fatal(err)
		}
		_, _ = part.Write(content.Bytes())
		_ = parts.Close()
		upload := func(client harness.Client, kind string, body []byte, status int) harness.Answer {
			c.Helper()
			answer, err := client.Do(harness.Request{Method: http.MethodPost, Path: "/api/v1/media", Body: body,
				Header: http.Header{"Content-Type": {kind}}})
			if err != nil {
				c.Fatal(err)
			}
			return c.must(answer, status)
		}
		first := upload(c.account.Key, "image/png", content.Bytes(), 201)
		url := first.Text("data", "url")
		if first.Count("data", "width") != 640 || first.Text("data", "contentType") != "image/png" {
			c.Errorf("%s", first)
		}
		if again := upload(c.account.Key, parts.FormDataContentType(), form.Bytes(), 201); again.Text("data", "url") != url {
			c.Errorf("the same picture in a form: %s", again)
		}
		everybody := harness.Client{Base: c.account.Key.Base}
		for member, width := range map[string]int{"url": 640, "smallUrl": 320} {
			path := strings.TrimPrefix(first.Text("data", member), everybody.Base)
			file, err := everybody.Do(harness.Request{Method: http.MethodGet, Path: path})
			if err != nil || file.Status != 200 || !strings.Contains(file.Header.Get("Cache-Control"), "immutable") {
				c.Fatalf("%s: %v %d %v", path, err, file.Status, file.Header)
			}
			config, err := png.DecodeConfig(bytes.NewReader(file.Body))
			if err != nil || config.Width != width {
				c.Errorf("%s: %d wide, %v", path, config.Width, err)
			}
			same, err := everybody.Do(harness.Request{Method: http.MethodGet, Path: path,
				Header: http.Header{"If-None-Match": {file.Header.Get("ETag")}}})
			if err != nil || same.Status != 304 {
				c.Errorf("unchanged: %v %d", err, same.Status)
			}
		}
		product := c.must(c.call(http.MethodPost, "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 5,
			"images": []any{map[string]any{"url": url}}}), 201)
		if product.Text("data", "media", 0, "url") != url {
			c.Errorf("%s", product)
		}
		if other := upload(c.server.NewAccount(c.T, "enterprise").Key, "image/png", content.Bytes(), 201); other.Text("data", "url") == url {
			c.Errorf("another account's picture has the same address: %s", other)
		}
		missing, err := everybody.Do(harness.Request{Method: http.MethodGet, Path: "/media/" + strings.Repeat("0", 64) + ".jpg"})
		if err != nil || missing.Status != 404 || missing.Text("code") != "not_found" {
			c.Errorf("a picture that is not there: %v %s", err, missing)
		}
		if bad := upload(c.account.Key, "image/png", []byte("<script>"), 400); bad.Text("code") != "invalid_picture" {
			c.Errorf("%s", bad)
		}
		upload(c.account.Key, "application/json", []byte(`{}`), 415)
		upload(c.account.Key, "multipart/form-data; boundary=x", []byte("--x--"), 400)
		upload(c.account.Key, "image/png", make([]byte, 10<<20+1), 413)
	})
}
