import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { serveHere, troupe, useTroupe } from '../testing/use-troupe.ts'

const place = useTroupe()
const fixture = path.resolve(import.meta.dirname, '../../../server/src/transfer/import/fixtures/claude.json')

test('a file of another program is imported, exported in every format, and known again by a running server', async () => {
  const imported = await troupe(place, ['import', fixture])
  expect(imported).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('entry 3 (Empty): not imported') as string,
  })
  expect(imported.stdout).toMatch(/Bike repair \(Claude, 3 messages\)\n[\s\S]*2 sessions, 1 problem\n$/)
  const id = 'claude-0f0e0d0c-1111-4222-8333-444455556666'
  const markdown = await troupe(place, ['export', id])
  expect(markdown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^# Bike repair\n/) as string })
  const { port } = await serveHere(place)
  expect(port).toBeGreaterThan(0)
  expect(await troupe(place, ['export', id, '-o', 'bike.json'])).toMatchObject({ code: 0, stdout: '' })
  const file = path.join(place.folder, 'work/bike.json')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ format: 'troupe-session', session: { id } })
  expect(await troupe(place, ['import', file])).toMatchObject({
    stdout: expect.stringContaining('already there') as string,
  })
  expect(await troupe(place, ['export', id, '-o', 'bike.json'])).toMatchObject({ code: 1 })
  writeFileSync(file, 'nonsense')
  expect(await troupe(place, ['import', file])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('neither JSON nor a zip') as string,
  })
  expect(await troupe(place, ['export', 'nowhere', '--format', 'html'])).toMatchObject({ code: 1 })
  expect(await troupe(place, ['export', id, '--format', 'pdf'])).toMatchObject({ code: 2 })
})
