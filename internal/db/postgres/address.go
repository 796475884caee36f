package postgres

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// libpqWords are the address parameters that PostgreSQL's own programs know. Any other is a setting of the session, or
// one of this program's pool.
var libpqWords = strings.Fields(
	`host hostaddr port dbname user password passfile require_auth channel_binding connect_timeout client_encoding
	options application_name fallback_application_name keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout
	gssencmode sslmode sslcompression sslcert sslkey sslpassword sslcertmode sslrootcert sslcrl sslcrldir sslsni requirepeer
	ssl_min_protocol_version ssl_max_protocol_version sslnegotiation krbsrvname gsslib gssdelegation service target_session_attrs
	load_balance_hosts`)

// poolWords are parameters that only this program's driver knows.
var poolWords = []string{"default_query_exec_mode", "statement_cache_capacity", "description_cache_capacity"}

// programAddress converts a store's address for PostgreSQL's programs, with access to every account. It returns the
// password separately, because other users of the machine can see a program's arguments.
func programAddress(address, options string) (clean, password string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", "", errBadAddress
	}
	query := u.Query()
	if given := query.Get("options"); given != "" {
		options = given
	}
	password, _ = u.User.Password()
	password = cmp.Or(query.Get("password"), password)
	query.Del("password")
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	for word, values := range query {
		if slices.Contains(libpqWords, word) {
			continue
		}
		query.Del(word)
		if !strings.HasPrefix(word, "pool_") && !slices.Contains(poolWords, word) {
			options += " -c " + word + "=" + strings.NewReplacer(`\`, `\\`, " ", `\ `).Replace(values[0])
		}
	}
	query.Set("options", strings.TrimSpace(options+" -c entrepot.tenant=0"))
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20") // PostgreSQL's programs do not decode a plus as a space
	return u.String(), password, nil
}
