{{/* Names are those of the release, so that two of them fit into a namespace. */}}
{{- define "gatehouse.name" -}}
{{- if contains "gatehouse" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-gatehouse" (.Release.Name | trunc 40 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "gatehouse.selector" -}}
app.kubernetes.io/name: gatehouse
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gatehouse.labels" -}}
{{ include "gatehouse.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* What every pod has: the server, and the migration before it. */}}
{{- define "gatehouse.pod" -}}
automountServiceAccountToken: false
# Variables such as GATEHOUSE_PORT, which Kubernetes makes of a Service, are no settings: the server would not start.
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "gatehouse.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) | quote }}
env:
  - name: BASE_URL
    value: {{ .Values.baseUrl | quote }}
  - name: TRUSTED_PROXIES
    value: {{ .Values.trustedProxies | quote }}
  {{- if gt (int .Values.workers) 1 }}
  - name: GATEHOUSE_WORKERS
    value: {{ .Values.workers | quote }}
  {{- end }}
  - name: DATABASE_URL
    valueFrom:
      secretKeyRef:
        name: {{ .Values.secret.name }}
        key: {{ .Values.secret.keys.databaseUrl }}
  {{- with .Values.databaseListenUrlKey }}
  - name: DATABASE_LISTEN_URL
    valueFrom:
      secretKeyRef:
        name: {{ $.Values.secret.name }}
        key: {{ . }}
  {{- end }}
  - name: GATEHOUSE_SECRET
    valueFrom:
      secretKeyRef:
        name: {{ .Values.secret.name }}
        key: {{ .Values.secret.keys.gatehouseSecret }}
  - name: MAIL_URL
    {{- if .Values.mail.enabled }}
    valueFrom:
      secretKeyRef:
        name: {{ .Values.secret.name }}
        key: {{ .Values.secret.keys.mailUrl }}
    {{- else }}
    value: none
    {{- end }}
  {{- with .Values.mail.from }}
  - name: MAIL_FROM
    value: {{ . | quote }}
  {{- end }}
  {{- range $name, $value := .Values.env }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
resources:
  {{- toYaml .Values.resources | nindent 2 }}
{{- end }}
