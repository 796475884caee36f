{{- define "entrepot.name" -}}
{{- if contains "entrepot" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-entrepot" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}
{{- define "entrepot.selector" -}}
app.kubernetes.io/name: entrepot
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "entrepot.labels" -}}
{{ include "entrepot.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
