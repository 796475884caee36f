package db

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Copied is what a copy of a PostgreSQL store holds.
type Copied struct {
	Tables  int
	Rows    int64
	Bytes   int64
	Program string // the PostgreSQL program that did it, for people to read
}

// CopyDatabase writes a consistent copy of the PostgreSQL store at an address into a file that must not exist yet, with PostgreSQL's
// own pg_dump, while others may read and write the store. Row-level security hides an account's rows from whoever names no account,
// so the program is told to serve all of them, and every table's rows in the copy are counted against the store's on the same
// snapshot. A copy that lacks rows is an error, and no file is left after one.
func CopyDatabase(ctx context.Context, address, to string) (made Copied, err error) {
	if exists(to) {
		return made, fmt.Errorf("%s exists already, it is not overwritten", to)
	}
	store, err := connectToCopy(ctx, address)
	if err != nil {
		return made, err
	}
	defer store.close()
	tx, err := store.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return made, unavailable(err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	var snapshot string
	if err := tx.QueryRow(ctx, "SELECT pg_export_snapshot()").Scan(&snapshot); err != nil {
		return made, fmt.Errorf("holding the store still: %w", err)
	}
	counts, err := countRows(ctx, tx)
	if err != nil {
		return made, err
	}
	if _, ours := counts["schema_versions"]; !ours {
		return made, fmt.Errorf("%w in the database, in the schema %s: say where it is with --database", ErrNoStore, store.schema)
	}
	tools, err := postgresTools(ctx, "pg_dump", store.major)
	if err != nil {
		return made, err
	}
	part := to + ".part"
	os.Remove(part) // of an earlier copy that was broken off
	file, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return made, err
	}
	defer func() {
		file.Close()
		if err != nil {
			os.Remove(part)
		}
	}()
	err = store.run(ctx, file, tools[0], "--format=custom", "--enable-row-security", "--no-owner", "--no-privileges",
		"--schema="+quoteIdent(store.schema), "--snapshot="+snapshot, "--dbname="+store.address)
	if err != nil {
		return made, err
	}
	dump, err := readDump(ctx, part, store.major)
	if err == nil {
		err = sameRows("the copy", counts, dump.rows)
	}
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		return made, err
	}
	info, err := file.Stat()
	if err == nil {
		err = os.Rename(part, to)
	}
	if err != nil {
		return made, err
	}
	return Copied{Tables: len(counts), Rows: total(counts), Bytes: info.Size(), Program: tools[0].name()}, syncFile(filepath.Dir(to))
}

// RestoreDatabase puts a copy made by CopyDatabase into the PostgreSQL database at an address, which must have no tables yet, in one
// transaction, and counts every table's rows against the copy's.
func RestoreDatabase(ctx context.Context, from, address string) (made Copied, err error) {
	store, err := connectToCopy(ctx, address)
	if err != nil {
		return made, err
	}
	defer store.close()
	dump, err := readDump(ctx, from, store.major)
	if err != nil {
		return made, err
	}
	if err := dump.known(from); err != nil {
		return made, err
	}
	if dump.schema != store.schema {
		return made, fmt.Errorf("%s is a copy of the schema %s, and the database's address leads to the schema %s: restore it where both are the same",
			from, dump.schema, store.schema)
	}
	counts, err := countRows(ctx, store.conn)
	if err != nil {
		return made, err
	}
	if len(counts) > 0 {
		return made, fmt.Errorf("the database has tables already (%s): a copy is restored into an empty database only, make one with createdb",
			shortened(slices.Sorted(maps.Keys(counts))))
	}
	err = store.run(ctx, io.Discard, dump.tool, "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges",
		"--schema="+store.schema, "--dbname="+store.address, from)
	if err != nil {
		return made, err
	}
	if counts, err = countRows(ctx, store.conn); err == nil {
		err = sameRows("the restored store", dump.rows, counts)
	}
	return Copied{Tables: len(counts), Rows: total(counts), Program: dump.tool.name()}, err
}

// copying is a connection to a PostgreSQL store, and how its programs reach the same.
type copying struct {
	conn     *pgx.Conn
	schema   string
	major    int    // of the server's version
	address  string // without the password
	password string
}

