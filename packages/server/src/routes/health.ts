import { openApi } from '../open-api.ts'
import { route, type Route } from '../route.ts'

export function healthRoutes({ version, routes }: { version: string; routes: () => readonly Route[] }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/health',
      summary: 'Whether the server is up.',
      open: true,
      answers: { 200: '{ok, version}' },
      handle: (c) => c.json({ ok: true, version }),
    }),
    route({
      method: 'GET',
      path: '/ai/openapi.json',
      summary: 'This reference, as OpenAPI 3.1.',
      answers: { 200: 'the document' },
      handle: (c) => c.json(openApi(routes(), version)),
    }),
  ]
}
