import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testServer } from '../testing/test-server.ts'

test('a home inside the workspace is not served by any route, except the session’s own output', async () => {
  const workspace = mkdtempSync(path.join(tmpdir(), 'troupe-home-inside-'))
  const home = path.join(workspace, '.troupe')
  const server = await testServer({ home, workspace })
  onTestFinished(async () => {
    await server.close()
    rmSync(workspace, { recursive: true, force: true })
  })
  await server.json('/ai/sessions', { body: { id: 's' } })
  writeFileSync(path.join(home, 'own.html'), 'secret')
  for (const kind of ['output', 'jsx']) mkdirSync(path.join(home, 'sessions/s', kind), { recursive: true })
  writeFileSync(path.join(home, 'sessions/s/output/made.html'), 'made')
  const look = (route: string, file: string) => server.json(`/ai/sessions/s/${route}path=${file}`)
  for (const file of ['.troupe/token', '.troupe/troupe.db', '.troupe/own.html'])
    expect(await look('file?secret=1&', file)).toMatchObject({ status: 404 })
  expect(await look('preview?', '.troupe/own.html')).toMatchObject({ status: 403 })
  for (const route of ['file?', 'preview?'])
    expect(await look(route, '.troupe/sessions/s/output/made.html')).toMatchObject({ status: 200 })
})
