/** Who may import whom. A layer is a folder of core or a whole package; what is not listed is forbidden. */
// oxfmt-ignore
export const ALLOWED: Record<string, readonly string[]> = {
  'core/errors': [],
  'core/model': ['zod'],
  'core/selector': ['core/model', 'core/errors', 're2js', 'zod'],
  'core/policy': ['core/model', 'core/errors', 're2js', 'smol-toml', 'zod'],
  'core/notifier': [],
  'core/platform': ['core/errors', 'zod'],
  'core/redaction': ['core/model', 'core/errors', 'core/platform', 're2js'],
  'core/journal': ['core/model', 'core/errors', 'core/notifier', 'core/platform', 'zod'],
  'core/driver': ['core/model', 'core/errors', 'core/notifier', 'zod', 'vitest'],
  'core/session': ['core/model', 'core/errors', 'core/selector', 'core/policy', 'core/redaction', 'core/journal', 'core/notifier', 'core/driver', 'zod'],
  'driver-virtual': ['core/model', 'core/errors', 'core/driver', 'zod'],
  'driver-linux': ['core/model', 'core/errors', 'core/driver', 'x11', 'zod'],
  'driver-windows': ['core/model', 'core/errors', 'core/driver', 'koffi'],
  code: ['core/model', 'core/errors', 'core/driver', 'core/session', 'py-ast', 'pyodide', 'zod'],
  vision: ['core/model', 'core/errors', 'core/driver', 'core/session', 'onnxruntime-node', 'tesseract.js'],
  deskhand: [
    'core/model', 'core/errors', 'core/selector', 'core/policy', 'core/platform', 'core/redaction', 'core/journal', 'core/driver', 'core/session', 'driver-virtual', 'driver-linux', 'driver-windows', 'code', 'vision',
    '@anthropic-ai/sdk', '@modelcontextprotocol/server', '@opentelemetry/api', '@opentelemetry/exporter-metrics-otlp-http',
    '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources', '@opentelemetry/sdk-metrics', '@opentelemetry/sdk-trace-base',
    'commander', 'sharp', 'smol-toml', 'ws', 'yaml', 'zod',
  ],
  console: [
    'core/model', '@codemirror/autocomplete', '@codemirror/commands', '@codemirror/lang-python', '@codemirror/language', '@codemirror/legacy-modes', '@codemirror/lint', '@codemirror/state', '@codemirror/view',
    '@fontsource-variable/inter', '@lezer/highlight', '@novnc/novnc', '@tanstack/react-virtual', 'lucide-react', 'radix-ui', 'react', 'react-dom',
  ],
}
