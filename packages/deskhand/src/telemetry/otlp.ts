import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import type { CallTrace, Counters } from '@deskhand/core/session'
import type { Context, SpanContext } from '@opentelemetry/api'
import { VERSION } from '../version.ts'

/** How long the last counts and traces may take at the end. */
const LAST_WORDS_MS = 2_000

export interface TelemetryOptions {
  /** Where an OTLP receiver listens, as http://127.0.0.1:4318; `/v1/traces` and `/v1/metrics` are added. */
  otlp: string
  seconds: number
  /** The desktop that this is about, and its kind. */
  desktop: string
  kind: string
}

/** Sends counts and traces to an OTLP receiver until the returned function is called. The packages for it are loaded here and nowhere else. */
export function sendTelemetry(counters: Counters, { otlp, seconds, desktop, kind }: TelemetryOptions): () => Promise<void> {
  const { api, metrics, traces, resources, metricsOut, tracesOut } = packages()
  const resource = resources.resourceFromAttributes({
    'service.name': 'deskhand',
    'service.version': VERSION,
    'deskhand.desktop.name': desktop,
    'deskhand.desktop.kind': kind,
  })
  const base = otlp.replace(/\/+$/, '')
  const exporter = new metricsOut.OTLPMetricExporter({ url: `${base}/v1/metrics` })
  const reader = new metrics.PeriodicExportingMetricReader({ exporter, exportIntervalMillis: seconds * 1000 })
  const meters = new metrics.MeterProvider({ resource, readers: [reader] })
  const spans = new traces.BatchSpanProcessor(new tracesOut.OTLPTraceExporter({ url: `${base}/v1/traces` }), {
    scheduledDelayMillis: Math.min(seconds, 5) * 1000,
  })
  const tracers = new traces.BasicTracerProvider({ resource, spanProcessors: [spans] })
  const meter = meters.getMeter('deskhand', VERSION)
  const tracer = tracers.getTracer('deskhand', VERSION)

  for (const name of ['calls', 'errors', 'decisions', 'approvals', 'targets'])
    meter.createObservableCounter(`deskhand.${name}`).addCallback((result) => {
      for (const one of counters.read().counters) if (one.name === name) result.observe(one.value, one.labels)
    })
  for (const name of ['tree_nodes', 'hung_applications'])
    meter.createObservableGauge(`deskhand.${name}`).addCallback((result) => {
      for (const one of counters.read().gauges) if (one.name === name) result.observe(one.value)
    })
  const times = meter.createHistogram('deskhand.step.duration', { unit: 's' })
  const operations = meter.createHistogram('mcp.server.operation.duration', { unit: 's' })

  const parentOf = (traceparent: string | undefined): Context => {
    const remote = traceparent === undefined ? undefined : spanContext(traceparent)
    return remote === undefined ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, remote)
  }
  counters.onCall = (call) => {
    const isMcp = call.origin?.face === 'mcp'
    const attributes = attributesOf(call)
    for (const { step, ms } of call.steps) times.record(ms / 1000, { step })
    times.record(call.ms / 1000, { step: 'call' })
    if (isMcp) operations.record(call.ms / 1000, mcpAttributes(call))
    const span = tracer.startSpan(
      `${isMcp ? 'tools/call' : 'execute_tool'} ${call.tool}`,
      { kind: isMcp ? api.SpanKind.SERVER : api.SpanKind.INTERNAL, startTime: call.startedAt, attributes },
      parentOf(call.origin?.traceparent),
    )
    if (call.code !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR })
    const inside = api.trace.setSpan(api.ROOT_CONTEXT, span)
    for (const { step, fromMs, ms } of call.steps)
      tracer.startSpan(step, { startTime: call.startedAt + fromMs }, inside).end(call.startedAt + fromMs + ms)
    span.end(call.startedAt + call.ms)
  }
  return async () => {
    counters.onCall = undefined
    // A receiver that is gone must not keep the desktop from ending.
    await Promise.race([Promise.allSettled([tracers.shutdown(), meters.shutdown()]), sleep(LAST_WORDS_MS, undefined, { ref: false })])
  }
}

/** By the semantic conventions for GenAI and MCP where they have a word; nothing of what the call is about. */
function attributesOf(call: CallTrace): Record<string, string> {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': call.tool,
    ...(call.origin?.face === 'mcp' ? mcpAttributes(call) : {}),
    ...(call.code === undefined ? {} : { 'error.type': call.code }),
    'deskhand.action': call.kind,
    ...(call.verdict === undefined ? {} : { 'deskhand.decision': call.verdict }),
    ...(call.risk === undefined ? {} : { 'deskhand.risk': call.risk }),
  }
}

const mcpAttributes = ({ tool, code }: CallTrace): Record<string, string> => ({
  'mcp.method.name': 'tools/call',
  'gen_ai.tool.name': tool,
  ...(code === undefined ? {} : { 'error.type': code }),
})

function spanContext(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = '0'] = traceparent.split('-')
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}

/** They are CommonJS; `require` finds that form whatever resolves modules otherwise. */
function packages(): Packages {
  const load = createRequire(import.meta.url)
  try {
    return {
      api: load('@opentelemetry/api') as Packages['api'],
      metrics: load('@opentelemetry/sdk-metrics') as Packages['metrics'],
      traces: load('@opentelemetry/sdk-trace-base') as Packages['traces'],
      resources: load('@opentelemetry/resources') as Packages['resources'],
      metricsOut: load('@opentelemetry/exporter-metrics-otlp-http') as Packages['metricsOut'],
      tracesOut: load('@opentelemetry/exporter-trace-otlp-http') as Packages['tracesOut'],
    }
  } catch (cause) {
    throw new DeskhandError('MISSING_PACKAGE', 'telemetry.otlp is set, and the packages that send it are not installed', {
      cause,
      next: `Run: npm install ${PACKAGES.join(' ')}`,
    })
  }
}

interface Packages {
  api: typeof import('@opentelemetry/api')
  metrics: typeof import('@opentelemetry/sdk-metrics')
  traces: typeof import('@opentelemetry/sdk-trace-base')
  resources: typeof import('@opentelemetry/resources')
  metricsOut: typeof import('@opentelemetry/exporter-metrics-otlp-http')
  tracesOut: typeof import('@opentelemetry/exporter-trace-otlp-http')
}

const PACKAGES = [
  '@opentelemetry/api@1.9.1',
  '@opentelemetry/sdk-metrics@2.12.0',
  '@opentelemetry/sdk-trace-base@2.12.0',
  '@opentelemetry/resources@2.12.0',
  '@opentelemetry/exporter-metrics-otlp-http@0.223.0',
  '@opentelemetry/exporter-trace-otlp-http@0.223.0',
]
