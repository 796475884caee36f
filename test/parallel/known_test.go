package parallel

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
)

// object is a JSON object.
type object = map[string]any

const (
	stableSKUs = 60 // stay for the whole run
	comingSKUs = 60 // are made, imported and deleted by everybody
	knownMost  = 80 // of a kind: few enough that clients meet
)

var warehouses = []string{"NORTH", "SOUTH", "EAST"}

func stableSKU(n int) string { return fmt.Sprintf("STAY-%02d", n) }
func comingSKU(n int) string { return fmt.Sprintf("COME-%02d", n) }

// known is what the clients know of the account: paths of records by kind ("order" → "/api/v1/orders/…"), and SKUs.
type known struct {
	mu    sync.Mutex
	kinds map[string][]string
}

func (k *known) add(kind, path string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kinds == nil {
		k.kinds = map[string][]string{}
	}
	if slices.Contains(k.kinds[kind], path) {
		return
	}
	if list := k.kinds[kind]; len(list) >= knownMost && kind != "sku" {
		k.kinds[kind] = slices.Delete(list, 0, 1)
	}
	k.kinds[kind] = append(k.kinds[kind], path)
}

func (k *known) drop(kind, path string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kinds[kind] = slices.DeleteFunc(k.kinds[kind], func(p string) bool { return p == path })
}

// any is one of a kind, "" if none is known.
func (k *known) any(kind string, random *rand.Rand) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := k.kinds[kind]
	if len(list) == 0 {
		return ""
	}
	return list[random.IntN(len(list))]
}

// text is a value as JSON.
func text(value any) []byte {
	content, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return content
}

func line(sku string, quantity int) object {
	return object{"sku": sku, "quantity": quantity, "unitPrice": "9.90"}
}
