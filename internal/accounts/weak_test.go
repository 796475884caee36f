package accounts_test

import (
	"testing"

	"entrepot/internal/accounts"
)

func TestBadPassword(t *testing.T) {
	about := []string{"ada.lovelace@shop.example", "Ada Lovelace"}
	for _, weak := range []string{"short", "password", "PASSWORD", "Password1", "password123!", "passw0rd", "P@ssw0rd",
		"qwertyuiop", "qwerty123",
		"letmein1",
		"welcome1",
		"iloveyou", "changeme", "12345678", "123456789", "1234567890", "87654321", "0987654321", "abcdefgh", "aaaaaaaa", "abababab", "abcabcabc",
		"11111111",
		"admin123",
		"administrator", "entrepot1", "summer2026", "ada.lovelace@shop.example", "Ada.Lovelace", "adalovelace", "ada lovelace", "ada-lovelace",
		"shop.example", "  password  "} {
		if accounts.BadPassword(weak, about...) == "" {
			t.Errorf("%q passes", weak)
		}
	}
	for _, good := range []string{"correct horse", "a long pass phrase 7", "quite long enough", "xK3#pQ9z", "passwordless-sundays",
		"ada likes engines",
		"long enough 1",
		"entrepot in Rotterdam"} {
		if problem := accounts.BadPassword(good, about...); problem != "" {
			t.Errorf("%q %s", good, problem)
		}
	}
	if accounts.BadPassword("somebody", "", "") != "" {
		t.Error("nothing known about the user refuses a password")
	}
}
