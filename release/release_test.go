package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"debug/buildinfo"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var (
	every = flag.Bool("every", false, "build every target, not only that of this machine")
	given = flag.String("dist", "", "try the release in this folder instead of building one")
	cold  = flag.Bool("cold", false, "compile the second build from nothing, which takes minutes")
)

// processor is that of this machine, for which packages are tried.
const processor = runtime.GOARCH

// publishedIn is the folder of published, "" as long as no test needs it.
var publishedIn string

// published is a release of these sources, built once for all tests, signed by a key of the tests.
var published = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "entrepot-published")
	if err != nil {
		return "", err
	}
	publishedIn = folder
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return "", err
	}
	key, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", err
	}
	public, err := x509.MarshalPKIXPublicKey(private.Public())
	if err != nil {
		return "", err
	}
	os.Setenv(keyVariable, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	defer os.Unsetenv(keyVariable)
	if err := os.WriteFile(filepath.Join(folder, "key.pem"), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), 0o600); err != nil {
		return "", err
	}
	return folder, run("..", filepath.Join(folder, "dist"), tried())
})

func tried() string {
	if *every || *given != "" { // make release builds every target
		return ""
	}
	return "linux/" + processor
}

func TestMain(m *testing.M) {
	code := m.Run()
	if publishedIn != "" {
		os.RemoveAll(publishedIn)
	}
	os.Exit(code)
}

// dist is the folder of the release.
func dist(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("packages and images are tried on Linux")
	}
	if *given != "" {
		return *given
	}
	folder, err := published()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "dist")
}

func version(t *testing.T) string {
	t.Helper()
	v, err := newestVersion("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// artifact is the path of a published file.
func artifact(t *testing.T, rest string) string {
	t.Helper()
	return filepath.Join(dist(t), "entrepot_"+version(t)+"_"+rest)
}

// needsRoot skips a test that mounts and changes its root.
func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: it mounts an overlay and changes its root")
	}
	if out, err := exec.Command("unshare", "--mount", "true").CombinedOutput(); err != nil {
		t.Skipf("a mount namespace cannot be made here: %v %s", err, out)
	}
}

// freePort is a port of this machine that nobody uses.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// output runs a command that must succeed.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, complaint.String())
	}
	return string(out)
}

// serve starts a service and waits until it is ready; stop sends SIGTERM and expects exit code 0.
func serve(t *testing.T, command *exec.Cmd, address string) (stop func()) {
	t.Helper()
	var log bytes.Buffer
	command.Stderr = &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() { _ = command.Process.Kill() })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for get(ctx, address+"/readyz") == "" {
		select {
		case err := <-ended:
			t.Fatalf("the service ended: %v\n%s", err, log.String())
		case <-ctx.Done():
			t.Fatal("the service is not ready after two minutes")
		case <-time.After(50 * time.Millisecond):
		}
	}
	return func() {
		t.Helper()
		_ = command.Process.Signal(syscall.SIGTERM)
		if err := <-ended; err != nil {
			t.Errorf("SIGTERM: %v\n%s", err, log.String())
		}
	}
}

// get is the body of an answer with status 200, "" for any other outcome.
func get(ctx context.Context, address string) string {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return ""
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 200 {
		return ""
	}
	return string(body)
}

