package model

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"entrepot/test/blackbox/harness"
)

// player is one client and its part of the model.
type player struct {
	t       *testing.T
	number  int
	client  harness.Client
	random  *rand.Rand
	levels  Levels // its own SKUs, exact
	shared  Levels // what it did to the shared SKU
	orders  []*Order
	step    int
	trail   []string // what it did last, for the message
	spent   []int64  // per customer
	replays int
}

const (
	sharedSKU = "SHARED"
	buyers    = 3
)

func newPlayer(t *testing.T, number int, client harness.Client, seed uint64) *player {
	p := &player{
		t: t, number: number, client: client, random: rand.New(rand.NewPCG(seed, uint64(number))), spent: make([]int64, buyers),
		levels: Levels{}, shared: Levels{sharedSKU: {}},
	}
	for n := range 3 {
		p.levels[p.sku(n)] = &Stock{OnHand: 50}
	}
	return p
}

func (p *player) sku(n int) string  { return fmt.Sprintf("P%d-%d", p.number, n) }
func (p *player) mail(n int) string { return fmt.Sprintf("buyer-%d-%d@model.example", p.number, n) }
func (p *player) anySKU() string {
	if n := p.random.IntN(4); n < 3 {
		return p.sku(n)
	}
	return sharedSKU
}

// known is the levels with the shared SKU's part.
func (p *player) known() Levels {
	all := Levels{sharedSKU: p.shared[sharedSKU]}
	for sku, stock := range p.levels {
		all[sku] = stock
	}
	return all
}

// play takes one random step and compares.
func (p *player) play() {
	p.step++
	if len(p.orders) == 0 || p.random.IntN(4) == 0 {
		p.create()
		return
	}
	o := p.orders[p.random.IntN(len(p.orders))]
	before := o.Total()
	counted := o.Status != "CANCELLED"
	switch p.random.IntN(18) {
	case 0, 1, 2, 3:
		p.move(o)
	case 4, 5, 6:
		p.ship(o)
	case 7, 8:
		p.unship(o)
	case 9, 10:
		p.edit(o)
	case 11:
		p.restock()
	case 12, 13:
		p.announce(o)
	case 14, 15:
		p.moveReturn(o)
	case 16:
		p.refund(o)
	case 17:
		p.tag(o)
	}
	if o.Customer >= 0 {
		if counted {
			p.spent[o.Customer] -= before
		}
		if o.Status != "CANCELLED" {
			p.spent[o.Customer] += o.Total()
		}
	}
	p.compare(o)
}

// send calls under an Idempotency-Key, sometimes twice: the second answer must be the first's bytes.
func (p *player) send(method, path string, body any) harness.Answer {
	p.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	request := harness.Request{Method: method, Path: path}
	if method != http.MethodDelete {
		request.Body = text
		request.Header = http.Header{"Idempotency-Key": {fmt.Sprintf("m%d-%d", p.number, p.step)}}
	}
	answer, err := p.client.Do(request)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	p.trail = append(p.trail, fmt.Sprintf("%d: %s %s %s → %d", p.step, method, path, text, answer.Status))
	if len(p.trail) > 12 {
		p.trail = p.trail[1:]
	}
	if method != http.MethodDelete && answer.Status < 300 && p.random.IntN(8) == 0 {
		p.replays++
		again, err := p.client.Do(request)
		if err != nil || again.Status != answer.Status || string(again.Body) != string(answer.Body) {
			p.fail("a repeated request: %v\n first %s\n then  %s", err, answer, again)
		}
	}
	return answer
}

func (p *player) fail(format string, args ...any) {
	p.t.Helper()
	p.t.Errorf("client %d, step %d: %s\n  its last steps:", p.number, p.step, fmt.Sprintf(format, args...))
	for _, line := range p.trail {
		p.t.Logf("    %s", line)
	}
	p.t.FailNow()
}

// expect compares the status and counts the order's events.
func (p *player) expect(o *Order, answer harness.Answer, outcome Outcome) bool {
	p.t.Helper()
	if answer.Status != outcome.Status {
		p.fail("want status %d: %s", outcome.Status, answer)
	}
	for _, kind := range outcome.Events {
		o.Events[kind]++
	}
	return outcome.Status < 300
}

