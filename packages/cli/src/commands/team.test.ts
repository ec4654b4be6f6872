import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { startHere, troupe, useTroupe } from '../testing/use-troupe.ts'

const place = useTroupe()
/** The folders of tests are closed to other users. */
const allowUnsandboxed = "I accept that members can read each other's files"

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Starts `troupe serve --team` for the rest of the test. Resolves with the lines that it prints. */
async function serveTeam(port: number, env: NodeJS.ProcessEnv) {
  const home = path.join(place.folder, 'server')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(path.join(home, 'config.json'), JSON.stringify({ model: 'demo/tour', team: { allowUnsandboxed } }), {
    mode: 0o600,
  })
  const served = startHere({ ...place, env: { ...place.env, TROUPE_HOME: home, ...env } }, [
    'serve',
    '--team',
    '--port',
    `${port}`,
  ])
  place.ends.push(async () => {
    served.stop()
    await served.code
  })
  return served
}

test('a person signs in on the command line and gets answers from the server of the team', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = { TROUPE_PUBLIC_URL: url, TROUPE_SECRET_KEY: 'k'.repeat(40), TROUPE_DEMO_SPEED: 'instant' }
  const served = await serveTeam(port, env)
  const lines = createInterface({ input: served.stdout })[Symbol.asyncIterator]()
  const first = String((await lines.next()).value)
  const setup = /#setup=([\w-]{43})/.exec(String((await lines.next()).value))?.[1]
  expect([first, typeof setup]).toEqual([`Troupe serves a team at ${url}`, 'string'])

  let cookie = ''
  const ask = async (target: string, body: object): Promise<number> => {
    const headers = { 'content-type': 'application/json', origin: url, 'x-troupe-page': '1', cookie }
    const response = await fetch(url + target, { method: 'POST', headers, body: JSON.stringify(body) })
    cookie =
      response.headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ') || cookie
    return response.status
  }
  const owner = { token: setup, name: 'Olga', email: 'olga@team.example', password: 'correct horse battery' }
  expect(await ask('/ai/account/setup', owner)).toBe(200)

  expect(await troupe(place, ['-p', 'hi', '--server', url])).toMatchObject({ code: 2 })
  const login = startHere(place, ['login', url])
  const shown = createInterface({ input: login.stdout })[Symbol.asyncIterator]()
  const code = /#device=([A-Z2-9-]+)$/.exec(String((await shown.next()).value))?.[1]
  expect(await ask('/ai/device/answer', { userCode: code, approve: true })).toBe(204)
  expect(await login.code).toBe(0)
  const file = path.join(place.folder, 'home', 'logins.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const { [url]: kept } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { token: string }>

  const answer = await troupe(place, ['-p', 'What is 2 + 2?', '--server', url, '--output-format', 'json'])
  expect([answer.code, answer.stderr]).toEqual([0, ''])
  expect(JSON.parse(answer.stdout)).toMatchObject({ model: 'demo/tour', error: null })
  // The token of the home of the server opens nothing.
  const token = readFileSync(path.join(place.folder, 'server', 'token'), 'utf8').trim()
  expect((await fetch(`${url}/ai/sessions`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)

  // Whoever holds the secret key may run these commands, and nobody else.
  const node = { ...place, env: { ...place.env, ...env, TROUPE_HOME: path.join(place.folder, 'server') } }
  expect(await troupe(node, ['secrets', 'rotate'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('encrypted with the key') as string,
  })
  expect(await troupe(node, ['person', 'export', 'olga@team.example', '-o', 'olga.jsonl'])).toMatchObject({ code: 0 })
  expect(readFileSync(path.join(place.folder, 'work', 'olga.jsonl'), 'utf8')).toContain('olga@team.example')
  expect(await troupe(node, ['person', 'delete', 'olga@team.example', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('owner') as string,
  })
  expect((await troupe(node, ['person', 'export', 'nobody@team.example'])).stderr).toContain('no member has')
  const keyless = { ...node, env: { ...node.env, TROUPE_SECRET_KEY: '' } }
  expect((await troupe(keyless, ['secrets', 'rotate'])).stderr).toContain('set TROUPE_SECRET_KEY')
  const other = { ...node, env: { ...node.env, TROUPE_SECRET_KEY: 'x'.repeat(40) } }
  expect((await troupe(other, ['secrets', 'rotate'])).stderr).toContain('Sign in first')

  expect(await troupe(place, ['logout', url])).toMatchObject({ code: 0 })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({})
  expect((await fetch(`${url}/ai/sessions`, { headers: { authorization: `Bearer ${kept!.token}` } })).status).toBe(401)
})

test('a team is not served without its settings, nor anyone else without a team', async () => {
  const serve = (args: string[], env = {}) =>
    troupe({ ...place, env: { ...place.env, ...env } }, ['serve', '--port', '0', ...args])
  expect((await serve(['--team'])).stderr).toContain('TROUPE_PUBLIC_URL')
  expect((await serve(['--team'], { TROUPE_PUBLIC_URL: 'https://team.example' })).stderr).toContain('TROUPE_SECRET_KEY')
  const settings = { TROUPE_PUBLIC_URL: 'https://team.example', TROUPE_SECRET_KEY: 'k'.repeat(40) }
  expect((await serve(['--team'], settings)).stderr).toContain('this machine cannot separate the members')
  const home = place.env['TROUPE_HOME'] ?? ''
  writeFileSync(path.join(home, 'config.json'), JSON.stringify({ team: { allowUnsandboxed } }), { mode: 0o600 })
  expect((await serve(['--team', '--host', '0.0.0.0'], settings)).stderr).toContain('team.tls')
  expect((await serve(['--host', '0.0.0.0'])).stderr).toContain('--team')
  expect((await troupe(place, ['login', 'http://team.example'])).code).toBe(2)
})
