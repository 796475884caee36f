package sqlite

import "testing"

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
