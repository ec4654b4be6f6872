import { type Answered, healthEndpoints, idPattern } from '@troupe/protocol'
import { z } from 'zod'
import { answerText, implement, type Route } from './route.ts'

type Fields = Record<string, unknown>

/** Generates OpenAPI 3.1 from the routes. */
export function openApi(routes: readonly Route[], version: string): Answered<'GET /ai/openapi.json'> {
  const paths: Record<string, Fields> = {}
  const schemas: Fields = { Error: errorSchema }
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: shareDefinitions(operation(route), schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Troupe',
      version,
      description:
        'Errors are {error: {name, message, data}}. Bodies are JSON of at most 32 MiB. Streams are UI message streams of the AI SDK (x-vercel-ai-ui-message-stream: v1) with an SSE id per chunk.',
    },
    servers: [{ url: 'http://127.0.0.1:4880' }],
    paths,
    components: { securitySchemes, schemas },
  }
}

const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'the content of the file "token" in the home folder. In team mode: an API token, or the token of a device',
  },
  page: {
    type: 'http',
    scheme: 'Page',
    description: 'for the page: the credential that POST /ai/auth gives. In team mode: its cookie',
  },
  link: {
    type: 'apiKey',
    in: 'query',
    name: 'access',
    description: 'for images and downloads of the page: the signature of the address before it',
  },
}

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['name', 'message', 'data'],
      properties: { name: { type: 'string' }, message: { type: 'string' }, data: { type: 'object' } },
    },
  },
}

const workspace = {
  name: 'workspace',
  in: 'query',
  required: false,
  description: "another folder than the server's own, as an absolute path; for programs only",
  schema: { type: 'string' },
}

function operation(route: Route): Fields {
  const parameters = [
    ...pathParameters(route),
    ...queryParameters(route),
    ...(route.scoped === true ? [workspace] : []),
  ]
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [route.path.split('/')[2] ?? 'health'],
    'x-access': route.access,
    'x-team': route.team,
    security:
      route.access.on === 'open'
        ? []
        : [{ token: [] }, { page: [] }, ...(route.linkable === true ? [{ link: [] }] : [])],
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: route.body && { required: true, content: bodyContent(route.body) },
    responses: responses(route),
  }
}

/** `GET /ai/sessions/:id/messages` becomes `getSessionsIdMessages`. */
function operationId({ method, path }: Route): string {
  const words = path.replace(/^\/ai\//, '').split(/[^A-Za-z0-9]+/)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function pathParameters({ path }: Route): Fields[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const id = /^id$|Id$/.test(name)
    return { name, in: 'path', required: true, schema: { type: 'string', pattern: id ? idPattern.source : undefined } }
  })
}

function queryParameters({ query }: Route): Fields[] {
  if (query === undefined) return []
  const { properties = {} } = schema(query) as { properties?: Fields }
  return Object.entries(properties).map(([name, value]) => ({ name, in: 'query', required: false, schema: value }))
}

function bodyContent(body: NonNullable<Route['body']>): Fields {
  if (body === 'bytes' || body === 'upload') return { '*/*': { schema: { type: 'string', format: 'binary' } } }
  return { 'application/json': { schema: schema(body) } }
}

function responses(route: Route): Fields {
  const hasBody = route.body !== undefined
  const answers: Record<number, Route['answers'][number] | undefined> = {
    400:
      hasBody || /:\w*[iI]d\b|\?/.test(route.path) || route.query !== undefined
        ? 'BadRequest, BadId, BadJson'
        : undefined,
    401: route.access.on === 'open' ? undefined : 'Unauthorized',
    403: 'ForeignHost, ForeignOrigin',
    413: hasBody ? 'BodyTooLarge' : undefined,
    415: hasBody && typeof route.body !== 'string' ? 'NotJson' : undefined,
    ...route.answers,
  }
  return Object.fromEntries(
    Object.entries(answers).flatMap(([status, given]) =>
      given === undefined ? [] : [[status, response(route, Number(status), given)]],
    ),
  )
}

function response(route: Route, status: number, given: Route['answers'][number]): Fields {
  const description = answerText(given)
  if (status === 204) return { description }
  if (status >= 400)
    return { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } }
  const types = { json: 'application/json', stream: 'text/event-stream', bytes: 'application/octet-stream' }
  const json = typeof given === 'string' ? {} : { schema: schema(given, 'output') }
  const content = (route.gives ?? ['json']).map((kind) => [types[kind], kind === 'json' ? json : {}])
  return { description, content: Object.fromEntries(content) as Fields }
}

/** Recursive schemas refer to definitions by their place in the document, so those move to the components. */
function shareDefinitions(given: Fields, schemas: Fields): Fields {
  const id = String(given['operationId'])
  return visit(given) as Fields

  function visit(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(visit)
    if (typeof value !== 'object' || value === null) return value
    const { $defs, ...rest } = value as Fields
    for (const [name, definition] of Object.entries($defs ?? {})) schemas[id + name] = visit(definition)
    return Object.fromEntries(
      Object.entries(rest).map(([name, one]) => [name, name === '$ref' ? moved(one) : visit(one)]),
    )
  }

  function moved(reference: unknown): unknown {
    return String(reference).replace(/^#\/\$defs\//, `#/components/schemas/${id}`)
  }
}

function schema(type: z.ZodType, io: 'input' | 'output' = 'input'): Fields {
  const { $schema: _, ...rest } = z.toJSONSchema(type, { io, unrepresentable: 'any' }) as Fields
  return rest
}

export function healthRoutes({ version, routes }: { version: string; routes: () => readonly Route[] }): Route[] {
  return implement(healthEndpoints, {
    'GET /health': () => ({ ok: true, version }),
    'GET /ai/openapi.json': () => openApi(routes(), version),
  })
}
