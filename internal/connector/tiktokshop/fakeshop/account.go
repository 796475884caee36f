package fakeshop

import (
	"maps"
	"net/url"
	"slices"
)

func (s *Shop) shops(call) reply {
	return good(object{"shops": []object{
		{"cipher": "FAKE_another", "code": "FAKE2", "id": "7490000000000000008", "name": "Another Shop", "region": "GB"},
		{"cipher": Cipher, "code": "FAKE1", "id": ShopID, "name": "Fake Shop", "region": s.Region, "seller_type": "LOCAL"},
	}})
}

func (s *Shop) warehouses(call) reply {
	one := func(id, kind string, first bool) object {
		return object{"id": id, "name": "Warehouse", "effect_status": "ENABLED", "type": kind, "is_default": first}
	}
	list := []object{one("7000000000000000003", "RETURN_WAREHOUSE", true), one(Other, "SALES_WAREHOUSE", false),
		one(Warehouse, "SALES_WAREHOUSE", true)}
	if s.Faults.ListsAll {
		list = append(list, one(TikToks, "SALES_WAREHOUSE", false))
	}
	return good(object{"warehouses": list})
}

// providers are the names of the carriers, by their ids.
var providers = map[string]string{"1": "DHL Paket", "2": "Hermes", "3": "GLS"}

func (s *Shop) carriers(call) reply {
	list := []object{}
	for _, id := range slices.Sorted(maps.Keys(providers)) {
		list = append(list, object{"id": id, "name": providers[id]})
	}
	return good(object{"shipping_providers": list})
}

func (s *Shop) listHooks(call) reply {
	list := []object{}
	for topic, address := range s.hooks {
		list = append(list, object{"event_type": topic, "address": address})
	}
	return good(object{"webhooks": list, "total_count": len(list)})
}

func (s *Shop) putHook(c call) reply {
	topic, _ := c.body["event_type"].(string)
	address, _ := c.body["address"].(string)
	if u, err := url.Parse(address); err != nil || u.Host == "" || topic == "" || len(address) > 255 {
		return refused(36009001, "Invalid address")
	}
	s.hooks[topic] = address
	return good(object{})
}

func (s *Shop) dropHook(c call) reply {
	topic, _ := c.body["event_type"].(string)
	delete(s.hooks, topic)
	return good(object{})
}

// Hooks returns the addresses that are notified, by topic.
func (s *Shop) Hooks() (hooks map[string]string) {
	s.change(func() { hooks = maps.Clone(s.hooks) })
	return hooks
}

// DropHook forgets the address of a topic.
func (s *Shop) DropHook(topic string) { s.change(func() { delete(s.hooks, topic) }) }