func connectToCopy(ctx context.Context, address string) (*copying, error) {
	s := &copying{}
	var err error
	if s.address, s.password, err = programAddress(address, os.Getenv("PGOPTIONS")); err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig(s.address)
	if err != nil {
		return nil, errBadAddress
	}
	if s.password != "" {
		config.Password = s.password
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // also behind a pooler
	if s.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return nil, unavailable(err)
	}
	var schema *string
	err = s.conn.QueryRow(ctx, "SELECT current_schema(), current_setting('server_version_num')::INT / 10000").Scan(&schema, &s.major)
	if err == nil && schema == nil {
		err = errors.New("the database's address leads to no schema: the one that it names does not exist")
	}
	if err == nil {
		_, err = s.conn.Exec(ctx, "SELECT set_config('entrepot.tenant', '0', false)")
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.schema = *schema
	return s, nil
}

func (s *copying) close() { s.conn.Close(context.Background()) }

var errBadAddress = errors.New("the database address is not a valid postgres:// URL") // the parser's error may show the password

// libpqWords are the parameters of an address that PostgreSQL's own programs know; what else an address sets is a setting of the
// session, or one of this program's pool.
var libpqWords = strings.Fields(`host hostaddr port dbname user password passfile require_auth channel_binding connect_timeout client_encoding
	options application_name fallback_application_name keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout
	gssencmode sslmode sslcompression sslcert sslkey sslpassword sslcertmode sslrootcert sslcrl sslcrldir sslsni requirepeer
	ssl_min_protocol_version ssl_max_protocol_version sslnegotiation krbsrvname gsslib gssdelegation service target_session_attrs
	load_balance_hosts`)

// poolWords are parameters that only this program's own driver knows.
var poolWords = []string{"default_query_exec_mode", "statement_cache_capacity", "description_cache_capacity"}

// programAddress is a store's address as PostgreSQL's programs take it, serving every account, and apart from it the password, which
// must not be an argument that other users of the machine see.
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
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20") // a space is no plus to PostgreSQL's programs
	return u.String(), password, nil
}

// run runs one of PostgreSQL's programs.
func (s *copying) run(ctx context.Context, out io.Writer, program tool, args ...string) error {
	env := os.Environ()
	if s.password != "" {
		env = append(env, "PGPASSWORD="+s.password)
	}
	return program.run(ctx, env, out, append([]string{"--no-password"}, args...)...)
}

// countRows counts the rows of every table of the connection's schema.
func countRows(ctx context.Context, on interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (map[string]int64, error) {
	rows, err := on.Query(ctx, `SELECT c.relname::TEXT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p')`)
	if err != nil {
		return nil, err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	counts := map[string]int64{}
	for _, table := range tables {
		var n int64
		if err == nil {
			err = on.QueryRow(ctx, "SELECT count(*) FROM ONLY "+pgx.Identifier{table}.Sanitize()).Scan(&n)
		}
		counts[table] = n
	}
	if err != nil {
		return nil, fmt.Errorf("counting the store's rows: %w", err)
	}
	return counts, nil
}

// sameRows is an error that names every table whose rows are not as many as they must be.
func sameRows(what string, want, have map[string]int64) error {
	var short []string
	for _, table := range slices.Sorted(maps.Keys(want)) {
		if have[table] != want[table] {
			short = append(short, fmt.Sprintf("%s has %d rows instead of %d", table, have[table], want[table]))
		}
	}
	for table := range have {
		if _, there := want[table]; !there {
			short = append(short, table+" should not be there")
		}
	}
	if len(short) == 0 {
		return nil
	}
	return fmt.Errorf("%s is not whole: %s", what, shortened(short))
}

func total(counts map[string]int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

func shortened(list []string) string {
	if len(list) > 5 {
		return strings.Join(list[:5], ", ") + fmt.Sprintf(" and %d more", len(list)-5)
	}
	return strings.Join(list, ", ")
}

// dump is what a copy's file holds.
type dump struct {
	tool     tool // that can read it
	schema   string
	rows     map[string]int64
	versions []string // of the schema, as they stand in schema_versions
}

// dumpMark is what a file made by pg_dump begins with.
const dumpMark = "PGDMP"

// readDump reads a copy's file whole.
func readDump(ctx context.Context, path string, major int) (d dump, err error) {
	file, err := os.Open(path)
	if err != nil {
		return d, err
	}
	mark := make([]byte, 16)
	n, _ := io.ReadFull(file, mark)
	file.Close()
	switch {
	case strings.HasPrefix(string(mark[:n]), sqliteMark):
		return d, fmt.Errorf("%s is a copy of a SQLite store: restore it into a data folder, without --database", path)
	case !strings.HasPrefix(string(mark[:n]), dumpMark):
		return d, fmt.Errorf("%s is no copy of a PostgreSQL store", path)
	}
	tools, err := postgresTools(ctx, "pg_restore", major)
	if err != nil {
		return d, err
	}
	for _, t := range tools { // one of an older version may not know the file's format
		if d, err = t.read(ctx, path); err == nil {
			return d, nil
		}
	}
	return d, fmt.Errorf("reading %s: %w", path, err)
}

// read counts the rows in a copy's file, in the text that it would run.
func (t tool) read(ctx context.Context, path string) (dump, error) {
	d := dump{tool: t, rows: map[string]int64{}}
	in, out := io.Pipe()
	go func() { out.CloseWithError(t.run(ctx, os.Environ(), out, "--file=-", path)) }()
	lines := bufio.NewReaderSize(in, 256<<10)
	table, start := "", true
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return d, nil
		}
		whole := err == nil // else the line is longer than what is read at once
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			in.CloseWithError(err)
			return d, err
		}
		if start {
			table = d.line(table, bytes.TrimRight(line, "\r\n"))
		}
		start = whole
	}
}

