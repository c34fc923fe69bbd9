{{/* Probes name one of the hosts that requests may be for. */}}
{{- define "portico.host" -}}
{{- with .Values.settings.ALLOWED_HOSTS -}}
, httpHeaders: [{ name: Host, value: {{ splitList "," . | first }} }]
{{- end -}}
{{- end -}}
