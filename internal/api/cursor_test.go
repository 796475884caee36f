package api

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
)

// Who follows the cursor of a list gets each record that stays once, in the order of the list, whatever is created and deleted behind.
func TestCursorsMissNothing(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		till := id.New[id.Channel]()
		s.write(s.tenant, func(tx *db.Tx) error {
			channels.Channel{ID: till, Name: "Till", Platform: channels.Custom, Oversell: "allow", Status: channels.Active,
				Settings: "{}"}.Insert(tx)
			return nil
		})
		channel := string(till)
		category := text(s.must(t, 201, "POST", "/api/v1/categories", item{"externalId": "all", "name": "m"}), "data", "id")
		for i := range 9 {
			sku := fmt.Sprintf("cup %c", 'a'+i)
			s.must(t, 201, "POST", "/api/v1/products", item{"sku": sku, "name": "Cup", "price": 9 - i, "categoryIds": []string{"all"},
				"status": []string{"ACTIVE", "DRAFT"}[i%2], "stock": item{"quantity": 1}})
			s.must(t, 201, "POST", "/api/v1/categories", item{"externalId": sku, "name": "Cup é"[:4+2*(i%2)], "parentExternalId": "all"})
			s.must(t, 201, "POST", "/api/v1/customers", item{"email": fmt.Sprint(i, "@cup.example"), "tags": []string{"cup"}})
			s.must(t, 200, "PATCH", "/api/v1/sdk/inventory/bulk-update",
				item{"updates": []item{{"sku": sku, "warehouseCode": "É", "quantity": i}}})
			s.must(t, 200, "POST", "/api/v1/channels/"+channel+"/publications", item{"skus": []string{sku}})
		}
		segment := text(s.must(t, 201, "POST", "/api/v1/segments", item{"name": "All", "rules": item{"tagsAny": []string{"cup"}}}), "data", "id")
		for _, list := range []string{
			"products?", "products?sort=createdAt:asc", "products?status=DRAFT,ACTIVE&sort=createdAt", "products?search=cup",
			"products?search=cup&status=DRAFT,ACTIVE", "products?categoryId=" + category,
			"products?categoryId=" + category + "&channelId=" + channel,
			"products?channelId=" + channel + "&status=ACTIVE,DRAFT&sort=createdAt:asc",
			"categories?", "categories?search=CUP", "categories?parentId=" + category,
			"customers?", "customers?tag=cup", "customers?search=cup.", "customers?search=cup&tag=cup", "customers?segmentId=" + segment,
			"inventory?", "inventory?warehouseCode=" + url.QueryEscape("É"), "inventory?search=cup",
		} {
			t.Run(list, func(t *testing.T) { s.followsCursor(t, "/api/v1/"+list) })
		}
		for _, path := range []string{"products?sort=name&limit=1", "products?limit=250"} {
			if next := at(s.must(t, 200, "GET", "/api/v1/"+path, nil), "meta", "nextCursor"); next != nil {
				t.Errorf("%s has the cursor %v", path, next)
			}
		}
		lists := []string{"products", "customers", "categories", "inventory"}
		for i, list := range lists {
			s.must(t, 400, "GET", "/api/v1/"+list+"?cursor=x", nil)
			other := text(s.must(t, 200, "GET", "/api/v1/"+lists[(i+1)%len(lists)]+"?limit=1", nil), "meta", "nextCursor")
			s.must(t, 400, "GET", "/api/v1/"+list+"?cursor="+other, nil)
		}
	})
}

// followsCursor reads a list by pages of two while its first record is deleted and another is created, and compares it with the list as
// it was: what is deleted when its page was read must not shift the others.
func (s *server) followsCursor(t *testing.T, path string) {
	whole := s.must(t, 200, "GET", path+"&limit=100", nil)
	var want, got []string
	for i := range at(whole, "data").([]any) {
		want = append(want, text(whole, "data", i, "id"))
	}
	made := ""
	for cursor := ""; ; {
		page := s.must(t, 200, "GET", path+"&limit=2&cursor="+cursor, nil)
		for i := range at(page, "data").([]any) {
			got = append(got, text(page, "data", i, "id"))
		}
		switch n := len(want); { // a product that is created and deleted takes its level with it
		case made == "":
			made = text(s.must(t, 201, "POST", "/api/v1/products", item{"sku": "cup 0", "name": "Cup", "price": 1, "stock": item{"quantity": 1}}),
				"data", "id")
			if total := number(page, "meta", "total"); total != fmt.Sprint(n) {
				t.Errorf("the total is %s, not %d", total, n)
			}
		case len(got) == 4:
			s.must(t, 200, "DELETE", "/api/v1/products/"+made, nil)
		}
		next, more := at(page, "meta", "nextCursor").(string)
		if !more || len(got) > len(want)+4 {
			break
		}
		cursor = next
	}
	got = slices.DeleteFunc(got, func(id string) bool { return id == made || !slices.Contains(want, id) })
	if !slices.Equal(got, want) {
		t.Errorf("by its cursor\n%v\nas a whole\n%v", got, want)
	}
}