func TestVersionIsTheNewestHeading(t *testing.T) {
	path := filepath.Join(t.TempDir(), "CHANGELOG.md")
	for text, want := range map[string]string{"# Changes\n\n## 1.20.3\n\n## 1.0.0\n": "1.20.3", "## 1.0.0-rc.1 (soon)\n": "1.0.0-rc.1", "## Unreleased\n\n## 1.0.0\n": "",
		"# 1.0.0\n": "", "## v1\n": ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := newestVersion(path); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// The same sources give the same bytes in another folder.
func TestTwiceTheSame(t *testing.T) {
	first, err := os.ReadFile(filepath.Join(dist(t), "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	at, err := sourceTime("..")
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "another folder")
	if err := os.Mkdir(copied, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cmd", "internal", "release", "deploy", "go.mod", "go.sum", "CHANGELOG.md", "README.md", "LICENSE"} {
		output(t, "cp", "-r", filepath.Join("..", name), copied)
	}
	t.Setenv("SOURCE_DATE_EPOCH", fmt.Sprint(at.Unix()))
	if *cold {
		t.Setenv("GOCACHE", t.TempDir())
	} else {
		t.Log("packages come from Go's cache, only the program is linked again; -cold compiles all of it")
	}
	out := filepath.Join(t.TempDir(), "dist")
	if err := run(copied, out, tried()); err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Errorf("first:\n%s\nsecond:\n%s", first, second)
	}
}

// SHA256SUMS lists every file, and OpenSSL accepts its signature.
func TestSumsAndSignature(t *testing.T) {
	folder := dist(t)
	text, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{"SHA256SUMS": true, "SHA256SUMS.sig": true}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(content)) != sum {
			t.Errorf("%s: %v", name, err)
		}
		listed[name] = true
		t.Logf("%9d bytes  %s  %s", len(content), sum, name)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !listed[e.Name()] {
			t.Errorf("%s is not listed", e.Name())
		}
	}
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not installed: the signature is not checked")
	}
	if *given != "" {
		t.Skip("the release was built elsewhere: the public key of its signature is not here")
	}
	verify := []string{"pkeyutl", "-verify", "-pubin", "-inkey", filepath.Join(folder, "..", "key.pem"), "-rawin",
		"-sigfile", filepath.Join(folder, "SHA256SUMS.sig"), "-in"}
	output(t, "openssl", append(verify, filepath.Join(folder, "SHA256SUMS"))...)
	changed := filepath.Join(t.TempDir(), "changed")
	if err := os.WriteFile(changed, append(text, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("openssl", append(verify, changed)...).CombinedOutput(); err == nil {
		t.Errorf("the signature fits a changed list: %s", out)
	}
}

// A wrong key is refused, without a word of what it was.
func TestWrongKeys(t *testing.T) {
	for _, key := range []string{"hidden", "-----BEGIN PRIVATE KEY-----\naGlkZGVu\n-----END PRIVATE KEY-----\n"} {
		if _, err := sign([]byte(key), nil); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestLicences(t *testing.T) {
	for text, want := range map[string]string{
		"Permission is hereby granted,\n  free of charge, to any person":              "MIT",
		"Redistribution and use in source and binary forms, with or without":          "BSD-2-Clause",
		"Redistribution and use in source and binary forms … Neither the\n * name of": "BSD-3-Clause",
		"Mozilla Public License, version 2.0":                                         "MPL-2.0", "All rights reserved. Pay.": ""} {
		if got := licenceOf(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// The archive works by itself: the program runs with the version and every document, completion and page, and takes an order.
func TestArchive(t *testing.T) {
	archive := artifact(t, "linux_"+processor+".tar.gz")
	folder, begun := t.TempDir(), time.Now()
	output(t, "tar", "-xzf", archive, "-C", folder)
	folder = filepath.Join(folder, "entrepot_"+version(t)+"_linux_"+processor)
	program := filepath.Join(folder, "entrepot")
	if got := output(t, program, "version"); got != "entrepot "+version(t)+"\n" {
		t.Errorf("version: %q", got)
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "THIRD_PARTY_NOTICES.txt", "man/entrepot.1", "completions/_entrepot",
		"completions/entrepot.fish", "completions/entrepot.ps1"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	output(t, "bash", "-n", filepath.Join(folder, "completions/entrepot.bash"))
	address := "127.0.0.1:" + freePort(t)
	data := filepath.Join(t.TempDir(), "data")
	command := exec.Command(program, "serve", "--addr", address, "--data", data)
	command.Env = []string{"PATH=/usr/bin:/bin", "ENTREPOT_ADMIN_EMAIL=owner@shop.example", "ENTREPOT_ADMIN_PASSWORD=a long passphrase"}
	stop := serve(t, command, "http://"+address)
	var key struct{ Key string }
	if err := json.Unmarshal([]byte(output(t, program, "key", "create", "--data", data, "--name", "first", "--scopes", "all", "--json")), &key); err != nil {
		t.Fatal(err)
	}
	for _, first := range []struct{ path, body string }{
		{"products", `{"name":"Mug","sku":"A-1","price":9.5}`},
		{"orders", `{"customerName":"First","items":[{"sku":"A-1","quantity":1,"unitPrice":9.5}]}`},
	} {
		request, err := http.NewRequest(http.MethodPost, "http://"+address+"/api/v1/"+first.path, strings.NewReader(first.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-API-Key", key.Key)
		request.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusCreated {
			t.Errorf("%s: %s %s %v", first.path, answer.Status, said, err)
		}
	}
	t.Logf("from the archive to the first order: %.1f s", time.Since(begun).Seconds())
	if got := get(t.Context(), "http://"+address+"/healthz"); !strings.Contains(got, `"version":"`+version(t)+`"`) {
		t.Errorf("/healthz: %s", got)
	}
	stop()
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the program has %.1f MB", float64(info.Size())/1e6)
}

// The list of parts and the notices have every module of the program, and nothing else.
func TestParts(t *testing.T) {
	folder := t.TempDir()
	output(t, "tar", "-xzf", artifact(t, "linux_"+processor+".tar.gz"), "-C", folder, "--strip-components=1")
	built, err := buildinfo.ReadFile(filepath.Join(folder, "entrepot"))
	if err != nil {
		t.Fatal(err)
	}
	notices, err := os.ReadFile(filepath.Join(folder, "THIRD_PARTY_NOTICES.txt"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(artifact(t, "sbom.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		SpecVersion string
		Components  []struct {
			Name, Version, Purl string
			Licenses            []struct{ Expression string }
		}
	}
	if err := json.Unmarshal(text, &list); err != nil || list.SpecVersion != "1.6" {
		t.Fatalf("%v, version %q", err, list.SpecVersion)
	}
	versions := map[string]string{}
	for _, c := range list.Components {
		versions[c.Name] = c.Version
		if len(c.Licenses) != 1 || c.Purl != "pkg:golang/"+c.Name+"@"+c.Version {
			t.Errorf("%+v", c)
			continue
		}
		if heading := fmt.Sprintf("\n%s %s (%s)\n", c.Name, c.Version, c.Licenses[0].Expression); !strings.Contains(string(notices), heading) {
			t.Errorf("the notices have no%s", heading)
		}
	}
	if versions["std"] != strings.TrimPrefix(built.GoVersion, "go") {
		t.Errorf("Go's library %q, built with %s", versions["std"], built.GoVersion)
	}
	for _, m := range built.Deps {
		if versions[m.Path] != m.Version {
			t.Errorf("%s %s is in the program, the list of parts has %q", m.Path, m.Version, versions[m.Path])
		}
	}
	if !strings.Contains(string(notices), "Mozilla Public License, version 2.0") {
		t.Error("the notices have no Mozilla Public License")
	}
}

// The deb is installed, configured, started by its unit's command, upgraded, removed and purged in an overlay of this system.
func TestDeb(t *testing.T) {
	needsRoot(t)
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("this system has no dpkg")
	}
	if info, err := os.Stat("/run/systemd/system"); err != nil || !info.IsDir() {
		t.Log("systemd is not PID 1 here: the unit's command is run as its user instead, and systemctl is not called")
	}
	folder := output(t, "mktemp", "-d", "-p", "/dev/shm") // not on an overlay
	folder = strings.TrimSpace(folder)
	t.Cleanup(func() { os.RemoveAll(folder) })
	script := exec.CommandContext(t.Context(), "unshare", "--mount", "--propagation", "private", "bash", "testdata/deb.sh",
		artifact(t, "linux_"+processor+".deb"), folder, freePort(t))
	out, err := script.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "PASSED\n") {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "== ") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// rpm and apk have the same files with the same rights; rpm's own tool reads the package.
func TestOtherPackages(t *testing.T) {
	apk := output(t, "tar", "--warning=no-unknown-keyword", "-tzvf", artifact(t, "linux_"+processor+".apk"))
	for _, want := range []string{"-rwxr-xr-x root/root", " usr/bin/entrepot", " etc/init.d/entrepot", " etc/entrepot/entrepot.conf", " .post-install"} {
		if !strings.Contains(apk, want) {
			t.Errorf("apk has no %s:\n%s", want, apk)
		}
	}
	t.Log("apk is only read: this machine has no Alpine to install it in")
	if _, err := exec.LookPath("rpm"); err != nil {
		t.Skip("rpm is not installed: its package is not read")
	}
	rpm := output(t, "rpm", "-qp", "--nosignature", "--qf", "[%{FILEMODES:perms} %{FILEUSERNAME} %{FILEFLAGS:fflags} %{FILENAMES}\n]",
		artifact(t, "linux_"+processor+".rpm"))
	for _, want := range []string{"-rwxr-xr-x root  /usr/bin/entrepot", "-rw-r----- root cn /etc/entrepot/entrepot.conf",
		"-rw-r--r-- root  /usr/lib/systemd/system/entrepot.service"} {
		if !strings.Contains(rpm, want) {
			t.Errorf("rpm has no %q:\n%s", want, rpm)
		}
	}
	output(t, "rpm", "-K", "--nosignature", artifact(t, "linux_"+processor+".rpm"))
	t.Log("rpm is only read: this machine has no system of that kind to install it in")
}
