package importer

import (
	"testing"
	"time"
)

// A sale price is the price only while it holds; what is left out is noted. made's clock shows 1 June 2026.
func TestSalesHoldToday(t *testing.T) {
	got := made(t, Options{Kind: Products, File: write(t, "ID,Type,SKU,Name,Date sale price starts,Date sale price ends,"+
		"Sale price,Regular price,Description\n"+
		"1,simple,COME,A,2026-06-02,2026-06-30,60,100,\"One\\nTwo \\\\n three\"\n"+
		"2,simple,OVER,A,2020-01-01,2026-05-31,60,100,\n"+
		"3,simple,RUNS,A,2026-06-01,2026-06-01,60,100,\n"+
		"4,simple,OPEN,A,,,60,100,\n"+
		"5,simple,ODD,A,soon,,60,100,\n"+
		"6,simple,ONLY,A,2027-01-01,,60,,\n")})
	contains(t, "WooCommerce", got, []string{`{"sku":"COME","name":"A","price":100,"compareAtPrice":null`, `"One\nTwo \\n three"`,
		`{"sku":"OVER","name":"A","price":100,"compareAtPrice":null`, `{"sku":"RUNS","name":"A","price":60,"compareAtPrice":100`,
		`{"sku":"OPEN","name":"A","price":60,"compareAtPrice":100`, `{"sku":"ODD","name":"A","price":100`,
		"note row 1 (0) COME [salePrice] sale_not_today", "note row 2 (0) OVER [salePrice] sale_not_today",
		"note row 5 (0) ODD [salePrice] sale_not_today",
		"note row 3 (0) RUNS [salePrice] special_price_ends", "refused row 6 (1) ONLY [salePrice]"}, nil)
	got = made(t, Options{Kind: Products, File: write(t, "sku,product_type,attribute_set_code,name,price,special_price,"+
		"special_price_from_date,special_price_to_date\n"+
		"A,simple,Default,A,100,60,5/1/26,6/30/26\nB,simple,Default,B,100,60,\"7/1/26, 12:00 AM\",\nC,simple,Default,C,100,60,,6/5/26\n")})
	contains(t, "Magento", got, []string{`{"sku":"A","name":"A","price":60,`, `{"sku":"B","name":"B","price":100,`,
		`{"sku":"C","name":"C","price":100,`}, nil) // 5 June or 6 May: not certain
	got = made(t, Options{Kind: Products, File: write(t, "item_sku,item_name,standard_price,sale_price,sale_from_date,sale_end_date\n"+
		"A,A,100,60,2026-01-01,2026-12-31\nB,B,100,60,2027-01-01,2027-12-31\n")})
	contains(t, "Amazon", got, []string{`{"sku":"A","name":"A","price":60,`, `{"sku":"B","name":"B","price":100,`}, nil)
	got = made(t, Options{Kind: Products, File: write(t, "sku,name,price,sale price,sale price effective date\n"+
		"A,A,100,60,2026-05-01T00:00+0100/2026-07-01T00:00+0100\nB,B,100,60,2025-05-01T00:00+0100/2025-07-01T00:00+0100\n")})
	contains(t, "Google", got, []string{`{"sku":"A","name":"A","price":60,`, `{"sku":"B","name":"B","price":100,`}, nil)
}

func TestSpansOfSales(t *testing.T) {
	s := saleDates{now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC), zone: time.UTC}
	for span, want := range map[[2]string]bool{
		{"", ""}: true, {"0000-00-00", "0000-00-00 00:00:00"}: true, {"2026-06-01", ""}: true, {"", "2026-06-01"}: true,
		{"", "2026-06-01 11:00"}: false, {"2026-06-01 13:00", ""}: false, {"1/6/2026", ""}: true, {"2/6/2026", ""}: false,
		{"6/1/2026", "6/1/2026"}: false, {"", "later"}: false, {"46174", ""}: true, {"46175", ""}: false,
	} {
		if holds, why := s.holds([]byte(span[0]), []byte(span[1])); holds != want {
			t.Errorf("%q: %v, %s", span, holds, why)
		}
	}
}

