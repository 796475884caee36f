package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"

	"entrepot/internal/importer/client"
)

// movedCategories are categories of another store as "entrepot export categories" wrote them. Each keeps its
// externalId; one without gets its former id as externalId, so that the products of that store can name it here.
type movedCategories struct {
	list       []client.Category
	externalID map[string]string // by former id
}

// exportedCategory is the part of a category's read form that is imported (interface §2.7.3).
type exportedCategory struct {
	ID               string `json:"id"`
	ExternalID       string `json:"externalId"`
	Name             string `json:"name"`
	Slug             string `json:"slug"`
	ParentID         string `json:"parentId"`
	ParentExternalID string `json:"parentExternalId"` // also of a parent that does not exist yet
}

// readCategories reads a file of categories for products that export wrote; nil without a file.
func readCategories(path string, exported bool) (*movedCategories, error) {
	if path == "" {
		return nil, nil
	}
	if !exported {
		return nil, wrongCall("--categories is for products that entrepot export wrote, without --map and --set")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, wrongCall("--categories: %v", err)
	}
	defer file.Close()
	var read []exportedCategory
	for values := json.NewDecoder(file); ; {
		var c exportedCategory
		err := values.Decode(&c)
		if errors.Is(err, io.EOF) {
			return moveCategories(read), nil
		}
		if err == nil && (c.ID == "" || c.Name == "") {
			err = errors.New("it has no id or no name")
		}
		if err != nil {
			return nil, wrongCall("%s: behind %d categories there is something else than entrepot export writes: %v", path, len(read), err)
		}
		read = append(read, c)
	}
}

// moveCategories puts parents before their children, as the import of categories wants them to link them at once.
func moveCategories(read []exportedCategory) *movedCategories {
	m := &movedCategories{externalID: make(map[string]string, len(read))}
	waiting := make(map[string]exportedCategory, len(read))
	for _, c := range read {
		m.externalID[c.ID] = cmp.Or(c.ExternalID, c.ID)
		waiting[c.ID] = c
	}
	var add func(id string)
	add = func(id string) {
		c, there := waiting[id]
		if !there {
			return
		}
		delete(waiting, id)
		add(c.ParentID)
		one := client.Category{ExternalID: m.externalID[id], Name: c.Name, Slug: c.Slug}
		if parent := cmp.Or(m.externalID[c.ParentID], c.ParentExternalID); parent != "" {
			one.ParentExternalID = &parent
		}
		m.list = append(m.list, one)
	}
	for _, c := range read {
		add(c.ID)
	}
	return m
}

// references are the categories of a product as products name them here: by externalId where they were moved.
func (m *movedCategories) references(ids []string) []string {
	if m == nil {
		return ids
	}
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = cmp.Or(m.externalID[id], id)
	}
	return list
}
