package jsonvalue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"entrepot/internal/base/apperr"
)

// A body costs its values' own size in memory and not a multiple of it, whatever it is made of.
func TestParsingTakesLittleMemory(t *testing.T) {
	if size := reflect.TypeOf(Value{}).Size(); size != ValueSize {
		t.Fatalf("a value has %d bytes, ValueSize says %d", size, ValueSize)
	}
	for name, text := range map[string]string{
		"numbers":       "[" + strings.Repeat("1,", 499_999) + "1]",
		"empty objects": "[" + strings.Repeat("{},", 299_999) + "{}]",
		"updates":       `{"updates":[` + strings.Repeat(`{"sku":"SKU-0001","quantity":5},`, 99_999) + `{"sku":"SKU-0001","quantity":5}]}`,
		"commas":        `["` + strings.Repeat(",", 1<<20) + `"]`,
	} {
		t.Run(name, func(t *testing.T) {
			body := []byte(text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			v, err := Parse(body)
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			allowed := uint64(Weigh(body)*ValueSize + 1<<20)
			if got := after.TotalAlloc - before.TotalAlloc; got > allowed {
				t.Errorf("parsing %d bytes allocated %d, allowed are %d", len(body), got, allowed)
			}
			runtime.KeepAlive(v)
		})
	}
}

// A body with too many values is refused by the bound it is given, before memory is taken for all of them.
func TestValuesAreBoundedByTheCaller(t *testing.T) {
	body := []byte("[" + strings.Repeat("1,", 1<<20) + "1]")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ParseWithin(body, 1000)
	runtime.ReadMemStats(&after)
	if f, ok := apperr.As(err); !ok || f.Code != "too_many_values" {
		t.Fatalf("%v", err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("refusing it allocated %d bytes", got)
	}
	if _, err := ParseWithin([]byte(`{"a":[1,2,3],"b":4}`), 6); err != nil {
		t.Error(err)
	}
	if _, err := ParseWithin([]byte(`{"a":[1,2,3],"b":4}`), 5); err == nil {
		t.Error("six values passed a bound of five")
	}
}

// FuzzParse holds the parser against the standard library's: what both take has the same content.
func FuzzParse(f *testing.F) {
	for _, text := range []string{`{"a":1,"b":[true,false,null,"x\n\"yé"],"":{}}`, ` [ ] `, `"\ud83d\ude00"`, "\t-1.5e3\n",
		`{"a\u0062":[[],{"c":"\\"}]}`, `[1,2`, `{"a":1,"a":2}`, ``} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse([]byte(text))
		if err != nil {
			return
		}
		d := json.NewDecoder(bytes.NewReader([]byte(text)))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatalf("only we take %q: %v", text, err)
		}
		if got := plainly(v); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q is read as %#v, want %#v", text, got, want)
		}
	})
}

// plainly is a value as the standard library has it.
func plainly(v *Value) any {
	switch v.Kind {
	case 'n':
		return nil
	case 't', 'f':
		return v.Kind == 't'
	case '"':
		return v.Text()
	case '0':
		return json.Number(v.Raw())
	case '[':
		list := []any{}
		for _, element := range v.List() {
			list = append(list, plainly(element))
		}
		return list
	}
	object := map[string]any{}
	for _, name := range v.Names() {
		object[name] = plainly(v.Member(name))
	}
	if len(object) != len(v.List()) {
		panic(fmt.Sprintf("%d members, %d names", len(v.List()), len(object)))
	}
	return object
}
