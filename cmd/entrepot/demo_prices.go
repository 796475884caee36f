package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeDemoPrices writes a supplier's price list for the kitchen into a folder, as such lists come: with a semicolon, a
// decimal comma, an article that nobody sells, and a price with a digit too many. It returns its path.
func writeDemoPrices(dir string) (string, error) {
	var list strings.Builder
	list.WriteString("Article;Name;New price\n")
	for i, p := range demoProducts {
		if p.category != "kitchen" {
			continue
		}
		cents := p.cents + int64(i%3-1)*p.cents/20/10*10
		if p.sku == "KIT-SIEVE" {
			cents *= 10
		}
		fmt.Fprintf(&list, "%s;%s;%d,%02d\n", p.sku, p.name, cents/100, cents%100)
	}
	list.WriteString("KIT-WOK-32;Wok, 32 cm;64,00\n")
	path := filepath.Join(dir, "supplier-prices.csv")
	return path, os.WriteFile(path, []byte(list.String()), 0o600)
}