// line takes the beginning of a line of a copy's text, and returns the table in whose rows it stands, "" for none.
func (d *dump) line(table string, line []byte) string {
	switch {
	case table != "" && string(line) == `\.`:
		return ""
	case table != "":
		d.rows[table]++
		if table == "schema_versions" {
			d.versions = append(d.versions, strings.Split(string(line), "\t")[0])
		}
		return table
	}
	if made := createdTable.FindSubmatch(line); made != nil {
		d.rows[unquoteIdent(string(made[2]))] += 0
		d.schema = unquoteIdent(string(made[1]))
	}
	if copied := copiedTable.FindSubmatch(line); copied != nil {
		return unquoteIdent(string(copied[2]))
	}
	return ""
}

const ident = `("(?:[^"]|"")+"|[^\s."(]+)`

var (
	createdTable = regexp.MustCompile(`^CREATE (?:UNLOGGED )?TABLE ` + ident + `\.` + ident + ` \($`)
	copiedTable  = regexp.MustCompile(`^COPY ` + ident + `\.` + ident + ` (?:\(.*)?FROM stdin;$`)
)

func unquoteIdent(name string) string {
	if strings.HasPrefix(name, `"`) {
		return strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
	}
	return name
}

func quoteIdent(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// known refuses a copy of something else than a store of a schema that this program knows.
func (d dump) known(path string) error {
	if d.rows["schema_versions"] == 0 {
		return fmt.Errorf("%s is no copy of a store of entrepot", path)
	}
	names, err := migrations.ReadDir("migrations")
	if err != nil {
		return err
	}
	for _, version := range d.versions {
		if n, err := strconv.Atoi(version); err == nil && n > len(names) {
			return fmt.Errorf("%s has the schema %d, this program knows %d: use a newer entrepot", path, n, len(names))
		}
	}
	return nil
}

// tool is one of PostgreSQL's programs, of one version.
type tool struct {
	path  string
	major int
}

func (t tool) name() string { return filepath.Base(t.path) + " " + strconv.Itoa(t.major) }

// run runs the program; what it complains of becomes the error.
func (t tool) run(ctx context.Context, env []string, out io.Writer, args ...string) error {
	process := exec.CommandContext(ctx, t.path, args...)
	var complaint bytes.Buffer
	process.Env, process.Stdout, process.Stderr = env, out, &complaint
	if err := process.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", t.name(), err, strings.TrimSpace(complaint.String()))
	}
	return nil
}

// toolFolders are where PostgreSQL's programs are beside the search path.
var toolFolders = []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin", `C:\Program Files\PostgreSQL\*\bin`}

var versionOfTool = regexp.MustCompile(`\) (\d+)`)

// postgresTools finds a program of PostgreSQL in every version that is not older than the server, nearest version first: an older one
// cannot read the server, a much newer one writes what the server does not know.
func postgresTools(ctx context.Context, name string, server int) (list []tool, err error) {
	var places []string
	if path, err := exec.LookPath(name); err == nil {
		places = append(places, path)
	}
	for _, pattern := range toolFolders {
		found, _ := filepath.Glob(filepath.Join(pattern, name))
		exe, _ := filepath.Glob(filepath.Join(pattern, name+".exe"))
		places = append(append(places, found...), exe...)
	}
	var older []string
	for _, path := range places {
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		version := versionOfTool.FindSubmatch(out)
		if err != nil || version == nil {
			continue
		}
		major, _ := strconv.Atoi(string(version[1]))
		if major < server {
			older = append(older, fmt.Sprintf("%s is version %d", path, major))
			continue
		}
		list = append(list, tool{path, major})
	}
	slices.SortStableFunc(list, func(a, b tool) int { return cmp.Compare(a.major, b.major) })
	switch {
	case len(list) > 0:
		return list, nil
	case len(older) > 0:
		return nil, fmt.Errorf("the server is PostgreSQL %d, and %s: install PostgreSQL's client programs of version %d or newer",
			server, strings.Join(older, ", "), server)
	}
	return nil, fmt.Errorf("%s is not on this machine: install PostgreSQL's client programs of version %d or newer (Debian: postgresql-client)", name, server)
}
