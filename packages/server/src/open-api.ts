import { z } from 'zod'
import type { Route } from './route.ts'

/** OpenAPI 3.1, made from the routes themselves. */
export function openApi(routes: readonly Route[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Troupe',
      version,
      description: 'Errors are {error: {name, message, data}}. A body holds at most 32 MiB.',
    },
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'the content of the file "token" in the home folder' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'troupe-<port>' },
      },
      schemas: {
        Error: {
          type: 'object',
          required: ['error'],
          properties: {
            error: {
              type: 'object',
              required: ['name', 'message', 'data'],
              properties: { name: { type: 'string' }, message: { type: 'string' }, data: { type: 'object' } },
            },
          },
        },
      },
    },
  }
}

function operation(route: Route): Record<string, unknown> {
  const pathParameters = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const query = route.query === undefined ? {} : (schema(route.query)['properties'] as Record<string, unknown>)
  const queryParameters = Object.entries(query).map(([name, value]) => ({
    name,
    in: 'query',
    required: false,
    schema: value,
  }))
  return {
    summary: route.summary,
    security: route.open === true ? [] : [{ token: [] }, { cookie: [] }],
    ...(pathParameters.length + queryParameters.length > 0 && { parameters: [...pathParameters, ...queryParameters] }),
    ...(route.body !== undefined && { requestBody: { required: true, content: bodyContent(route.body) } }),
    responses: Object.fromEntries(
      Object.entries(route.answers).map(([status, description]) => [status, answer(Number(status), description)]),
    ),
  }
}

function bodyContent(body: NonNullable<Route['body']>): Record<string, unknown> {
  if (body === 'bytes') return { 'application/octet-stream': {} }
  return { 'application/json': { schema: schema(body) } }
}

function answer(status: number, description: string): Record<string, unknown> {
  if (status < 400) return { description }
  return { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } }
}

function schema(type: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Record<
    string,
    unknown
  >
  return rest
}
