package sqlite

import (
	"regexp"
	"strconv"
	"strings"
)

// translate converts PostgreSQL's dialect to SQLite's. It removes casts, row locks and what db.OnPostgres marks,
// makes a bound LIMIT an expression (with a plain one SQLite plans the statement again at every run), and makes each
// $N a plain placeholder. order says which argument each placeholder takes: SQLite searches a list for every numbered
// one, which makes long statements slow.
func translate(sql string) (text string, order []int) {
	var out strings.Builder
	walkPlaceholders(ownWords.Replace(onPostgres.ReplaceAllString(sql, "")), func(n int) {
		out.WriteByte('?')
		order = append(order, n-1)
	}, &out)
	return out.String(), order
}

var ownWords = strings.NewReplacer("::UUID", "", "::BIGINT", "", "::TEXT", "", "::BOOLEAN", "",
	"LIMIT $", "LIMIT 0+$", " FOR UPDATE SKIP LOCKED", "", " FOR UPDATE", "", " FOR SHARE", "", ` COLLATE "C"`, "")

var onPostgres = regexp.MustCompile(`(?s)/\*postgres\*/.*?/\*both\*/`)

// walkPlaceholders calls found for each $N outside quotes and copies everything else to rest.
func walkPlaceholders(sql string, found func(n int), rest *strings.Builder) {
	quoted := false
	for i := 0; i < len(sql); i++ {
		c := sql[i]
		if c == '\'' {
			quoted = !quoted
		}
		if c == '$' && !quoted {
			j := i + 1
			for j < len(sql) && sql[j] >= '0' && sql[j] <= '9' {
				j++
			}
			if j > i+1 {
				n, _ := strconv.Atoi(sql[i+1 : j])
				found(n)
				i = j - 1
				continue
			}
		}
		rest.WriteByte(c)
	}
}
