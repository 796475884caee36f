package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk" // registers the format
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// settingsFile is where packages install the settings.
const settingsFile = "/etc/entrepot/entrepot.conf"

// writePackages writes deb, rpm and apk for both processors.
func (r *release) writePackages() error {
	for _, t := range r.targets {
		if t.system != "linux" {
			continue
		}
		for _, format := range []string{"deb", "rpm", "apk"} {
			if err := r.writePackage(t, format); err != nil {
				return fmt.Errorf("%s for %s: %w", format, t.processor, err)
			}
		}
	}
	return nil
}

// writePackage writes a package: the program, its documents, the settings, and how it is started.
func (r *release) writePackage(t target, format string) error {
	scripts, err := r.scripts()
	if err != nil {
		return err
	}
	contents, err := r.packaged(t, format)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "entrepot", Arch: t.processor, Platform: "linux", Version: r.version, Release: "1", Section: "net", Priority: "optional",
		Maintainer: maintainer, License: "Apache-2.0", MTime: r.at, DisableGlobbing: true,
		Description: "Catalog and orders between ERP, shops and marketplaces\n" +
			"The service holds products, stock, orders and customers, and reports every change to shops, marketplaces and the ERP.",
		Overridables: nfpm.Overridables{
			Contents: contents,
			Scripts: nfpm.Scripts{PostInstall: filepath.Join(scripts, format+"-postinst.sh"), PreRemove: filepath.Join(scripts, format+"-prerm.sh"),
				PostRemove: filepath.Join(scripts, format+"-postrm.sh")},
			RPM: nfpm.RPM{BuildHost: "localhost", Group: "Applications/Internet"},
		},
	})
	switch format {
	case "deb":
		info.Depends = []string{"debconf (>= 0.5) | debconf-2.0", "passwd"}
		info.Deb.Scripts = nfpm.DebScripts{Templates: filepath.Join(scripts, "deb-templates"), Config: filepath.Join(scripts, "deb-config.sh")}
	case "rpm":
		info.Depends = []string{"shadow-utils"}
	case "apk":
		info.Description, _, _ = strings.Cut(info.Description, "\n")
		info.Scripts.PreRemove, info.Scripts.PostRemove = "", "" // OpenRC stops what it no longer finds, and nothing is removed but the files
		info.APK.Scripts.PostUpgrade = info.Scripts.PostInstall
	}
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	to, err := os.Create(r.name("linux_" + t.processor + "." + format))
	if err != nil {
		return err
	}
	return errors.Join(packager.Package(info, to), to.Close())
}

// scripts is a folder with copies of the packages' scripts that have the time of all files, which apk stores.
func (r *release) scripts() (string, error) {
	list, err := readFiles(filepath.Join(r.source, "release", "package"))
	if err != nil {
		return "", err
	}
	folder := filepath.Join(r.work, "scripts")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	for _, f := range list {
		path := filepath.Join(folder, f.path)
		if err := errors.Join(os.WriteFile(path, f.content, 0o644), os.Chtimes(path, r.at, r.at)); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// packaged are the files of a package.
func (r *release) packaged(t target, format string) (files.Contents, error) {
	var list files.Contents
	add := func(source, destination, kind string, mode os.FileMode) {
		list = append(list, &files.Content{Source: source, Destination: destination, Type: kind,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.at}})
	}
	// What was made here gets a name, because packages are made from files.
	made := func(name string, content []byte, destination string) error {
		source := filepath.Join(r.work, "packaged", name)
		if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
			return err
		}
		add(source, destination, files.TypeFile, 0o644)
		return os.WriteFile(source, content, 0o644)
	}
	add(r.program(t), "/usr/bin/entrepot", files.TypeFile, 0o755)
	add(filepath.Join(r.source, "release", "package", "entrepot.conf"), settingsFile, files.TypeConfigNoReplace, 0o640)
	if format == "apk" {
		add(filepath.Join(r.source, "release", "package", "entrepot.openrc"), "/etc/init.d/entrepot", files.TypeFile, 0o755)
	} else {
		add(filepath.Join(r.source, "deploy", "entrepot.service"), "/usr/lib/systemd/system/entrepot.service", files.TypeFile, 0o644)
	}
	zsh := map[string]string{"deb": "vendor-completions"}[format]
	if zsh == "" {
		zsh = "site-functions"
	}
	destinations := map[string]string{"completions/entrepot.bash": "/usr/share/bash-completion/completions/entrepot",
		"completions/_entrepot": "/usr/share/zsh/" + zsh + "/_entrepot", "completions/entrepot.fish": "/usr/share/fish/vendor_completions.d/entrepot.fish"}
	for _, f := range r.shell {
		if destination := destinations[f.path]; destination != "" {
			if err := made(f.path, f.content, destination); err != nil {
				return nil, err
			}
		} else if path.Dir(f.path) == "man" {
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			_, err := w.Write(f.content)
			if err := errors.Join(err, w.Close(), made(f.path+".gz", packed.Bytes(), "/usr/share/man/man1/entrepot.1.gz")); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range r.documents {
		name := f.path
		if name == "LICENSE" && format == "deb" {
			name = "copyright"
		}
		if err := made(f.path, f.content, "/usr/share/doc/entrepot/"+name); err != nil {
			return nil, err
		}
	}
	return list, nil
}
