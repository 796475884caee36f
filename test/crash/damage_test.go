package crash

import (
	"math/rand/v2"
	"testing"

	"entrepot/test/blackbox/harness"
)

// The audit finds nothing in a healthy store, and each kind of damage when the journal or the store is doctored.
func TestAuditSeesDamage(t *testing.T) {
	server := harness.Start(t, harness.SQLite, harness.Options{})
	account := server.FirstAccount(t)
	seedCatalog(t, account)
	w := &worker{client: account.Key, status: map[string]string{}, random: rand.New(rand.NewPCG(1, 2))}
	for range 120 {
		w.settle(w.next(), make(chan struct{}))
	}
	audited := func(doctor func(orders map[string]harness.Answer, events *[]harness.Event)) findings {
		orders := allOrders(t, account.Key)
		events, err := account.Log("")
		if err != nil {
			t.Fatal(err)
		}
		doctor(orders, &events)
		f := findings{}
		auditJournals(&f, account.Key, []*worker{w}, orders)
		auditOrders(&f, account.Key, orders, events)
		auditStock(&f, account.Key, orders)
		return f
	}
	if f := audited(func(map[string]harness.Answer, *[]harness.Event) {}); f != (findings{}) {
		t.Fatalf("the healthy store: %+v", f)
	}
	first := w.open[0]
	if f := audited(func(orders map[string]harness.Answer, _ *[]harness.Event) { delete(orders, first.orderID) }); f.lost == 0 ||
		f.doubled == 0 {
		t.Errorf("a lost order: %+v", f)
	}
	if f := audited(func(orders map[string]harness.Answer, _ *[]harness.Event) { orders["twice"] = orders[first.orderID] }); f.doubled == 0 {
		t.Errorf("a doubled order: %+v", f)
	}
	if f := audited(func(_ map[string]harness.Answer, events *[]harness.Event) { *events = (*events)[:len(*events)/2] }); f.missing == 0 {
		t.Errorf("missing events: %+v", f)
	}
	if f := audited(func(_ map[string]harness.Answer, events *[]harness.Event) { *events = append(*events, *events...) }); f.doubled == 0 {
		t.Errorf("doubled events: %+v", f)
	}
	if f := audited(func(orders map[string]harness.Answer, _ *[]harness.Event) {
		other := w.open[1]
		orders[first.orderID], orders[other.orderID] = orders[other.orderID], orders[first.orderID]
	}); f.lost == 0 && f.half == 0 {
		t.Errorf("orders whose content is another's: %+v", f)
	}
	kept := first.answer
	first.answer = append([]byte(" "), kept...)
	if f := audited(func(map[string]harness.Answer, *[]harness.Event) {}); f.replays != 1 {
		t.Errorf("a replay that differs in one byte: %+v", f)
	}
	first.answer = kept
}
