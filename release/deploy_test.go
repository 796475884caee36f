package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	composeloader "github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// composed loads compose.yaml as docker compose does.
func composed(t *testing.T, text []byte, environment map[string]string) (*types.Project, error) {
	t.Helper()
	return composeloader.LoadWithContext(t.Context(), types.ConfigDetails{WorkingDir: "../deploy", Environment: environment,
		ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: text}}})
}

// leastEnvironment is what .env must have; loading a project adds to it.
func leastEnvironment() map[string]string {
	return map[string]string{"POSTGRES_PASSWORD": "hidden", "ENTREPOT_MASTER_KEY": "AAAA"}
}

func TestCompose(t *testing.T) {
	text, err := os.ReadFile("../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	project, err := composed(t, text, leastEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	service := project.Services["entrepot"]
	if url := service.Environment["ENTREPOT_DATABASE"]; url == nil || *url != "postgres://entrepot:hidden@postgres/entrepot" || !service.ReadOnly {
		t.Errorf("%+v", service)
	}
	if !strings.HasPrefix(project.Services["postgres"].Image, "postgres:17") || service.DependsOn["postgres"].Condition != "service_healthy" {
		t.Error("the service does not wait for PostgreSQL 17")
	}
	for name := range leastEnvironment() {
		without := leastEnvironment()
		delete(without, name)
		if _, err := composed(t, text, without); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	if _, err := composed(t, bytes.Replace(text, []byte("volumes:\n      - data"), []byte("volumess:\n      - data"), 1), leastEnvironment()); err == nil {
		t.Error("a misspelt member is accepted: nothing is checked")
	}
	for name := range service.Environment { // a setting that is not there would have no effect
		setting(t, name)
	}
}

// setting fails unless a variable is a setting of the program.
func setting(t *testing.T, variable string) {
	t.Helper()
	text, err := os.ReadFile("../cmd/entrepot/settings.go")
	if err != nil {
		t.Fatal(err)
	}
	name := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, "ENTREPOT_"), "_", "-"))
	if !strings.Contains(string(text), `{name: "`+name+`"`) {
		t.Errorf("%s is no setting", variable)
	}
}

// The backup of compose.yaml writes a dump, deletes old ones, and ends at once when it is stopped.
func TestComposeBackup(t *testing.T) {
	text, err := os.ReadFile("../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	project, err := composed(t, text, leastEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	backup := project.Services["backup"]
	folder, programs := t.TempDir(), t.TempDir()
	fake := "#!/bin/sh\nfor a; do case $a in --file=*) echo dump >\"${a#--file=}\";; esac; done\n"
	if err := os.WriteFile(filepath.Join(programs, "pg_dump"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(folder, "entrepot-2020-01-01T000000Z.dump")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().AddDate(0, 0, -20)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	script := strings.NewReplacer("/backup", folder, "$$", "$").Replace(backup.Command[0])
	loop := exec.Command(backup.Entrypoint[0], append(backup.Entrypoint[1:], script)...)
	loop.Env = []string{"PATH=" + programs + ":/usr/bin:/bin"}
	loop.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var said bytes.Buffer
	loop.Stdout, loop.Stderr = &said, &said
	loop.WaitDelay = time.Second
	if err := loop.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-loop.Process.Pid, syscall.SIGKILL) })
	deadline := time.Now().Add(time.Minute)
	for {
		list, _ := filepath.Glob(filepath.Join(folder, "*"))
		if len(list) == 1 && list[0] != old && strings.HasSuffix(list[0], ".dump") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no dump after a minute: %v\n%s", list, said.String())
		}
		time.Sleep(20 * time.Millisecond)
	}
	_ = loop.Process.Signal(syscall.SIGTERM)
	_ = loop.Wait() // the loop's sleep has its output and goes on, until the container ends
	if code := loop.ProcessState.ExitCode(); code != 0 {
		t.Errorf("SIGTERM: exit code %d: %s", code, said.String())
	}
}

// templated are the texts that the chart's templates make of values, by file.
func templated(t *testing.T, values string) (map[string]string, error) {
	t.Helper()
	chart, err := loader.LoadDir("../deploy/helm/entrepot")
	if err != nil {
		t.Fatal(err)
	}
	given, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	all, err := chartutil.ToRenderValues(chart, given, chartutil.ReleaseOptions{Name: "shop", Namespace: "default", IsInstall: true}, capabilities)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(chart, all)
}

