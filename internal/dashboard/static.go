package dashboard

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"
)

//go:embed templates static
var embedded embed.FS

// staticPath is where static files are served, under names with their content's hash.
const staticPath = prefix + "/static/"

// sourceFolder is where the files are in the source tree, from which a development server is started.
const sourceFolder = "internal/dashboard"

// files are the templates and static files: those in the program, or in development those in the source folder.
type files struct {
	fs.FS
	live  bool // read again every time
	mu    sync.Mutex
	names map[string]string // of static files: "dash.css" → "dash.0123456789.css"
	known map[string]string // the reverse of names
}

func newFiles(dev bool) *files {
	f := &files{FS: embedded}
	if at, err := os.Stat(sourceFolder + "/templates"); dev && err == nil && at.IsDir() {
		f.FS, f.live = os.DirFS(sourceFolder), true
	}
	f.index()
	return f
}

// index names the static files by their content.
func (f *files) index() {
	names, known := map[string]string{}, map[string]string{}
	list, err := fs.ReadDir(f, "static")
	if err != nil {
		panic(err) // the folder is in the program
	}
	for _, entry := range list {
		content, err := fs.ReadFile(f, "static/"+entry.Name())
		if err != nil {
			continue // deleted since the folder was read
		}
		sum := sha256.Sum256(content)
		ext := path.Ext(entry.Name())
		hashed := strings.TrimSuffix(entry.Name(), ext) + "." + hex.EncodeToString(sum[:5]) + ext
		names[entry.Name()], known[hashed] = hashed, entry.Name()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names, f.known = names, known
}

// asset is the address of a static file.
func (f *files) asset(name string) string {
	if f.live {
		f.index()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	hashed, ok := f.names[name]
	if !ok {
		panic("there is no static file " + name)
	}
	return staticPath + hashed
}

// ServeHTTP serves a static file. Its name changes with its content, so it may be kept for ever.
func (f *files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	name, ok := f.known[strings.TrimPrefix(r.URL.Path, staticPath)]
	f.mu.Unlock()
	content, err := fs.ReadFile(f, "static/"+name)
	if !ok || err != nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(content) // the browser may be gone
}
