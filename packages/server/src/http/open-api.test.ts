import { readFileSync } from 'node:fs'
import { contract, type Endpoint } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkOpenApi } from '../testing/check-open-api.ts'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
let document: { paths: Record<string, Record<string, { responses: object }>> }
beforeAll(async () => {
  server = await testServer()
  document = (await server.json<typeof document>('/ai/openapi.json')).body
})
afterAll(() => server.close())

describe('/ai/openapi.json', () => {
  it('is a valid document', () => {
    expect(checkOpenApi(document)).toEqual([])
  })

  it('knows every route of the app, and no other', () => {
    const served = server.app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`)
    const listed = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    )
    expect(listed.toSorted()).toEqual([...new Set(served)].toSorted())
    expect(listed.length).toBeGreaterThan(20)
  })

  it('equals the file in docs/reference', () => {
    const file = new URL('../../../../docs/reference/openapi.json', import.meta.url)
    const written = JSON.parse(readFileSync(file, 'utf8')) as typeof document
    const ofTeams = Object.entries(contract as Record<string, Endpoint>).filter(([, { team }]) => team === true)
    expect(ofTeams.length).toBeGreaterThan(30)
    // The file also has the routes that exist only in team mode.
    for (const [key] of ofTeams) {
      const [method = '', path = ''] = key.replaceAll(/:(\w+)/g, '{$1}').split(' ')
      if (document.paths[path]?.[method.toLowerCase()] !== undefined) continue
      expect([key, written.paths[path]?.[method.toLowerCase()] !== undefined]).toEqual([key, true])
      delete written.paths[path]?.[method.toLowerCase()]
      if (Object.keys(written.paths[path] ?? {}).length === 0) delete written.paths[path]
    }
    expect(written).toEqual(document)
  })
})

describe('checkOpenApi', () => {
  it('finds errors', () => {
    const broken = {
      openapi: '3.0.0',
      info: { title: 'x' },
      paths: {
        '/a/{id}': { get: { operationId: 'a', summary: 's', responses: { 200: {} }, security: [{ none: [] }] } },
        'b/{x}': {
          fetch: {
            operationId: 'a',
            parameters: [{ name: 'x', in: 'path', schema: { type: 'text' } }],
            requestBody: { content: {} },
            responses: { 404: { description: 'd', $ref: '#/nowhere' } },
          },
        },
      },
    }
    const problems = checkOpenApi(broken)
    for (const text of [
      '3.1',
      'info.version',
      'path and its parameters differ',
      'no description',
      'no scheme',
      'begin with /',
      'no such method',
      'not unique',
      'summary is missing',
      'must be required',
      'no good answer',
      'no content',
      '#/nowhere leads nowhere',
      'no type "text"',
    ]) {
      expect(problems.join('\n')).toContain(text)
    }
  })
})