func (p *player) lines() []Line {
	var lines []Line
	for range 1 + p.random.IntN(3) {
		lines = append(lines, Line{SKU: p.anySKU(), Quantity: int64(1 + p.random.IntN(5)), Price: int64(p.random.IntN(200_000))})
	}
	return lines
}

func wire(lines []Line) []any {
	var out []any
	for _, line := range lines {
		item := map[string]any{"sku": line.SKU, "quantity": line.Quantity, "unitPrice": number(line.Price)}
		if line.ID != "" {
			item["id"] = line.ID
		}
		out = append(out, item)
	}
	return out
}

// number writes an amount as a JSON number.
func number(amount int64) json.Number {
	return json.Number(fmt.Sprintf("%d.%04d", amount/unit, amount%unit))
}

func (p *player) create() {
	statuses := []string{"PENDING", "PROCESSING", "PROCESSING", "PARTIALLY_SHIPPED", "SHIPPED", "DELIVERED", "CANCELLED"}
	o := &Order{Status: statuses[p.random.IntN(len(statuses))], Customer: p.random.IntN(buyers+1) - 1, Lines: p.lines(),
		Events: map[string]int{}}
	o.Shipping = int64(p.random.IntN(10)) * unit / 2
	o.Discount = o.Subtotal() / int64(2+p.random.IntN(5)) / 100 * 100
	if p.random.IntN(2) == 0 {
		rate := int64(p.random.IntN(40)) * unit / 2
		o.Rate = &rate
	}
	o.Retax()
	body := map[string]any{
		"customerName": "Model", "initialStatus": o.Status, "items": wire(o.Lines), "shippingAmount": number(o.Shipping),
		"discountAmount": number(o.Discount),
	}
	if o.Rate != nil {
		body["taxRate"] = number(*o.Rate)
	}
	if o.Customer >= 0 {
		body["customerEmail"] = p.mail(o.Customer)
	}
	answer := p.send(http.MethodPost, "/api/v1/orders", body)
	p.expect(o, answer, o.Create(p.known()))
	o.ID = answer.Text("data", "id")
	read := p.read(o)
	for i := range o.Lines {
		o.Lines[i].ID = read.Text("data", "items", i, "id")
	}
	if o.Status == "SHIPPED" || o.Status == "DELIVERED" {
		holds := map[string]int64{}
		for _, line := range o.Lines {
			holds[line.ID] = line.Quantity
		}
		o.Parcels = []Parcel{{Holds: holds}}
	}
	if o.Customer >= 0 && o.Status != "CANCELLED" {
		p.spent[o.Customer] += o.Total()
	}
	p.orders = append(p.orders, o)
	p.compare(o)
}

func (p *player) move(o *Order) {
	all := []string{"PENDING", "PROCESSING", "PARTIALLY_SHIPPED", "SHIPPED", "DELIVERED", "CANCELLED", "RETURNED"}
	to := all[p.random.IntN(len(all))]
	if likely := moves[o.Status]; len(likely) > 0 && p.random.IntN(2) == 0 {
		to = likely[p.random.IntN(len(likely))]
	}
	restock := p.random.IntN(2) == 0
	answer := p.send(http.MethodPatch, "/api/v1/orders/"+o.ID+"/status", map[string]any{"status": to, "restock": restock})
	p.expect(o, answer, o.Move(to, restock, p.known()))
}

func (p *player) ship(o *Order) {
	asked, items := map[string]int64{}, []any{}
	for range 1 + p.random.IntN(2) {
		line := o.Lines[p.random.IntN(len(o.Lines))]
		quantity := int64(1 + p.random.IntN(3))
		asked[line.ID] += quantity
		items = append(items, map[string]any{"orderItemId": line.ID, "quantity": quantity})
	}
	answer := p.send(http.MethodPost, "/api/v1/orders/"+o.ID+"/shipments", map[string]any{"items": items})
	p.expect(o, answer, o.Ship(asked, p.known()))
}

func (p *player) unship(o *Order) {
	if len(o.Parcels) == 0 || slices.Contains([]string{"SHIPPED", "DELIVERED"}, o.Status) && !o.EverShipped {
		return // an order born shipped: whether it was ever "shipped" is nobody's promise
	}
	at := p.random.IntN(len(o.Parcels))
	read := p.read(o)
	id := read.Text("data", "shipments", at, "id")
	answer := p.send(http.MethodDelete, "/api/v1/orders/"+o.ID+"/shipments/"+id, nil)
	p.expect(o, answer, o.Unship(at, p.known()))
}

