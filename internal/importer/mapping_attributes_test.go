package importer

import (
	"encoding/json"
	"fmt"
	"testing"
)

// What shop exports say of a product beside its fields becomes attributes; columns that are left out
// are named, unless they are blank throughout.
func TestAttributesAndColumnsLeftOut(t *testing.T) {
	for name, test := range map[string]struct {
		text, sku, want, left string
	}{
		"plain": {
			text: "sku,name,price,Brand,Tags,Colour,Year,Empty\nA,a,5,Acme,\"x,y\",red,1999,\nB,b,6,,,,,\n",
			sku:  "A", want: `{"brand":"Acme","colour":"red","tags":"x,y"}`, left: "[Year]",
		},
		"variants of a plain file": {
			text: "sku,name,price,parent,brand,color,ean\nF,f,5,,Acme,,\nF-1,f1,5,F,Acme,red,111\nF-2,f2,5,F,,blue,222\n",
			sku:  "F", want: `{"brand":"Acme"} F-1 {"color":"red","ean":"111"} F-2 {"color":"blue","ean":"222"}`, left: "[]",
		},
		"variants without a row of their product": {
			text: "sku,name,price,parent,brand,color\nF-1,f1,5,F,Acme,red\nF-2,f2,5,F,Acme,blue\n",
			sku:  "F", want: `{"brand":"Acme"} F-1 {"color":"red"} F-2 {"color":"blue"}`, left: "[]",
		},
		"shopify": {
			text: "Handle,Title,Vendor,Product Category,Type,Tags,Option1 Name,Option1 Value,Variant SKU,Variant Grams,Variant Price,Variant " +
				"Barcode," +
				"Variant Taxable,SEO Title,Flavor (product.metafields.shopify.flavor)\n" +
				"tea,Tea,Leaf,Food > Tea,Green tea,\"hot, new\",Size,S,T-S,50,4.00,111,true,,mint\n" +
				"tea,,,,,,,L,T-L,200,9.00,222,true,,\n",
			sku: "tea",
			want: `{"flavor":"mint","tags":"hot, new","type":"Green tea","vendor":"Leaf"} T-S {"Size":"S","barcode":"111",` +
				`"grams":"50"} T-L {"Size":"L","barcode":"222","grams":"200"}`,
			left: "[Variant Taxable]",
		},
		"woocommerce": {
			text: "ID,Type,SKU,Name,Regular price,Tags,Brands,Weight (kg),Tax status,Parent,Attribute 1 name,Attribute 1 value(s),Attribute 2 " +
				"name,Attribute 2 value(s)\n" +
				"1,variable,W,w,,new,Loom,0.5,taxable,,Size,\"S, M\",Material,Wool\n" +
				"2,variation,W-S,w,5.00,,,0.4,taxable,W,Size,S,,\n",
			sku: "W", want: `{"Material":"Wool","brand":"Loom","tags":"new","weight":"0.5 kg"} W-S {"Size":"S","weight":"0.4 kg"}`,
			left: "[Tax status]",
		},
		"magento": {
			text: "sku,product_type,attribute_set_code,name,price,weight,tax_class_name,additional_attributes,configurable_variations\n" +
				"H-S,simple,Top,h,5.00,1.000000,Goods,\"color=Red,size=S,material=Cotton, washed|Hemp\",\n" +
				"H,configurable,Top,h,5.00,1.000000,Goods,\"material=Cotton, washed|Hemp,empty=\",\"sku=H-S,size=S\"\n",
			sku: "H", want: `{"material":"Cotton, washed|Hemp","weight":"1.000000"} H-S {"color":"Red","size":"S"}`,
			left: "[attribute_set_code tax_class_name]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			fake, c := service(t)
			s := run(t, Options{Kind: Products, File: write(t, test.text), To: c})
			p := fake.products[test.sku]
			if p == nil {
				t.Fatalf("no product %s: %+v", test.sku, s)
			}
			got := members(p.Attributes)
			for _, v := range p.Variants {
				got += " " + v.SKU + " " + members(v.Attributes)
			}
			if got != test.want || fmt.Sprint(s.NotImported) != test.left {
				t.Errorf("%s, left out %v\nwant %s, %s", got, s.NotImported, test.want, test.left)
			}
		})
	}
}

func members(attributes map[string]string) string {
	text, err := json.Marshal(attributes) // in the order of the names
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A variant without a SKU gets one that no other variant of its product has, wherever in the file that is.
func TestDerivedSKUsAreFree(t *testing.T) {
	for name, text := range map[string]string{
		"shopify": "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\ntea,Tea,Size,S,,4\ntea,,,M,tea-s,5\n",
		"woocommerce": "ID,Type,SKU,Name,Regular price,Parent,Attribute 1 name,Attribute 1 value(s)\n1,variable,tea,Tea,,,Size,\"S, M\"\n" +
			"2,variation,,Tea,4.00,tea,Size,S\n3,variation,tea-s,Tea,5.00,tea,Size,M\n",
	} {
		fake, c := service(t)
		s := run(t, Options{Kind: Products, File: write(t, text), To: c})
		p := fake.products["tea"]
		if p == nil || len(p.Variants) != 2 || p.Variants[0].SKU != "tea-s-2" || p.Variants[1].SKU != "tea-s" {
			t.Errorf("%s: %+v, %+v", name, p, s)
		}
	}
}
