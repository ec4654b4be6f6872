import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase, hasPostgres } from '../../../server/src/testing/postgres.ts'
import { troupe, useTroupe } from '../testing/use-troupe.ts'

const place = useTroupe()
const fixture = path.resolve(import.meta.dirname, '../../../server/src/transfer/import/fixtures/claude.json')

test.skipIf(!hasPostgres)(
  'a home moves into Postgres and back, with the URL from the environment or a file',
  async () => {
    await troupe(place, ['import', fixture])
    const url = (await createTestDatabase()).replace('troupe@', 'troupe:a-secret@')
    place.env['TROUPE_DATABASE_URL'] = url
    const moved = await troupe(place, ['migrate', '--to', 'postgres'])
    expect(moved).toMatchObject({ code: 0, stderr: expect.stringContaining('message: 5 of 5') as string })
    expect(moved.stdout).toMatch(/^message: 5 rows, sha256 [0-9a-f]{64}$/m)
    expect(moved.stdout).toContain('was not changed')
    expect(await troupe(place, ['migrate', '--to', 'postgres'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already has data') as string,
    })
    delete place.env['TROUPE_DATABASE_URL']
    const file = path.join(place.folder, 'url')
    writeFileSync(file, `${url}\n`)
    place.env['TROUPE_DATABASE_URL_FILE'] = file
    const back = path.join(place.folder, 'back')
    const returned = await troupe(place, ['migrate', '--from', 'postgres', '--to', back])
    expect(returned).toMatchObject({ code: 0 })
    expect(existsSync(path.join(back, 'troupe.db'))).toBe(true)
    const visible = await troupe(place, ['migrate', '--from', url, '--to', path.join(place.folder, 'third')])
    expect(visible).toMatchObject({ code: 0, stderr: expect.stringContaining('other users can see') as string })
    for (const { stdout, stderr } of [moved, returned, visible]) expect(stdout + stderr).not.toContain('a-secret')
  },
)

test('migrate says what it needs, and never shows a password', async () => {
  const run = (...args: string[]) => troupe(place, ['migrate', ...args])
  for (const args of [[], ['--to', 'folder'], ['--from', 'postgres', '--to', 'postgres'], ['--to', 'postgres', 'more']])
    expect(await run(...args)).toMatchObject({ code: 2 })
  expect(await run('--to', 'postgres')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('TROUPE_DATABASE_URL') as string,
  })
  await troupe(place, ['import', fixture])
  const failed = await run('--to', 'postgres://me:a-secret@127.0.0.1:1/team')
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be reached') as string })
  expect(failed.stdout + failed.stderr).not.toContain('a-secret')
})
