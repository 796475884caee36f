package main

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// imageUser is the numeric user of the image, who is nobody outside it.
const imageUser = 65532

// writeImages writes the image of both processors twice: as one OCI layout for registries, and per processor as docker load takes it.
func (r *release) writeImages() error {
	// The layout's root is the index of the processors itself: an index inside an index is refused by podman.
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, t := range r.targets {
		if t.system != "linux" {
			continue
		}
		image, err := r.image(t)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: t.system, Architecture: t.processor}}})
		tag, err := name.NewTag("entrepot:" + r.version)
		if err != nil {
			return err
		}
		if err := tarball.WriteToFile(r.name("image_"+t.system+"_"+t.processor+".tar"), tag, image); err != nil {
			return err
		}
	}
	folder := filepath.Join(r.work, "oci")
	if _, err := layout.Write(folder, index); err != nil {
		return err
	}
	var files []file
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		inside, _ := filepath.Rel(folder, path)
		files = append(files, file{filepath.ToSlash(inside), 0o644, content})
		return err
	})
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := writeTar(&archive, "", r.at, files); err != nil {
		return err
	}
	return os.WriteFile(r.name("image_oci.tar"), archive.Bytes(), 0o644)
}

// image is the image of a processor: one layer with the program, its user, and a folder for the data.
func (r *release) image(t target) (v1.Image, error) {
	content, err := r.imageFiles(t)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.Append(base, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: r.at}, CreatedBy: "make release"}})
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(image, &v1.ConfigFile{
		Architecture: t.processor, OS: t.system, Created: v1.Time{Time: r.at}, RootFS: rootFS(image), History: history(image),
		Config: v1.Config{
			User: "65532:65532", WorkingDir: "/data", Entrypoint: []string{"/usr/bin/entrepot"}, Cmd: []string{"serve"},
			Env:     []string{"PATH=/usr/bin", "ENTREPOT_ADDR=:8080", "ENTREPOT_DATA=/data", "ENTREPOT_LOG_FORMAT=json"},
			Volumes: map[string]struct{}{"/data": {}}, ExposedPorts: map[string]struct{}{"8080/tcp": {}}, StopSignal: "SIGTERM",
			Healthcheck: &v1.HealthConfig{Test: []string{"CMD", "/usr/bin/entrepot", "health"}, Interval: 30 * time.Second, Timeout: 5 * time.Second,
				StartPeriod: time.Minute, Retries: 3},
			Labels: map[string]string{"org.opencontainers.image.title": "entrepot", "org.opencontainers.image.version": r.version,
				"org.opencontainers.image.licenses":    "Apache-2.0",
				"org.opencontainers.image.description": "Catalog and orders between ERP, shops and marketplaces"},
		},
	})
}

// rootFS and history are those of the layers so far.
func rootFS(image v1.Image) v1.RootFS {
	c, err := image.ConfigFile()
	if err != nil {
		panic(err) // it was made in memory
	}
	return c.RootFS
}

func history(image v1.Image) []v1.History {
	c, err := image.ConfigFile()
	if err != nil {
		panic(err)
	}
	return c.History
}

// imageFiles is the image's only layer, uncompressed.
func (r *release) imageFiles(t target) ([]byte, error) {
	program, err := os.ReadFile(r.program(t))
	if err != nil {
		return nil, err
	}
	var layer bytes.Buffer
	archive := tar.NewWriter(&layer)
	write := func(h tar.Header, content string) {
		if err != nil {
			return
		}
		h.ModTime, h.Size = r.at, int64(len(content))
		if strings.HasSuffix(h.Name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err = archive.WriteHeader(&h); err == nil {
			_, err = archive.Write([]byte(content))
		}
	}
	write(tar.Header{Name: "data/", Mode: 0o700, Uid: imageUser, Gid: imageUser}, "")
	write(tar.Header{Name: "etc/", Mode: 0o755}, "")
	write(tar.Header{Name: "etc/group", Mode: 0o644}, "root:x:0:\nentrepot:x:65532:\n")
	write(tar.Header{Name: "etc/passwd", Mode: 0o644}, "root:x:0:0:root:/:/sbin/nologin\nentrepot:x:65532:65532:entrepot:/data:/sbin/nologin\n")
	write(tar.Header{Name: "tmp/", Mode: 0o1777}, "")
	write(tar.Header{Name: "usr/", Mode: 0o755}, "")
	write(tar.Header{Name: "usr/bin/", Mode: 0o755}, "")
	write(tar.Header{Name: "usr/bin/entrepot", Mode: 0o755}, string(program))
	write(tar.Header{Name: "usr/share/", Mode: 0o755}, "")
	write(tar.Header{Name: "usr/share/doc/", Mode: 0o755}, "")
	write(tar.Header{Name: "usr/share/doc/entrepot/", Mode: 0o755}, "")
	for _, f := range r.documents {
		write(tar.Header{Name: "usr/share/doc/entrepot/" + f.path, Mode: 0o644}, string(f.content))
	}
	if err != nil {
		return nil, err
	}
	err = archive.Close()
	return layer.Bytes(), err
}