// rendered are the manifests of the chart with values, by kind and name, and the ServiceMonitor.
func rendered(t *testing.T, values string) (map[string]runtime.Object, string, error) {
	t.Helper()
	texts, err := templated(t, values)
	if err != nil {
		return nil, "", err
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{Yaml: true, Strict: true})
	objects, monitor := map[string]runtime.Object{}, ""
	for name, text := range texts {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for document := range strings.SplitSeq(text, "\n---\n") {
			if strings.TrimSpace(document) == "" {
				continue
			}
			if strings.Contains(document, "kind: ServiceMonitor") {
				monitor = document
				continue
			}
			object, kind, err := strict.Decode([]byte(document), nil, nil)
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, document)
				continue
			}
			objects[kind.Kind+" "+regexp.MustCompile(`(?m)^  name: (\S+)$`).FindStringSubmatch(document)[1]] = object
		}
	}
	return objects, monitor, nil
}

const (
	withImage   = "image: {repository: r.example/entrepot}\n"
	leastValues = withImage + "database: {url: 'postgres://entrepot:hidden@db/entrepot'}\nmasterKey: {value: AAAA}\n"
)

func TestChart(t *testing.T) {
	objects, monitor, err := rendered(t, leastValues)
	if err != nil {
		t.Fatal(err)
	}
	deployment, _ := objects["Deployment shop-entrepot"].(*appsv1.Deployment)
	if deployment == nil {
		t.Fatalf("%v", objects)
	}
	pod := deployment.Spec.Template.Spec
	container := pod.Containers[0]
	if *deployment.Spec.Replicas != 2 || !*container.SecurityContext.ReadOnlyRootFilesystem || !*pod.SecurityContext.RunAsNonRoot ||
		container.ReadinessProbe.HTTPGet.Path != "/readyz" || container.LivenessProbe.HTTPGet.Path != "/healthz" {
		t.Errorf("%+v", deployment.Spec)
	}
	for _, v := range container.Env {
		setting(t, v.Name)
		if v.ValueFrom == nil {
			continue
		}
		secret, _ := objects["Secret "+v.ValueFrom.SecretKeyRef.Name].(*corev1.Secret)
		if secret == nil || secret.StringData[v.ValueFrom.SecretKeyRef.Key] == "" {
			t.Errorf("%s comes from a secret that is not there", v.Name)
		}
	}
	service := objects["Service shop-entrepot"].(*corev1.Service)
	for name, value := range service.Spec.Selector {
		if deployment.Spec.Template.Labels[name] != value || deployment.Spec.Selector.MatchLabels[name] != value {
			t.Errorf("the service selects %s=%s", name, value)
		}
	}
	if budget := objects["PodDisruptionBudget shop-entrepot"].(*policyv1.PodDisruptionBudget); budget.Spec.MaxUnavailable.IntValue() != 1 {
		t.Errorf("%+v", budget.Spec)
	}
	if monitor != "" || len(objects) != 5 {
		t.Errorf("%d objects, %q", len(objects), monitor)
	}
}

func TestChartOptions(t *testing.T) {
	objects, monitor, err := rendered(t, `
nodes: 3
database: {existingSecret: db}
masterKey: {existingSecret: key}
admin: {existingSecret: owner}
settings: {public-url: 'https://shop.example', retention: 60d}
environment: [{name: AWS_ACCESS_KEY_ID, valueFrom: {secretKeyRef: {name: bucket, key: id}}}]
ingress: {enabled: true, host: shop.example, className: nginx, tlsSecret: tls, annotations: {a: b}}
serviceMonitor: {enabled: true, labels: {release: prometheus}}
nodeSelector: {disk: ssd}
tolerations: [{key: a, operator: Exists}]
podAnnotations: {c: d}
image: {repository: r.example/entrepot, tag: "1.2.3", pullSecrets: [{name: pull}]}
`)
	if err != nil {
		t.Fatal(err)
	}
	deployment := objects["Deployment shop-entrepot"].(*appsv1.Deployment)
	container := deployment.Spec.Template.Spec.Containers[0]
	names := ""
	for _, v := range container.Env {
		if v.Name == "AWS_ACCESS_KEY_ID" {
			names += v.ValueFrom.SecretKeyRef.Name + " "
			continue
		}
		setting(t, v.Name)
		names += v.Name + "=" + v.Value + " "
	}
	if !strings.Contains(names, "bucket ") {
		t.Errorf("a variable that is not entrepot's is missing: %s", names)
	}
	if *deployment.Spec.Replicas != 3 || container.Image != "r.example/entrepot:1.2.3" || !strings.Contains(names, "ENTREPOT_RETENTION=60d") ||
		!strings.Contains(names, "ENTREPOT_ADMIN_PASSWORD") || objects["Ingress shop-entrepot"] == nil {
		t.Errorf("%s %+v", names, deployment.Spec)
	}
	var of struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Metadata   map[string]any `json:"metadata"`
		Spec       struct {
			Selector  struct{ MatchLabels map[string]string } `json:"selector"`
			Endpoints []struct{ Port, Path, Interval string } `json:"endpoints"`
		} `json:"spec"`
	}
	if err := yaml.UnmarshalStrict([]byte(monitor), &of); err != nil || of.Spec.Endpoints[0].Path != "/metrics" || of.Spec.Endpoints[0].Port != "http" {
		t.Errorf("%v\n%s", err, monitor)
	}
	for name := range objects {
		if strings.HasPrefix(name, "Secret") {
			t.Errorf("%s, although there are secrets", name)
		}
	}
}

