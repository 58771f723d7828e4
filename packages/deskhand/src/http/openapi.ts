import { z } from 'zod'
import { METHODS, type MethodName } from '@deskhand/core/model'
import { listedTools } from '../tools/listing.ts'
import { VERSION } from '../version.ts'
import { paramsSchema } from './params.ts'
import { ROUTES, type Route } from './routes.ts'

type Json = Record<string, unknown>

/** The API as an OpenAPI document, made from the table of methods and the list of tools. */
export function openApi(): Json {
  const paths: Record<string, Json> = {}
  for (const route of ROUTES) {
    const path = `/api/v1/desktops/{desktop}${route.path}`
    paths[path] = { ...paths[path], [route.verb.toLowerCase()]: operation(route) }
  }
  for (const { name, description, inputSchema } of listedTools()) {
    const call = operation(toolRoute(name))
    const { properties } = paramsSchema('call')
    const schema = {
      type: 'object',
      properties: { ...without(properties ?? {}, ['tool', 'hold', 'progress', 'desktop']), args: inputSchema },
    }
    paths[`/api/v1/desktops/{desktop}/tools/${name}`] = {
      post: { ...call, operationId: `tool.${name}`, summary: description, requestBody: { content: { 'application/json': { schema } } } },
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Deskhand', version: VERSION, description: 'Governed hands on a desktop for AI agents.' },
    security: [{ token: [] }, { cookie: [] }],
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'deskhand',
          description: 'Alone it only looks; with x-deskhand-csrf it is an operator’s.',
        },
      },
      schemas: { Problem: PROBLEM_SCHEMA },
    },
    paths: { ...SERVER_PATHS, ...paths },
  }
}

const toolRoute = (tool: string): Route => ({ verb: 'POST', path: `/tools/${tool}`, method: 'call', about: '' })

function operation({ verb, path, method, about, fixed = {}, bytes }: Route): Json {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const properties = without(paramsSchema(method).properties ?? {}, [...named, ...Object.keys(fixed), 'desktop', 'hold', 'progress'])
  const parameters = [{ name: 'desktop', in: 'path', required: true, schema: { type: 'string' } }]
  for (const name of named) parameters.push({ name, in: 'path', required: true, schema: { type: 'string' } })
  const isRead = verb === 'GET' || verb === 'DELETE'
  const query = isRead ? Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema })) : []
  const { roles } = METHODS[method]
  return {
    operationId: typeof fixed['tool'] === 'string' ? `${method}.${fixed['tool']}` : method,
    summary: about,
    'x-roles': roles,
    parameters: [...parameters, ...query],
    ...(!isRead &&
      Object.keys(properties).length > 0 && {
        requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } },
      }),
    responses: {
      200: {
        description: 'done',
        content: bytes === undefined ? { 'application/json': { schema: resultSchema(method) } } : { [bytes.type]: {} },
      },
      default: {
        description: 'refused or failed',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  }
}

function resultSchema(method: MethodName): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(METHODS[method].result, { io: 'output', unrepresentable: 'any' })
  return schema
}

const without = (properties: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))

const PROBLEM_SCHEMA: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'next', 'retry'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    next: { type: 'string', description: 'What helps.' },
    retry: { enum: ['safe', 'observe_first', 'never'] },
  },
}

const answers = (description: string): Json => ({ responses: { 200: { description } } })

/** What belongs to the server and not to one desktop. */
const SERVER_PATHS: Json = {
  '/healthz': { get: { summary: 'Whether the server and its desktops answer.', security: [], ...answers('they do') } },
  '/api/v1/openapi.json': { get: { summary: 'This document.', security: [], ...answers('the document') } },
  '/api/v1/session': {
    get: { summary: 'Who the caller is.', ...answers('{ who, version }') },
    post: {
      summary: 'Exchanges an opening code for a cookie, once.',
      security: [],
      ...answers('{ who, csrf }, and the cookie; csrf goes into x-deskhand-csrf, and is said only here'),
    },
    delete: { summary: 'Signs out.', ...answers('done') },
  },
  '/api/v1/links': { post: { summary: 'A new one-time link that opens the console; for operators.', ...answers('{ open }') } },
  '/api/v1/tools': { get: { summary: 'The list of tools.', ...answers('every tool with its schema') } },
  '/api/v1/desktops': {
    get: {
      summary: 'The desktops of this server that the caller may know of.',
      ...answers('their state, or the error of one that does not answer'),
    },
    post: { summary: 'Brings up one more; for operators of the server.', ...answers('its state') },
  },
  '/api/v1/desktops/{desktop}/picture': { get: { summary: 'The screen as the caller may see it, as PNG.', ...answers('a picture') } },
  '/api/v1/desktops/{desktop}/picture/status': {
    get: {
      summary: 'Who watches the live picture, how often it is renewed and why, and what of it is hidden.',
      ...answers('{ viewers, width, height, everyMs, detailBits, scopePixels?, why, masked, readers, port? }'),
    },
  },
  '/api/v1/desktops/{desktop}/picture/port': {
    post: {
      summary: 'Opens the picture to VNC clients of this machine for some minutes, view-only; for operators.',
      ...answers('{ host, port, password, until }'),
    },
    delete: { summary: 'Closes it; for operators.', ...answers('done') },
  },
  '/api/v1/desktops/{desktop}/events': {
    get: {
      summary: 'What happens, as server-sent events or over a WebSocket; after= or Last-Event-ID goes on behind an event.',
      ...answers('events'),
    },
  },
}
