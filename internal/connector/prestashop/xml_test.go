package prestashop

import "testing"

// The shop writes texts into its answers as they are: one with the end of a section in it keeps no others out.
func TestTextsWithTheEndOfASection(t *testing.T) {
	doc, err := parse([]byte(`<?xml version="1.0"?><prestashop><orders><order><note><![CDATA[a ]]> b ]]><c]]></note><id><![CDATA[7]]></id>` +
		`<address><![CDATA[]]></address></order></orders></prestashop>`))
	if err != nil {
		t.Fatal(err)
	}
	order := doc.at("orders", "order")
	if order.get("note") != "a ]]> b ]]><c" || order.get("id") != "7" || order.get("address") != "" {
		t.Errorf("%q %q", order.get("note"), order.get("id"))
	}
}
