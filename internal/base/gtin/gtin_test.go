package gtin

import "testing"

// Numbers of goods that are sold pass, and each with another digit fails.
func TestCheck(t *testing.T) {
	for _, number := range []string{"96385074", "036000291452", "4006381333931", "9783161484100", "10614141000415", "00000000"} {
		if wrong := Check(number); wrong != "" {
			t.Errorf("%s %s", number, wrong)
		}
		for i := range number {
			other := []byte(number)
			other[i] = '0' + (other[i]-'0'+1)%10
			if Check(string(other)) == "" {
				t.Errorf("%s passes", other)
			}
		}
	}
	for _, text := range []string{"", "0", "1234567", "123456789", "12345678901", "400638133393a", "4006381 33393", "０００００００００００００", "123456789012345"} {
		if Check(text) == "" {
			t.Errorf("%q passes", text)
		}
	}
}
