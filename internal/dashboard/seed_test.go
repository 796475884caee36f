package dashboard

import (
	"strings"

	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/stock"
)

// seed fills the account with a little of everything, and notes ids of it for the addresses of pages.
func (s *site) seed() {
	s.samples = map[string]string{}
	s.seedCatalog()
	s.seedOrders()
	s.seedWork()
	s.seedIntegrations()
	s.seedImports()
	s.samples["/connect"] = string(s.unfinishedChannel("Paris shop").ID)
	s.samples["/exports"] = s.seedExport()
}

// seedCatalog makes products, stock, customers and segments.
func (s *site) seedCatalog() {
	shop := s.channel("atelier-lumen.fr")
	mug := s.product(`{"sku":"MUG-BLUE","name":"Blue mug","price":12.5,"compareAtPrice":15,"description":"Holds tea.","stock":{"quantity":7},
		"variants":[{"sku":"MUG-BLUE-S","name":"Small","price":10,"stock":3},{"sku":"MUG-BLUE-L","name":"Large"}],"categoryIds":["mugs"],
		"attributes":{"material":"stoneware"}}`)
	s.product(`{"sku":"POT-4","name":"Cast-iron pot, 4 l","price":89,"status":"DRAFT","stock":{"quantity":2}}`)
	s.product(`{"sku":"HOSTILE","price":1,"status":"ARCHIVED",
		"name":"<script>alert(1)</script> ` + "\u202e" + strings.Repeat("long ", 40) + `"}`)
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		d := s.Commerce
		kitchen, err := d.CreateCategory(tx, catalog.CategoryDraft{Name: patch.To("Kitchen")})
		if err != nil {
			return err
		}
		s.samples["/categories"] = string(kitchen.ID)
		mugs := catalog.CategoryDraft{Name: patch.To("Mugs"), ExternalID: patch.To("mugs"), Parent: patch.To(kitchen.ID)}
		if _, err = d.CreateCategory(tx, mugs); err != nil {
			return err
		}
		a, err := d.CreateAttribute(tx, s.caller(), commerce.AttributeDraft{Code: patch.To("material"), Label: patch.To("Material"),
			Type: patch.To[catalog.AttributeType]("text")})
		if err != nil {
			return err
		}
		w, err := d.CreateWarehouse(tx, s.caller(), commerce.WarehouseDraft{Code: patch.To("EAST"), Name: patch.To("Depot east")})
		if err != nil {
			return err
		}
		least := int64(1)
		segment := d.CreateSegment(tx, s.caller(), "Regulars", customers.Rules{TagsAny: []string{"vip"}, MinOrders: &least, Country: "FR"})
		s.samples["/attributes"], s.samples["/stock/warehouses"], s.samples["/segments"] = string(a.ID), string(w.ID), string(segment.ID)
		audit.Record(tx, s.caller().Actor(), "import.begun", "import", nobodys, nil) // of a record without a name
		_, err = d.MoveStock(tx, s.caller(), commerce.Movement{SKU: "POT-4", Cause: stock.Adjustment, Quantity: -5,
			Reason: "broken in the depot"})
		return err
	})
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		_, err := s.Commerce.PublishProducts(tx, shop.ID, []id.Product{mug.ID}, nil)
		return err
	})
	ada := s.customer("ada@example.com", "Lovelace", "vip", "b2b")
	s.customer("bob@example.com", "Byron")
	s.order(ada, "MUG-BLUE")
	s.samples["/products"], s.samples["/customers"] = string(mug.ID), string(ada)
	s.samples["/stock"], s.samples["/stock/-"] = "MUG-BLUE", "MUG-BLUE"
}
