// Everything comes from this server: no agent, no proxy, no telemetry, no outside fonts.
Scalar.createApiReference('#app', {
  url: '/api/v1/openapi.json',
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
});
