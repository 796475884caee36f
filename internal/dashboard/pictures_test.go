package dashboard

import (
	"bufio"
	"context"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"entrepot/internal/accounts"
)

var pictures = flag.String("pictures", "", "folder for the pictures of README and docs/sell")

// startDemo runs "entrepot demo" and gives its address and login.
func startDemo(t *testing.T) (at, email, password string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "entrepot")
	if out, err := exec.Command("go", "build", "-o", program, "entrepot/cmd/entrepot").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx, stop := context.WithCancel(t.Context())
	demo := exec.CommandContext(ctx, program, "demo", "--addr", "127.0.0.1:0")
	demo.Cancel = func() error { return demo.Process.Signal(os.Interrupt) }
	out, err := demo.StdoutPipe()
	if err != nil || demo.Start() != nil {
		t.Fatal("the demo does not start", err)
	}
	t.Cleanup(func() {
		stop()
		_ = demo.Wait() // interrupted
	})
	running, login := regexp.MustCompile(`is running +(\S+)`), regexp.MustCompile(`login +(\S+)  /  (\S+)`)
	for lines := bufio.NewScanner(out); lines.Scan() && email == ""; {
		if found := running.FindStringSubmatch(lines.Text()); found != nil {
			at = found[1]
		} else if found := login.FindStringSubmatch(lines.Text()); found != nil {
			email, password = found[1], found[2]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }() // what else it prints
	return at, email, password
}

// The pictures of README, of the demo, when a folder is named: make shots.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("no folder for pictures is named: make shots")
	}
	at, email, password := startDemo(t)
	b := (&site{t: t, url: at}).window(t, accounts.User{})
	b.look(1280, "light")
	b.open("/")
	b.fill("#login-email", email)
	b.fill("#login-password", password)
	b.press("Log in")
	b.shows("Needs attention")
	b.shows("Shopify shop") // orders of the simulated shops have come
	b.shows("WooCommerce shop")
	b.save(t, "overview")
	b.open("/orders?status=PROCESSING,PARTIALLY_SHIPPED")
	b.click("#orders tbody tr:nth-child(2) input")
	b.shows("1 selected")
	b.save(t, "orders")
	b.look(1280, "dark")
	b.click("#orders tbody a.hit")
	b.shows("Timeline")
	b.save(t, "order")
	b.look(1280, "light")
	t.Run("sell", func(t *testing.T) { picturesOfSelling(t, b) })
}

// picturesOfSelling are those of docs/sell: a channel that was tested, orders to be shipped together, a file of prices.
func picturesOfSelling(t *testing.T, b *window) {
	b.open("/channels")
	b.press("Shopify shop (simulated)")
	b.press("Test the connection")
	b.shows("What the test found")
	b.save(t, "channel")
	b.open("/orders?status=PROCESSING,PARTIALLY_SHIPPED")
	b.click("#orders tbody tr:nth-child(1) input")
	b.click("#orders tbody tr:nth-child(2) input")
	b.shows("2 selected")
	b.press("Ship")
	b.shows("Tracking number")
	b.save(t, "ship")
	prices := filepath.Join(t.TempDir(), "prices.csv")
	if err := os.WriteFile(prices, []byte("Ref;Price\nMUG-BLUE;12,90\nPOT-IRON;39,00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.open("/prices/import")
	b.choose(prices)
	b.shows("Ref")
	b.save(t, "prices")
}

// save keeps a picture of what the window shows.
func (b *window) save(t *testing.T, name string) {
	t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur()"))
	shot := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{})
	if err := os.MkdirAll(*pictures, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*pictures, name+".png"), shot.Data, 0o644); err != nil {
		t.Fatal(err)
	}
}
