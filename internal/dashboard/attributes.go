package dashboard

import (
	"strings"

	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
)

// attributeRoutes are the pages of attributes, by which products are described.
var attributeRoutes = []*route{
	{method: "GET", path: "/attributes", scope: "read:attributes", serve: (*Dashboard).listAttributes},
	{method: "POST", path: "/attributes", scope: "write:attributes", serve: (*Dashboard).createAttribute},
	{method: "GET", path: "/attributes/{id}", scope: "write:attributes", serve: (*Dashboard).editAttribute},
	{method: "POST", path: "/attributes/{id}", scope: "write:attributes", serve: on((*request).attributeOf, (*Dashboard).updateAttribute)},
	{method: "POST", path: "/attributes/{id}/delete", scope: "write:attributes", serve: on((*request).attributeOf, (*Dashboard).deleteAttribute)},
}

const attributesPath = "/attributes"

// attributeWords are people's words for the kinds of values.
var attributeWords = map[catalog.AttributeType]string{"text": "Text", "number": "Number", "boolean": "Yes or no", "date": "Date",
	catalog.Select: "One of some choices"}

func attributeForm(r *request, path string, a catalog.Attribute) *form {
	kind := field{Name: "type", Label: "Kind of value", Kind: "select", Value: string(a.Type), Required: true}
	for _, t := range catalog.AttributeTypes {
		kind.Options = append(kind.Options, option{Value: string(t), Label: attributeWords[t]})
	}
	return r.editing(
		path,
		field{Name: "label", Label: "Label", Value: a.Label, Required: true},
		field{
			Name:     "code",
			Unique:   true,
			Label:    "Code",
			Value:    a.Code,
			Required: true,
			Mono:     true,
			Max:      limits.MaxAttributeCode,
			Hint:     "what files and the API call it, for example material",
		},
		kind,
		field{Name: "lines", Label: "Choices, one on each line", Kind: "textarea", Value: strings.Join(a.Options, "\n"),
			Hint: "only for one of some choices"},
	)
}

// readAttributeForm reads the form; the options are the lines of one input.
func readAttributeForm(f *form, to drafts.Purpose) (commerce.AttributeDraft, error) {
	o := f.Object()
	draft := drafts.ReadAttribute(o, to)
	options := []string{}
	for line := range strings.Lines(f.Value("lines")) {
		if line = strings.TrimSpace(line); line != "" {
			options = append(options, line)
		}
	}
	if len(options) > 0 || to == drafts.ToUpdate {
		draft.Options = patch.To(options)
	}
	return draft, o.Err()
}

// listAttributes serves GET /attributes.
func (d *Dashboard) listAttributes(r *request) (answer, error) {
	return d.attributeScreen(r, catalog.Attribute{})
}

func (d *Dashboard) attributeScreen(r *request, at catalog.Attribute) (answer, error) {
	view := editorView{
		listing: r.listing(attributesPath, "attribute", "attributes"),
		Scope:   "write:attributes",
		Head:    "New attribute",
		Label:   "Create",
	}
	view.Heads = []head{{Label: "Label"}, {Label: "Code"}, {Label: "Values"}}
	if at.ID == "" {
		view.Form = attributeForm(r, attributesPath, at)
	} else {
		home := attributesPath + "/" + string(at.ID)
		gone := newAsk("delete-attribute", r.say("Delete %s?", at.Label), "Products keep the values that they have.", "Delete it",
			r.form(home+"/delete"))
		view.Head, view.Label, view.Form, view.Back, view.Delete = at.Label, "Save", attributeForm(r, home, at), prefix+attributesPath, &gone
	}
	err := r.read(func(tx *db.Tx) error {
		list, _, err := catalog.ListAttributes(tx, maxChoices, 0)
		for _, a := range list {
			values := attributeWords[a.Type]
			if len(a.Options) > 0 {
				values = strings.Join(a.Options, ", ")
			}
			view.Rows = append(view.Rows, editorRow{ID: string(a.ID), To: prefix + attributesPath + "/" + string(a.ID), Name: a.Label,
				At: a.ID == at.ID, Cells: []string{a.Code, values}})
		}
		if len(list) == 0 {
			view.Empty = new(r.firstStep("write:attributes", empty{Icon: "list", Head: "No attributes yet",
				Text:  "An attribute is what products have values of: colour, size, care.",
				Label: "New attribute", To: "#editor", Curl: r.curl("write:attributes", "POST", "/attributes", `{"code":"colour","label":"Colour","type":"text"}`)}))
		}
		return err
	})
	return show(
		screen{Template: "editor", Title: "Attributes", Section: "/products", Crumbs: []crumb{{"Products", "/products"}}, Data: view},
	), err
}

// attributeOf reads the attribute of the path. Errors: NotFound.
func (r *request) attributeOf() (catalog.Attribute, error) {
	return recordOf(r, "attribute", catalog.AttributeByID)
}

// editAttribute serves GET /attributes/{id}.
func (d *Dashboard) editAttribute(r *request) (answer, error) {
	a, err := r.attributeOf()
	if err != nil {
		return answer{}, err
	}
	return d.attributeScreen(r, a)
}

// createAttribute serves POST /attributes.
func (d *Dashboard) createAttribute(r *request) (answer, error) {
	return r.submit(attributeForm(r, attributesPath, catalog.Attribute{}), d.listAttributes, func(f *form) (answer, error) {
		draft, err := readAttributeForm(f, drafts.ToCreate)
		if err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			a, err := d.Commerce.CreateAttribute(tx, r.caller(), draft)
			return redirect(attributesPath, r.say("Created %s", a.Code)), err
		})
	})
}

// updateAttribute serves POST /attributes/{id}.
func (d *Dashboard) updateAttribute(r *request, a catalog.Attribute) (answer, error) {
	return r.submit(attributeForm(r, attributesPath+"/"+string(a.ID), a), d.editAttribute, func(f *form) (answer, error) {
		draft, err := readAttributeForm(f, drafts.ToUpdate)
		if err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.UpdateAttribute(tx, r.caller(), a.ID, commerce.Expected{}, draft)
			return redirect(attributesPath, r.say("Saved %s", a.Code)), err
		})
	})
}

// deleteAttribute serves POST /attributes/{id}/delete.
func (d *Dashboard) deleteAttribute(r *request, a catalog.Attribute) (answer, error) {
	return d.write(r, func(tx *db.Tx) (answer, error) {
		return redirect(attributesPath, r.say("Deleted %s", a.Code)), d.Commerce.DeleteAttribute(tx, r.caller(), a.ID, commerce.Expected{})
	})
}
