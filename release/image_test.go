package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// The image is unpacked and run as its configuration says: its user, nothing that can be written but /data and /tmp.
func TestImage(t *testing.T) {
	image := ociImage(t)
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config
	if c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/usr/bin/entrepot"}) || c.Healthcheck == nil {
		t.Errorf("configuration: %+v", c)
	}
	if _, is := c.Volumes["/data"]; !is {
		t.Error("/data is no volume")
	}
	needsRoot(t)
	folder, err := os.MkdirTemp("/dev/shm", "entrepot-image")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	root := filepath.Join(folder, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	unpack := exec.CommandContext(t.Context(), "tar", "-xp", "--numeric-owner", "-C", root)
	unpack.Stdin = mutate.Extract(image)
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// A container as runtimes make it: the root read-only, /data a volume, /tmp in memory.
	enter := `set -e
root=$1; shift
mount --bind "$root" "$root"
mount -t tmpfs -o mode=700,uid=65532,gid=65532 tmpfs "$root/data"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
cd "$root/data"
exec setpriv --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid --inh-caps=-all chroot --userspec=65532:65532 "$root" "$@"`
	user, program := c.User, c.Entrypoint
	container := func(environment []string, args ...string) *exec.Cmd {
		command := exec.Command("unshare", append([]string{"--mount", "--propagation", "private", "sh", "-c",
			strings.Replace(enter, "65532:65532", user, 1), "sh", root}, append(slices.Clone(program), args...)...)...)
		command.Env = append(slices.Clone(c.Env), environment...)
		command.Env[slices.IndexFunc(command.Env, func(v string) bool { return strings.HasPrefix(v, "PATH=") })] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
		return command
	}
	port := freePort(t)
	address := []string{"ENTREPOT_ADDR=127.0.0.1:" + port}
	stop := serve(t, container(address, c.Cmd...), "http://127.0.0.1:"+port)
	if out, err := container(address, c.Healthcheck.Test[2:]...).CombinedOutput(); err != nil || string(out) != "ready\n" {
		t.Errorf("the health check of a service that is ready: %v %s", err, out)
	}
	stop()
	if out, err := container(address, c.Healthcheck.Test[2:]...).CombinedOutput(); err == nil {
		t.Errorf("the health check without a service: %s", out)
	}
	if out, err := container(nil, "migrate", "--data", "/etc/entrepot").CombinedOutput(); err == nil || !strings.Contains(string(out), "read-only") {
		t.Errorf("the root can be written: %v %s", err, out)
	}
}

// ociImage is the image of this machine's processor in the OCI layout, which is valid, as docker's form is.
func ociImage(t *testing.T) v1.Image {
	t.Helper()
	folder := t.TempDir()
	output(t, "tar", "-xf", artifact(t, "image_oci.tar"), "-C", folder)
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Errorf("the layout: %v", err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(manifest.Manifests); tried() == "" && n != 2 || tried() != "" && n != 1 {
		t.Errorf("%d images", len(manifest.Manifests))
	}
	docker, err := tarball.ImageFromPath(artifact(t, "image_linux_"+processor+".tar"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range manifest.Manifests {
		if m.Platform == nil || m.Platform.Architecture != processor {
			continue
		}
		image, err := index.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		one, err := image.ConfigName()
		if err != nil {
			t.Fatal(err)
		}
		if other, err := docker.ConfigName(); err != nil || one != other {
			t.Errorf("docker's form has another configuration: %v", err)
		}
		return image
	}
	t.Fatal("no image for this processor")
	return nil
}