func (p *player) edit(o *Order) {
	lines := p.lines()
	if p.random.IntN(2) == 0 {
		kept := o.Lines[p.random.IntN(len(o.Lines))]
		lines[0].ID, lines[0].SKU = kept.ID, kept.SKU
	}
	subtotal := (&Order{Lines: lines}).Subtotal()
	shipping, discount := int64(p.random.IntN(5))*unit, subtotal/3/100*100
	if p.random.IntN(10) == 0 {
		discount = subtotal + 100
	}
	body := map[string]any{"items": wire(lines), "shippingAmount": number(shipping), "discountAmount": number(discount)}
	answer := p.send(http.MethodPut, "/api/v1/orders/"+o.ID+"/items", body)
	outcome := o.Edit(lines, shipping, discount, p.known())
	if outcome.Status == 400 && answer.Status == 409 || outcome.Status == 409 && answer.Status == 400 {
		return // both hold; the order of the two checks is nobody's promise
	}
	if p.expect(o, answer, outcome) {
		read := p.read(o)
		for i := range o.Lines {
			o.Lines[i].ID = read.Text("data", "items", i, "id")
		}
	}
}

// tag is POST bulk-tag of the one order.
func (p *player) tag(o *Order) {
	tags := []string{"gift", "late", "rush"}
	add, remove := tags[p.random.IntN(3)], tags[p.random.IntN(3)]
	answer := p.send(http.MethodPost, "/api/v1/orders/bulk-tag", map[string]any{"orderIds": []string{o.ID}, "add": []string{add},
		"remove": []string{remove}})
	p.expect(o, answer, o.Tag(add, remove))
}

// announce is POST returns of some units of one or two lines.
func (p *player) announce(o *Order) {
	asked, items := map[string]int64{}, []any{}
	restock := p.random.IntN(2) == 0
	for range 1 + p.random.IntN(2) {
		line := o.Lines[p.random.IntN(len(o.Lines))]
		quantity := int64(1 + p.random.IntN(3))
		asked[line.ID] += quantity
		items = append(items, map[string]any{"orderItemId": line.ID, "quantity": quantity, "restock": restock})
	}
	answer := p.send(http.MethodPost, "/api/v1/orders/"+o.ID+"/returns", map[string]any{"items": items, "reason": "model"})
	if p.expect(o, answer, o.Announce(asked, restock)) {
		o.Returns[len(o.Returns)-1].ID = answer.Text("data", "id")
	}
}

// moveReturn is PATCH of one of the order's returns; a refund names its amount.
func (p *player) moveReturn(o *Order) {
	if len(o.Returns) == 0 {
		p.announce(o)
		return
	}
	at := p.random.IntN(len(o.Returns))
	to := []string{"requested", "received", "received", "refunded", "rejected"}[p.random.IntN(5)]
	body, amount := map[string]any{"status": to}, int64(0)
	if to == "refunded" && o.Returns[at].Status == "received" {
		amount = p.amount(o)
		body["refundAmount"] = number(amount)
	}
	answer := p.send(http.MethodPatch, "/api/v1/orders/"+o.ID+"/returns/"+o.Returns[at].ID, body)
	p.expect(o, answer, o.MoveReturn(at, to, amount, p.known()))
}

// amount is what is refunded, in cents: a part of what is left, all of it, or more.
func (p *player) amount(o *Order) int64 {
	left := o.Total() - o.Paid
	switch p.random.IntN(8) {
	case 0:
		return left + unit/100
	case 1:
		return left
	}
	return left / int64(2+p.random.IntN(5)) / 100 * 100
}

// refund is POST refunds, with or without units of a line.
func (p *player) refund(o *Order) {
	amount, units := p.amount(o), map[string]int64{}
	if amount == 0 {
		return // a refund of nothing is refused before all else
	}
	body := map[string]any{"amount": number(amount), "reason": "model"}
	if p.random.IntN(2) == 0 {
		line := o.Lines[p.random.IntN(len(o.Lines))]
		units[line.ID] = int64(1 + p.random.IntN(3))
		body["items"] = []any{map[string]any{"orderItemId": line.ID, "quantity": units[line.ID]}}
	}
	answer := p.send(http.MethodPost, "/api/v1/orders/"+o.ID+"/refunds", body)
	p.expect(o, answer, o.Refund(amount, units, p.known()))
}

