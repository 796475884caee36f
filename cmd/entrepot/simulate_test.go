package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Every platform that is simulated is served with the credentials that it prints, takes an order from outside, and ends with the command.
func TestSimulate(t *testing.T) {
	t.Parallel()
	for _, shop := range simulatedShops() {
		t.Run(shop.slug, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			shown := make(chan struct{})
			said := &watched{want: []string{"http://127.0.0.1:"}}
			for name := range shop.takes("") {
				said.want = append(said.want, name+" ")
			}
			said.found = func() {
				select {
				case <-shown:
				default:
					close(shown)
				}
			}
			var complaint bytes.Buffer
			ended := make(chan int, 1)
			go func() {
				ended <- run(ctx, []string{"simulate", shop.slug, "--addr", "127.0.0.1:0", "--lose-answer", "50"}, func(string) string { return "" },
					strings.NewReader(""), said, &complaint)
			}()
			select {
			case <-shown:
			case code := <-ended:
				t.Fatalf("exit %d: %s", code, complaint.String())
			}
			said.mu.Lock()
			address := regexp.MustCompile(`http://\S+`).FindString(said.all.String())
			said.mu.Unlock()
			for body, want := range map[string]int{`{"skus":{"MUG":2},"email":"ada@example.com"}`: 200, `{"skus":{}}`: 400, `MUG`: 400} {
				answer, err := http.Post(address+"/simulate/orders", "application/json", strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				var out struct{ IDs []string }
				_ = json.NewDecoder(answer.Body).Decode(&out)
				_ = answer.Body.Close()
				if answer.StatusCode != want || want == 200 && (len(out.IDs) != 1 || out.IDs[0] == "") {
					t.Errorf("%s: %d %v", body, answer.StatusCode, out)
				}
			}
			cancel()
			if code := <-ended; code != done {
				t.Errorf("exit %d: %s", code, complaint.String())
			}
		})
	}
}