// What a person maps is what counts, also where a shop's format has columns of its own, and whichever way round it is written.
func TestMappingsPrevailOverFormats(t *testing.T) {
	woo := "ID,Type,SKU,Name,Regular price,EAN,Parent,Attribute 1 name,Attribute 1 value(s)\n" +
		"1,variable,W,Shirt,10,E-1,,Size,\"S, M\"\n2,variation,W-S,Shirt,11,E-2,E-1,Size,S\n"
	for _, flag := range []string{"EAN=sku", "sku=EAN"} {
		got := made(t, Options{Kind: Products, Format: "woocommerce", File: write(t, woo), Map: []string{flag}})
		contains(t, flag, got, []string{"sku ← EAN", `{"sku":"E-1","name":"Shirt"`, `"variants":[{"sku":"E-2"`}, []string{`"W-S"`, `"sku":"W"`})
	}
	got := made(t, Options{Kind: Products, Format: "magento", File: write(t, "sku,code,name,price,product_type,attribute_set_code,"+
		"configurable_variations\nM-1,C-1,Shirt,10,configurable,D,\"sku=C-2,size=S\"\nM-2,C-2,Shirt,11,simple,D,\n"), Map: []string{"code=sku"}})
	contains(t, "magento", got, []string{`{"sku":"C-1"`, `"variants":[{"sku":"C-2"`}, []string{`"M-1"`})
	got = made(t, Options{Kind: Products, Format: "shopify", File: write(t, "Handle,Title,Variant SKU,Variant Price,Family,Colour\n"+
		"a,Shirt,S-1,10,F-1,Red\nb,Shirt,S-2,11,F-1,Blue\n"), Map: []string{"Family=parent", "Colour=option.Color"}})
	contains(t, "shopify", got, []string{`{"sku":"F-1"`, `{"sku":"S-1","name":"Shirt - Red"`, `"attributes":{"Color":"Blue"}`}, nil)
}

// Shops write the names of their columns in their own language.
func TestFormatsInOtherLanguages(t *testing.T) {
	for name, text := range map[string]string{
		"German": "ID,Typ,Artikelnummer,Name,Veröffentlicht,Kurzbeschreibung,Beschreibung,\"Datum, an dem Angebotspreis beginnt\"," +
			"\"Datum, an dem Angebotspreis endet\",Lager,Gewicht (kg),Angebotspreis,Regulärer Preis,Kategorien,Schlagwörter,Bilder," +
			"Übergeordnetes Produkt,Attribut 1 Name,Attribut 1 Wert(e),Attribut 1 Sichtbar",
		"French": "ID,Type,UGS,Nom,Publié,Description courte,Description,Date de début de promo,Date de fin de promo,Stock,Poids (kg)," +
			"Tarif promo,Tarif régulier,Catégories,Étiquettes,Images,Parent,Nom de l’attribut 1,Valeur(s) de l’attribut 1,Attribut 1 visible",
		"Spanish": "ID,Tipo,SKU,Nombre,Publicado,Descripción corta,Descripción,Día en que empieza el precio rebajado," +
			"Día en que termina el precio rebajado,Inventario,Peso (kg),Precio rebajado,Precio normal,Categorías,Etiquetas,Imágenes,Superior," +
			"Nombre del atributo 1,Valor(es) del atributo 1,Atributo visible 1",
		"Dutch": "ID,Type,SKU,Naam,Gepubliceerd,Korte beschrijving,Beschrijving,Startdatum actieprijs,Einddatum actieprijs,Voorraad," +
			"Gewicht (kg),Actieprijs,Reguliere prijs,Categorieën,Tags,Afbeeldingen,Hoofd,Attribuut 1 naam," +
			"Attribuut 1 waarde(n),Attribuut 1 zichtbaar",
	} {
		got := made(t, Options{Kind: Products, File: write(t, text+"\n"+
			"21,variable,FR-1,Tasse,1,,Texte,,,,\"0,4\",,\"12,50\",Cuisine,cadeau,https://cdn.example/a.jpg,,Taille,\"S, M\",1\n"+
			"22,variation,FR-1-S,Tasse S,1,,,2099-01-01,,5,,\"9,90\",\"12,50\",,,,FR-1,Taille,S,1\n")})
		contains(t, name, got, []string{"woocommerce", `{"sku":"FR-1","name":"Tasse","price":12.5`,
			`"variants":[{"sku":"FR-1-S","name":"Tasse S","price":12.5`,
			`"stock":5`, `"attributes":{"Taille":"S"}`, "sale_not_today", `"weight":"0,4 kg"`, `"categoryIds":["Cuisine"]`,
			"a.jpg", `"tags":"cadeau"`}, nil)
	}
	for name, text := range map[string]string{
		"German":  "Product ID;Bild;Name;Artikel-Nr.;Kategorie;Preis (zzgl. MwSt.);Preis (inkl. MwSt.);Menge;Status;Position",
		"French":  "Product ID;Image;Nom;Référence;Catégorie;Prix (HT);Prix (TTC);Quantité;État;Position",
		"Spanish": "Product ID;Imagen;Nombre;Referencia;Categoría;Precio (imp. excl.);Precio (imp. incl.);Cantidad;Estado;Posición",
		"Dutch":   "Product ID;Afbeelding;Naam;Referentie;Categorie;Prijs (excl. btw);Prijs (incl. btw);Hoeveelheid;Status;Positie",
	} {
		got := made(t, Options{Kind: Products, File: write(t, text+"\n7;https://cdn.example/a.jpg;Tasse;R-7;Cuisine;10,00;12,00;5;1;0\n")})
		contains(t, "PrestaShop, "+name, got, []string{"prestashop", `{"sku":"R-7","name":"Tasse","price":10`, `"quantity":5`}, nil)
	}
}