// restock counts one of the client's own SKUs anew, or books a delivery.
func (p *player) restock() {
	sku := p.sku(p.random.IntN(3))
	if p.random.IntN(2) == 0 {
		quantity := int64(p.random.IntN(100))
		answer := p.send(http.MethodPatch, "/api/v1/sdk/inventory/bulk-update",
			map[string]any{"updates": []any{map[string]any{"sku": sku, "quantity": quantity}}})
		if answer.Status != http.StatusOK || answer.Count("data", "updated") != 1 {
			p.fail("setting stock: %s", answer)
		}
		p.levels[sku].OnHand = quantity
		return
	}
	quantity := int64(1 + p.random.IntN(9))
	answer := p.send(http.MethodPost, "/api/v1/inventory/movements", map[string]any{"sku": sku, "type": "receive", "quantity": quantity})
	p.levels[sku].OnHand += quantity
	if answer.Status != http.StatusCreated || answer.Count("data", "balance") != p.levels[sku].OnHand {
		p.fail("receiving %d, want balance %d: %s", quantity, p.levels[sku].OnHand, answer)
	}
}

func (p *player) read(o *Order) harness.Answer {
	p.t.Helper()
	read, err := p.client.Call(http.MethodGet, "/api/v1/orders/"+o.ID, nil)
	if err != nil || read.Status != http.StatusOK {
		p.fail("reading the order: %v %s", err, read)
	}
	return read
}

// compare holds the order, its customer and the client's stock against the model.
func (p *player) compare(o *Order) {
	p.t.Helper()
	read := p.read(o)
	want := map[string]any{
		"status": o.Status, "subtotal": number(o.Subtotal()), "total": number(o.Total()), "discountAmount": number(o.Discount),
		"shippingAmount": number(o.Shipping),
		"taxAmount":      nil, "shipments": fmt.Sprintf("<len %d>", len(o.Parcels)), "refundedAmount": number(o.Paid),
		"tags": fmt.Sprintf("<len %d>", len(o.Tags)), "refunds": fmt.Sprintf("<len %d>", o.Refunds), "statusHistory": fmt.Sprintf("<len %d>", o.Moves),
	}
	if o.Tax != nil {
		want["taxAmount"] = number(*o.Tax)
	}
	var lines, returns, tags []any
	for _, tag := range o.Tags {
		tags = append(tags, tag)
	}
	if len(tags) > 0 {
		want["tags"] = tags
	}
	for _, r := range o.Returns {
		returns = append(returns, map[string]any{"id": r.ID, "status": r.Status})
	}
	if len(returns) > 0 {
		want["returns"] = returns
	}
	for _, line := range o.Lines {
		lines = append(lines, map[string]any{
			"id": line.ID, "sku": line.SKU, "quantity": number(line.Quantity * unit), "shippedQuantity": number(line.Shipped * unit),
			"unitPrice": number(line.Price), "lineTotal": number(line.LineTotal()),
		})
	}
	want["items"] = lines
	if faults := harness.MatchValue(map[string]any{"data": want}, read.Value(), harness.Vars{}); len(faults) > 0 {
		p.fail("the order is not as the model has it: %v\n %s", faults, read)
	}
	for sku, stock := range p.levels {
		level, err := p.client.Call(http.MethodGet, "/api/v1/inventory?sku="+sku, nil)
		if err != nil || level.Count("data", 0, "quantity") != stock.OnHand || level.Count("data", 0, "reserved") != stock.Reserved ||
			level.Count("data", 0, "available") != stock.OnHand-stock.Reserved {
			p.fail("%s: the model has %+v: %v %s", sku, *stock, err, level)
		}
	}
	if o.Customer >= 0 {
		found, err := p.client.Call(http.MethodGet, "/api/v1/customers?email="+p.mail(o.Customer), nil)
		spent, _ := found.At("data", 0, "totalSpent").(json.Number)
		got, ok := new(big.Rat).SetString(string(spent))
		if err != nil || !ok || got.Cmp(big.NewRat(p.spent[o.Customer], unit)) != 0 {
			p.fail("totalSpent: the model has %s: %v %s", number(p.spent[o.Customer]), err, found)
		}
	}
}
