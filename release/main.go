// Command release builds everything that is published for a version of entrepot: programs, packages, images, and their list of parts.
//
//	main.go      the order of the steps
//	program.go   the program for each system, its completions and manual page
//	modules.go   the modules inside, their licences and notices
//	parts.go     the list of parts (CycloneDX)
//	archive.go   tar.gz and zip
//	packages.go  deb, rpm and apk; package/ has their scripts and settings
//	image.go     container images, without a daemon
//	chart.go     the Helm chart with its version
//	sums.go      SHA256SUMS and its signature
//
// It is a module of its own: what packages and tests of charts need would otherwise be in the service's go.mod, and in the
// list of modules that everybody who builds the service downloads and checks.
//
// The same sources, Go version and time give the same bytes, in any folder and on any machine.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	source := flag.String("source", "..", "folder of the sources")
	out := flag.String("out", "../dist", "folder for what is built; it is emptied")
	only := flag.String("targets", "", "only these systems, separated by commas, such as linux/amd64: to try what is built")
	flag.StringVar(&maintainer, "maintainer", maintainer, "who answers for the packages: name and address")
	flag.Parse()
	if err := run(*source, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// maintainer is named in the packages. Whoever publishes them gives a name and an address; the default says that a package
// was built by the administrator of the machine on which it is installed.
var maintainer = "Local build <root@localhost>"

// release is what the steps share.
type release struct {
	source, out string    // folders
	version     string    // 0.1.0
	at          time.Time // of every file
	work        string    // folder for what is not published
	modules     []module
	targets     []target
	documents   []file // in every archive, package and image: licence and notices
	shell       []file // completions and manual page
}

// target is a system that the program is built for.
type target struct{ system, processor string }

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"},
	{"windows", "arm64"}}

// run builds a release of the sources into a folder: for every target, or only for some.
func run(source, out, only string) (err error) {
	r := &release{source: source, out: out}
	for _, t := range targets {
		if only == "" || slices.Contains(strings.Split(only, ","), t.system+"/"+t.processor) {
			r.targets = append(r.targets, t)
		}
	}
	if len(r.targets) == 0 {
		return fmt.Errorf("none of %s is a target", only)
	}
	if r.version, err = newestVersion(filepath.Join(source, "CHANGELOG.md")); err != nil {
		return err
	}
	if r.at, err = sourceTime(source); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "entrepot-release"); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	fmt.Println("entrepot", r.version)
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"modules and licences", r.findModules},
		{"programs", r.buildPrograms},
		{"completions and manual page", r.writeShell},
		{"archives", r.writeArchives},
		{"packages", r.writePackages},
		{"images", r.writeImages},
		{"chart and samples", r.writeDeploy},
		{"list of parts", r.writeParts},
		{"checksums", r.writeSums},
	} {
		begun := time.Now()
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
		fmt.Printf("  %-28s %5.1f s\n", step.what, time.Since(begun).Seconds())
	}
	return nil
}

// newestVersion is the version of a changelog's first heading.
func newestVersion(changelog string) (string, error) {
	text, err := os.ReadFile(changelog)
	if err != nil {
		return "", err
	}
	heading := regexp.MustCompile(`(?m)^## (\S+)`).FindSubmatch(text)
	if heading == nil || !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`).Match(heading[1]) {
		return "", fmt.Errorf("%s: the first heading must be a version such as ## 0.1.0", changelog)
	}
	return string(heading[1]), nil
}

// sourceTime is the time that all files get: that of SOURCE_DATE_EPOCH, otherwise of the newest commit.
func sourceTime(source string) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := exec.Command("git", "-C", source, "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("the sources have no git history: set SOURCE_DATE_EPOCH to the seconds since 1970 that files get")
		}
		text = string(out)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || seconds < 0 {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH must be seconds since 1970, not %q", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// name is the name of a published file: entrepot_0.1.0_linux_amd64.tar.gz.
func (r *release) name(rest string) string {
	return filepath.Join(r.out, "entrepot_"+r.version+"_"+rest)
}