// The chart's alerts are those of deploy/monitoring, and lead to the copy of the runbook that the values name.
func TestChartAlerts(t *testing.T) {
	alerts, err := os.ReadFile("../deploy/monitoring/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const file = "entrepot/templates/prometheusrule.yaml"
	if texts, err := templated(t, leastValues); err != nil || strings.TrimSpace(texts[file]) != "" {
		t.Errorf("without the value there are rules: %v %s", err, texts[file])
	}
	texts, err := templated(t, leastValues+"prometheusRule: {enabled: true, docs: 'https://wiki.example/entrepot/', labels: {release: prometheus}}")
	if err != nil {
		t.Fatal(err)
	}
	type rule struct {
		Alert       string            `json:"alert"`
		Expr        string            `json:"expr"`
		For         string            `json:"for"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	}
	type groups struct {
		Groups []struct {
			Name  string `json:"name"`
			Rules []rule `json:"rules"`
		} `json:"groups"`
	}
	var want groups
	var got struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name   string            `json:"name"`
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
		Spec groups `json:"spec"`
	}
	if err := errors.Join(yaml.UnmarshalStrict(alerts, &want), yaml.UnmarshalStrict([]byte(texts[file]), &got)); err != nil {
		t.Fatalf("%v\n%s", err, texts[file])
	}
	for i, r := range want.Groups[0].Rules {
		r.Annotations["runbook_url"] = strings.Replace(r.Annotations["runbook_url"], "https://entrepot.example/docs", "https://wiki.example/entrepot", 1)
		if here := got.Spec.Groups[0].Rules[i]; !reflect.DeepEqual(here, r) {
			t.Errorf("the chart's %s is another: %v", r.Alert, here)
		}
	}
	if got.Metadata.Labels["release"] != "prometheus" || len(want.Groups[0].Rules) != len(got.Spec.Groups[0].Rules) {
		t.Errorf("%v, %d rules", got.Metadata, len(got.Spec.Groups[0].Rules))
	}
}

// Values that cannot work are refused before anything is installed.
func TestChartRefuses(t *testing.T) {
	for values, want := range map[string]string{
		withImage + "masterKey: {value: AAAA}":                                "database",
		withImage + "database: {url: 'postgres://db/entrepot'}":               "master key",
		"database: {url: 'postgres://db/entrepot'}\nmasterKey: {value: AAAA}": "image.repository",
		leastValues + "node: 3":                                               "node",
		leastValues + "nodes: 0":                                              "nodes",
		leastValues + "settings: {addr: ':1'}":                                "settings",
		leastValues + "ingress: {enabled: true}":                              "ingress.host",
		"database: {url: 'mysql://db'}\nmasterKey: {value: A}":                "url",
	} {
		if _, _, err := rendered(t, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", values, err)
		}
	}
}

// The unit is valid, and hardened to an exposure of at most 3 of 10.
func TestUnit(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is not installed: the unit is not checked")
	}
	out := output(t, "systemd-analyze", "security", "--offline=true", "--no-pager", "../deploy/entrepot.service")
	level := regexp.MustCompile(`Overall exposure level for entrepot.service: ([0-9.]+)`).FindStringSubmatch(out)
	if level == nil {
		t.Fatalf("no level:\n%s", out)
	}
	if exposure, err := strconv.ParseFloat(level[1], 64); err != nil || exposure > 3 {
		t.Errorf("exposure %s", level[1])
	}
	t.Log("exposure", level[1])
}

// The settings of packages are settings of the program, and so are the commented ones.
func TestPackagedSettings(t *testing.T) {
	text, err := os.ReadFile("package/entrepot.conf")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^#?([a-z-]+) = `).FindAllStringSubmatch(string(text), -1) {
		setting(t, m[1])
		names = append(names, m[1])
	}
	if !slices.Contains(names, "data") || len(names) < 6 {
		t.Errorf("only %v", names)
	}
}
