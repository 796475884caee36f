package importer

import (
	"regexp"
	"strings"
	"unicode"
)

// Shops name columns in the language of their back office. These tables have the names of German, French, Spanish and
// Dutch shops, as headerKey writes them, with the English name of the column.

var wooWords = words(`
	SKU: artikelnummer artikelnr ugs referencia
	Type: typ tipo
	Name: nom nombre naam
	Published: veroffentlicht publie publicado gepubliceerd
	Short description: kurzbeschreibung descriptioncourte descripcioncorta kortebeschrijving
	Description: beschreibung descripcion beschrijving
	Regular price: regularerpreis tarifregulier prixregulier precionormal precioregular reguliereprijs normaleprijs
	Sale price: angebotspreis tarifpromo prixpromo preciorebajado preciodeoferta actieprijs aanbiedingsprijs
	Date sale price starts: datumandemangebotspreisbeginnt startdatumdesangebotspreises datededebutdepromo datededebutdelapromo
		diaenqueempiezaelpreciorebajado fechadeiniciodelpreciorebajado datumactieprijsbegint startdatumactieprijs datumbeginactieprijs
		datumwaaropactieprijsbegint
	Date sale price ends: datumandemangebotspreisendet enddatumdesangebotspreises datedefindepromo datedefindelapromo
		diaenqueterminaelpreciorebajado fechadefindelpreciorebajado datumactieprijseindigt einddatumactieprijs datumeindeactieprijs
		datumwaaropactieprijseindigt
	Stock: lager lagerbestand bestand inventario existencias voorraad
	Categories: kategorien categories categorias categorieen
	Tags: schlagworter schlagworte etiquettes etiquetas
	Images: bilder imagenes afbeeldingen
	Brands: marken marques marcas merken
	Parent: ubergeordnet ubergeordnetesprodukt superior bovenliggend hoofdproduct hoofd
	GTIN, UPC, EAN, or ISBN: gtinupceanoderisbn gtinupceanouisbn gtinupceanoisbn gtinupceanofisbn
	Weight: gewicht poids peso
	Length: lange longueur longitud lengte
	Width: breite largeur anchura ancho breedte
	Height: hohe hauteur altura hoogte`)

var prestashopWords = words(`
	Product ID: produktid idproduit iddeproducto productid
	Name: nom nombre naam
	Reference: artikelnr artikelnummer reference referencia referentie bestellnummer
	Category: kategorie categorie categoria
	Price (tax excl.): preiszzglmwst preisohnemwst preisohnesteuern preisnetto prixht prixhtva precioimpexcl preciosinimpuestos precioivaexcl
		prijsexclbtw prijszonderbtw prijsexclusiefbtw
	Price (tax incl.): preisinklmwst preisbrutto prixttc precioimpincl prijsinclbtw
	Quantity: menge anzahl quantite cantidad aantal hoeveelheid
	Status: status etat estado staat
	Image: bild image imagen afbeelding
	Position: position posicion positie
	Description: beschreibung descripcion beschrijving
	Short description: kurzbeschreibung descriptioncourte resume descripcioncorta kortebeschrijving samenvatting`)

// words reads a table of English names and their translations.
func words(table string) map[string]string {
	list, english := map[string]string{}, ""
	for _, word := range strings.FieldsFunc(table, func(r rune) bool { return r == '\n' || r == '\t' }) {
		if name, rest, found := strings.Cut(word, ": "); found {
			english, word = name, rest
		}
		for key := range strings.FieldsSeq(word) {
			list[key] = english
		}
	}
	return list
}

// headerKey is the letters and digits of a column's name, small and without accents.
func headerKey(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, withoutAccents(name))
}

var (
	unitOf      = regexp.MustCompile(`^(.*\S)\s*(\([^()]+\))$`) // "Gewicht (kg)"
	attributeOf = regexp.MustCompile(`^(.*?)(?:attribut|atributo|attribuut|eigenschap)(?:en|s|o)?(.*?)(\d+)(.*)$`)
)

// english is the header with the English names of a format's columns instead of those of another language.
func (f format) english(header []string) []string {
	names := make([]string, len(header))
	for i, name := range header {
		names[i] = name
		key := headerKey(name)
		switch m := unitOf.FindStringSubmatch(name); {
		case f.words[key] != "":
			names[i] = f.words[key]
		case m != nil && f.words[headerKey(m[1])] != "":
			names[i] = f.words[headerKey(m[1])] + " " + m[2]
		case f.name == "woocommerce":
			names[i] = wooAttribute(key, name)
		}
	}
	return names
}

// wooAttribute is the English name of a column of an attribute: "Nombre del atributo 1", "Attribut 1 Wert(e)". Other
// names stay.
func wooAttribute(key, name string) string {
	m := attributeOf.FindStringSubmatch(key)
	if m == nil {
		return name
	}
	part := "visible" // or global, or default, which nobody reads
	switch rest := m[1] + m[2] + m[4]; {
	case strings.Contains(rest, "wert"), strings.Contains(rest, "valeur"), strings.Contains(rest, "valor"), strings.Contains(rest, "waarde"):
		part = "value(s)"
	case strings.Contains(rest, "name"), strings.Contains(rest, "nom"), strings.Contains(rest, "naam"):
		part = "name"
	case strings.Contains(rest, "global"), strings.Contains(rest, "globaal"):
		part = "global"
	case strings.Contains(rest, "stand"), strings.Contains(rest, "defaut"), strings.Contains(rest, "defecto"),
		strings.Contains(rest, "default"):
		part = "default"
	}
	return "Attribute " + m[3] + " " + part
}
