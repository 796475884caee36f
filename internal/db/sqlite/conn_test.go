package sqlite

import (
	"strings"
	"testing"
)

func TestMayWrite(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT 1":                           false,
		"\n\tSELECT updated_at FROM t":       false,
		"WITH v(a) AS (VALUES (1)) SELECT a": false,
		"WITH v(a) AS (VALUES (1))\n\t\t\tUPDATE t SET b = v.a FROM v": true,
		"WITH v(a) AS (VALUES (1)) INSERT INTO t SELECT a FROM v":      true,
		"WITH v(a) AS (VALUES (1)) DELETE FROM t":                      true,
		"UPDATE t SET a = 1 RETURNING a":                               true,
		"INSERT INTO t VALUES (1)":                                     true,
		"DELETE FROM t":                                                true,
		"PRAGMA user_version = 1":                                      true,
	} {
		if got := mayWrite(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Texts of any length are read whole, one after the other, whatever the memory that they pass through has room for.
func TestTextsOfAnyLength(t *testing.T) {
	c, err := openConn(t.TempDir() + "/texts.db")
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, length := range []int{3, passing - 1, passing, passing + 1, 0, passing, 5000, 4999, 5000, 1, cachedText, cachedText + 1, 2} {
		want := strings.Repeat("ä", length/2) + strings.Repeat("b", length%2)
		rows, err := c.Query("SELECT $1, '', $1 || 'c'", []any{want})
		if err != nil {
			t.Fatal(err)
		}
		var first, empty, second string
		if !rows.Next() || rows.Scan(&first, &empty, &second) != nil || first != want || empty != "" || second != want+"c" {
			t.Errorf("a text of %d bytes: %d, %d and %d came", length, len(first), len(empty), len(second))
		}
		rows.Close()
	}
}
