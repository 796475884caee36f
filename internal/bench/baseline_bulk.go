package bench

import (
	"fmt"

	"entrepot/internal/limits"
)

func baselineImport(c *campaign, y *baselineRun, _ int) func() (int, error) {
	return func() (int, error) {
		return limits.MaxImport, y.write(baselineProducts(fmt.Sprintf("%s-%010d", y.tag, y.serial.Add(1)), c.Product))
	}
}

// baselineProducts writes the 1,000 new products of one request: product and event, and for a full product its image,
// two variants, their three levels and the movements and events of those.
func baselineProducts(request, kind string) []statement {
	var products, images, variants, levels, movements, events rows
	now := nowMicros()
	for i := range limits.MaxImport {
		product, sku := newID(), fmt.Sprintf("IMP-%s-%03d", request, i)
		products.add(baselineTenant, product, sku, fmt.Sprintf("Imported article %d", i),
			"Cotton, woven in the old way, washed twice, and packed in paper. Ships within two days from our own warehouse.",
			"ACTIVE", int64(5+i%200)*10_000, int64(10+i%200)*10_000, now)
		events.addEvent("product.created", product, shortPayload, now)
		if kind != "full" {
			continue
		}
		images.add(baselineTenant, product, int64(0), "https://images.bench.example/"+sku+".jpg")
		for _, end := range []string{"", "-S", "-L"} {
			if end != "" {
				variants.add(baselineTenant, product, sku+end, "Small or large", int64(5+i%200)*10_000)
			}
			levels.add(baselineTenant, sku+end, "MAIN", int64(7), int64(0), now)
			movements.add(baselineTenant, sku+end, "MAIN", "import", int64(7), now)
			events.addEvent("stock.updated", sku+end, shortPayload, now)
		}
	}
	statements := images.statements(products.statements(nil, insertProducts), insertImages)
	statements = levels.statements(variants.statements(statements, insertVariants), insertLevels)
	return events.statements(movements.statements(statements, insertMovements), insertEvents)
}

// nextBlock is the next range of up to 5,000 seeded products and a value that differs from the last one of that range.
func (y *baselineRun) nextBlock() (first, end int, value int64) {
	request := int(y.serial.Add(1))
	blocks := (y.skus + limits.MaxUpdates - 1) / limits.MaxUpdates
	first = request % blocks * limits.MaxUpdates
	return first, min(first+limits.MaxUpdates, y.skus), int64(request%100_000 + 1)
}

func baselinePrices(_ *campaign, y *baselineRun, _ int) func() (int, error) {
	return func() (int, error) {
		first, end, value := y.nextBlock()
		var prices, events rows
		now := nowMicros()
		for n := first; n < end; n++ {
			prices.add(baselineTenant, skuOf(n), value*100, now)
			events.addEvent("product.updated", skuOf(n), shortPayload, now)
		}
		return end - first, y.write(events.statements(prices.statements(nil, updatePrices), insertEvents))
	}
}

func baselineStock(_ *campaign, y *baselineRun, _ int) func() (int, error) {
	return func() (int, error) {
		first, end, value := y.nextBlock()
		var levels, movements, events rows
		now := nowMicros()
		for n := first; n < end; n++ {
			levels.add(baselineTenant, skuOf(n), "MAIN", value, now)
			movements.add(baselineTenant, skuOf(n), "MAIN", "import", value, now)
			events.addEvent("stock.updated", skuOf(n), shortPayload, now)
		}
		statements := movements.statements(levels.statements(nil, updateLevels), insertMovements)
		return end - first, y.write(events.statements(statements, insertEvents))
	}
}

// baselineProductFeed reads all products page by page in the order of their stamps, then starts again.
func baselineProductFeed(_ *campaign, y *baselineRun, _ int) func() (int, error) {
	var since int64
	return func() (int, error) {
		count, last := 0, since
		err := y.read("SELECT id, sku, name, status, price, compare_at_price, changed_at FROM products "+
			"WHERE tenant_id = $1 AND changed_at >= $2 ORDER BY changed_at LIMIT 1000", []any{baselineTenant, since},
			func(scan func(...any) error) error {
				var id, sku, name, status string
				var price int64
				var compareAt *int64
				count++
				return scan(&id, &sku, &name, &status, &price, &compareAt, &last)
			})
		since = afterPage(count, last)
		return count, err
	}
}

// baselineInventoryFeed does the same for stock levels.
func baselineInventoryFeed(_ *campaign, y *baselineRun, _ int) func() (int, error) {
	var since int64
	return func() (int, error) {
		count, last := 0, since
		err := y.read("SELECT sku, warehouse, on_hand, reserved, changed_at FROM levels "+
			"WHERE tenant_id = $1 AND changed_at >= $2 ORDER BY changed_at LIMIT 1000", []any{baselineTenant, since},
			func(scan func(...any) error) error {
				var sku, warehouse string
				var onHand, reserved int64
				count++
				return scan(&sku, &warehouse, &onHand, &reserved, &last)
			})
		since = afterPage(count, last)
		return count, err
	}
}

// afterPage is the stamp from which the next page of a feed starts: after the last entry, or from the beginning if the
// page was not full.
func afterPage(count int, last int64) int64 {
	if count < 1000 {
		return 0
	}
	return last + 1
}
