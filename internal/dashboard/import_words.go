package dashboard

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/apperr"
	"entrepot/internal/fileimport"
	"entrepot/internal/jobs"
	"entrepot/internal/money"
)

// formatNames are how people call what a file was exported by.
var formatNames = map[string]string{"shopify": "export of Shopify", "woocommerce": "export of WooCommerce", "magento": "export of Magento",
	"prestashop": "export of PrestaShop", "jsonl": "JSON lines", "json": "JSON"}

// encodingNames likewise of what letters are written in.
var encodingNames = map[string]string{"utf-8": "UTF-8", "utf-16le": "UTF-16", "utf-16be": "UTF-16", "windows-1252": "Windows-1252"}

var delimiterNames = map[string]string{"\t": "tabs", ";": "“;”", ",": "“,”", "|": "“|”"}

// fileWords describes what was detected of a file.
func (r *request) fileWords(p importPage) string {
	words := []string{r.bytes(p.i.Size)}
	if p.found.Rows > 0 {
		words = append(words, r.format.plural(int64(p.found.Rows), "row", "rows"))
	}
	words = append(words, r.format.plural(int64(len(p.found.Columns)), "column", "columns"))
	if name := formatNames[p.found.Format]; name != "" {
		words = append(words, name)
	}
	if name := encodingNames[p.found.Encoding]; name != "" {
		words = append(words, name)
	} else if p.found.Encoding != "" {
		words = append(words, strings.ToUpper(p.found.Encoding))
	}
	if p.found.Delimiter != "" {
		name := delimiterNames[p.found.Delimiter]
		if name == "" {
			name = "“" + p.found.Delimiter + "”"
		}
		words = append(words, "cells separated by "+name)
	}
	text := strings.Join(words, ", ")
	if p.found.Decimals != "" {
		text += ". " + p.found.Decimals
	}
	return text
}

// bytes is a size in words.
func (r *request) bytes(n int64) string {
	switch {
	case n < 1<<10:
		return r.format.plural(n, "byte", "bytes")
	case n < 1<<20:
		return r.format.Count((n+512)>>10) + " KB"
	}
	return r.format.plain(strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64)) + " MB"
}

// timeLeft is the estimated rest of a job's time at its speed so far; "" if it is unknown. The job's cursor has the
// row at which it began.
func timeLeft(j jobs.Job, now int64) string {
	from, err := strconv.ParseInt(j.Cursor, 10, 64)
	done, took := j.Processed-from, time.Duration(now-j.StartedAt)*time.Microsecond
	if err != nil || done <= 0 || j.StartedAt == 0 || j.Total <= j.Processed || took <= 0 {
		return ""
	}
	left := time.Duration(float64(took) * float64(j.Total-j.Processed) / float64(done))
	switch seconds := left.Seconds(); {
	case seconds < 60:
		return "About " + strconv.Itoa(max(1, int(math.Ceil(seconds)))) + " s left"
	case seconds < 5400:
		return "About " + strconv.Itoa(int(math.Round(seconds/60))) + " min left"
	default:
		return "About " + strconv.Itoa(int(math.Round(seconds/3600))) + " h left"
	}
}

// diffNames are what people call the fields of a product.
var diffNames = map[string]string{"name": "Name", "slug": "Slug", "description": "Description", "status": "Status", "price": "Price",
	"compareAtPrice": "Price before", "attributes": "Attributes", "categoryIds": "Categories", "media": "Images", "images": "Images",
	"variants": "Variants"}

// diffWords describes the changes of a product.
func (r *request) diffWords(d fileimport.Diff) (list []change) {
	for _, c := range d.Fields {
		name := diffNames[c.Field]
		if name == "" {
			name = sentence(c.Field)
		}
		list = append(list, change{name, r.valueWords(c.Field, c.From), r.valueWords(c.Field, c.To)})
	}
	return list
}

// longValue is how many characters of a value are shown.
const longValue = 60

// valueWords is a value of a product, written as JSON, for people.
func (r *request) valueWords(field string, value json.RawMessage) string {
	text := strings.TrimSpace(string(value))
	switch {
	case text == "" || text == "null" || text == `""` || text == "[]" || text == "{}":
		return "none"
	case field == "price" || field == "compareAtPrice":
		if amount, err := money.Parse(strings.Trim(text, `"`)); err == nil {
			return r.format.Money(amount, r.caller().Currency)
		}
	case text[0] == '[':
		var list []json.RawMessage
		if json.Unmarshal(value, &list) == nil {
			return r.format.plural(int64(len(list)), "entry", "entries")
		}
	case text[0] == '"':
		var plain string
		if json.Unmarshal(value, &plain) == nil {
			text = plain
		}
	}
	if runes := []rune(text); len(runes) > longValue {
		text = string(runes[:longValue]) + "…"
	}
	return text
}

// ignoreMissing drops NotFound, for data that a page can do without.
func ignoreMissing(err error) error {
	if e, ok := apperr.As(err); ok && e.Kind == apperr.NotFound {
		return nil
	}
	return err
}
