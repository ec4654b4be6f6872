import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openBrowser } from './serve.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'troupe-opener-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function opener(exit: number): NodeJS.ProcessEnv {
  const script = path.join(folder, process.platform === 'darwin' ? 'open' : 'xdg-open')
  const file = '"${1#file://}"'
  writeFileSync(
    script,
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/args\nls -ld ${file} "$(dirname ${file})" > ${folder}/modes\ncat ${file} > ${folder}/page\nexit ${exit}\n`,
  )
  chmodSync(script, 0o755)
  return { PATH: `${folder}:${process.env['PATH']}` }
}

test.skipIf(process.platform === 'win32')(
  'the opener gets no secret, but a private file that is deleted soon',
  async () => {
    const url = 'http://127.0.0.1:4880/#k=SECRET-KEY'
    const failures: string[] = []
    await openBrowser(url, () => failures.push('failed'), { env: opener(0), graceMs: 1 })
    const args = readFileSync(path.join(folder, 'args'), 'utf8')
    expect(args).toMatch(/^file:\/\/\S+\/open\.html\n$/)
    expect(args).not.toContain('SECRET-KEY')
    expect(readFileSync(path.join(folder, 'modes'), 'utf8')).toMatch(/^drwx------ .*\n-rw------- /)
    expect(readFileSync(path.join(folder, 'page'), 'utf8')).toContain(`url=${url}"`)
    expect(existsSync(new URL(args.trim()))).toBe(false)
    expect(failures).toEqual([])
  },
)

test.skipIf(process.platform === 'win32')('a failing opener leaves nothing behind, and is reported', async () => {
  const failures: string[] = []
  await openBrowser('http://127.0.0.1:1/', () => failures.push('failed'), { env: opener(3), graceMs: 60_000 })
  expect(failures).toEqual(['failed'])
  expect(existsSync(new URL(readFileSync(path.join(folder, 'args'), 'utf8').trim()))).toBe(false)
})
