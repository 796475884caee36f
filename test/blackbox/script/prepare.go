package script

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"entrepot/test/blackbox/harness"
)

// products puts products into the catalog, one a line: "SKU | price | quantity in the default warehouse".
func (r *run) products(rest string) error {
	type product = map[string]any
	var all []product
	for _, line := range strings.Split(rest, "\n") {
		parts := cells(line)
		if len(parts) < 2 {
			return fmt.Errorf("products: a line is SKU | price | quantity, not %q", line)
		}
		p := product{"sku": parts[0], "name": "Product " + parts[0], "price": json.Number(parts[1])}
		if len(parts) > 2 && parts[2] != "" {
			p["stock"] = product{"warehouseCode": "MAIN", "quantity": json.Number(parts[2])}
		}
		all = append(all, p)
	}
	answer, err := r.prepare(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", product{"products": all})
	if err != nil {
		return err
	}
	if answer.Status != http.StatusOK || len(answer.List("errors")) > 0 {
		return fmt.Errorf("preparing products: %s", answer)
	}
	return nil
}

// order creates an order and binds $name to its id, $name_1 … to its lines' ids and $name_number to its number.
// The JSON given is laid over a small order of one A-1 at 10.
func (r *run) order(rest string) error {
	name, text, _ := strings.Cut(rest, " ")
	name = strings.TrimPrefix(name, "$")
	body := map[string]any{
		"customerName": "Ada Lovelace",
		"items":        []any{map[string]any{"sku": "A-1", "quantity": 1, "unitPrice": 10}},
	}
	if strings.TrimSpace(text) != "" {
		given, err := harness.Decode([]byte(text))
		object, ok := given.(map[string]any)
		if err != nil || !ok {
			return fmt.Errorf("order: no JSON object: %s", text)
		}
		maps.Copy(body, object)
	}
	created, err := r.prepare(http.MethodPost, "/api/v1/orders", body)
	if err != nil {
		return err
	}
	id := created.Text("data", "id")
	if created.Status != http.StatusCreated || id == "" {
		return fmt.Errorf("preparing an order: %s", created)
	}
	read, err := r.prepare(http.MethodGet, "/api/v1/orders/"+id, nil)
	if err != nil {
		return err
	}
	if read.Status != http.StatusOK {
		return fmt.Errorf("reading the prepared order: %s", read)
	}
	r.vars[name], r.vars[name+"_number"] = id, read.Text("data", "orderNumber")
	for at := range read.List("data", "items") {
		r.vars[fmt.Sprintf("%s_%d", name, at+1)] = read.Text("data", "items", at, "id")
	}
	return nil
}

// stock compares levels: "stock A-1 onHand=7 reserved=2 available=5", for the default warehouse or "@CODE".
func (r *run) stock(line int, rest string) error {
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return fmt.Errorf("stock: a SKU is missing")
	}
	sku, warehouse, _ := strings.Cut(fields[0], "@")
	if warehouse == "" {
		warehouse = "MAIN"
	}
	answer, err := r.prepare(http.MethodGet, "/api/v1/inventory?sku="+url.QueryEscape(sku)+"&warehouseCode="+url.QueryEscape(warehouse), nil)
	if err != nil {
		return err
	}
	level := map[string]any{"sku": sku, "warehouseCode": warehouse}
	for _, field := range fields[1:] {
		key, value, _ := strings.Cut(field, "=")
		if key == "onHand" {
			key = "quantity" // the level's word for it (interface §2.7.5)
		}
		level[key] = json.Number(value)
	}
	if faults := harness.MatchValue(map[string]any{"data": []any{level}}, answer.Value(), r.vars); len(faults) > 0 {
		r.fail(line, "stock of %s: %s", sku, strings.Join(faults, "\n      "))
	}
	return nil
}

// ids compares the ids of a list answer's rows, in order: ids ${body} "${a}", "${b}". Where there is none, the total is 0.
func (r *run) ids(line int, rest string) error {
	kept, list, _ := strings.Cut(rest, " ")
	body, err := r.expand(kept)
	if err != nil {
		return err
	}
	if list, err = r.expand(list); err != nil {
		return err
	}
	value, err := harness.Decode([]byte(body))
	if err != nil {
		return err
	}
	var got []string
	rows, _ := harness.At(value, "data").([]any)
	for _, row := range rows {
		id, _ := harness.At(row, "id").(string)
		got = append(got, strconv.Quote(id))
	}
	if want := strings.TrimSpace(list); want != strings.Join(got, ", ") {
		r.fail(line, "ids: want %s, got %s", want, strings.Join(got, ", "))
	}
	if total := harness.At(value, "meta", "total"); len(got) == 0 && harness.At(value, "meta", "page") == json.Number("1") &&
		total != json.Number("0") {
		r.fail(line, "ids: no rows, but the total is %v", total)
	}
	return nil
}

// prepare sends a request with the account's key, whatever the case's credential.
func (r *run) prepare(method, path string, body any) (harness.Answer, error) {
	client, err := r.fixture.Who("key")
	if err != nil {
		return harness.Answer{}, err
	}
	return client.Call(method, path, body)
}

// comparisons are the operators of a "check" step, in the order they are looked for.
var comparisons = []struct {
	operator string
	holds    func(a, b string) bool
}{
	{" contains ", strings.Contains},
	{" lacks ", func(a, b string) bool { return !strings.Contains(a, b) }},
	{" == ", func(a, b string) bool { return a == b }},
	{" != ", func(a, b string) bool { return a != b }},
	{" <= ", func(a, b string) bool { return a <= b }},
	{" < ", func(a, b string) bool { return a < b }},
}

// compare checks "a == b", "a contains b" and the like as texts; names are written in after the operator is found.
func (r *run) compare(line int, rest string) error {
	for _, comparison := range comparisons {
		a, b, found := strings.Cut(rest, comparison.operator)
		if !found {
			continue
		}
		left, err := r.expand(strings.TrimSpace(a))
		if err != nil {
			return err
		}
		right, err := r.expand(strings.TrimSpace(b))
		if err != nil {
			return err
		}
		if !comparison.holds(left, right) {
			r.fail(line, "it is not so that %s: %s | %s", rest, harness.Short([]byte(left)), harness.Short([]byte(right)))
		}
		return nil
	}
	return fmt.Errorf("check: no comparison in %q", rest)
}

// command runs the program beside the server: "command account list --json", then the expected JSON.
// "command ! …" expects it to fail.
func (r *run) command(line int, rest string) error {
	text, expected, _ := strings.Cut(rest, "\n")
	text, fails := strings.CutPrefix(text, "! ")
	out, err := r.fixture.Command(strings.Fields(text)...)
	switch {
	case fails && err == nil:
		r.fail(line, "the command should fail and did not: %s", harness.Short(out))
	case fails:
		return nil
	case err != nil:
		r.fail(line, "%v", err)
		return nil
	}
	if strings.TrimSpace(expected) != "" {
		if faults := harness.Match([]byte(expected), out, r.vars); len(faults) > 0 {
			r.fail(line, "%s\n      in %s", strings.Join(faults, "\n      "), harness.Short(out))
		}
	}
	return nil
}
