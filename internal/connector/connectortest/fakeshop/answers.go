package fakeshop

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"

	"entrepot/internal/base/money"
)

// Nth reports whether a count is one of every n-th; none is of every 0th.
func Nth(n, count int) bool { return n > 0 && count%n == 0 }

// JSON answers with a value as JSON; nil is an answer without a body.
func JSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body)
	}
}

// HangUp ends the connection without an answer.
func HangUp(w http.ResponseWriter) {
	if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = c.Close()
	}
}

// Decimal returns an amount of cents as shops write it: "-1.50".
func Decimal(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}

// Cents returns a price that a shop was given; ok is false if it is none.
func Cents(price string) (cents int64, ok bool) {
	v, err := money.Parse(price)
	return int64(v) / (money.Scale / 100), err == nil
}

// MAC returns the HMAC-SHA256 of texts behind each other. It is not the one of package connector, which is tested by
// it.
func MAC(secret string, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}
