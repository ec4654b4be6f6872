import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { BrowserCall } from '@troupe/core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openTestSite, resolveToLoopback, type TestSite } from '../testing/test-site.ts'
import { findChromium } from './find-chromium.ts'
import { addressesAllowedOn, openBrowsers } from './open-browsers.ts'

test('a configured Chromium is used, and not replaced by another', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-chromium-'))
  const program = path.join(folder, 'chromium')
  writeFileSync(program, '', { mode: 0o755 })
  expect(findChromium({ PATH: folder })).toBe(program)
  expect(findChromium({ PATH: '/nowhere', CHROMIUM_PATH: program })).toBe(program)
  expect(findChromium({ PATH: folder }, '/nowhere/chromium')).toBeUndefined()
  if (process.platform === 'linux') expect(findChromium({})).toBeUndefined()
  rmSync(folder, { recursive: true })
})

test('addresses are allowed for a port, or for all of them', () => {
  const entries = ['10.0.0.7', '127.0.0.1:5173', '[::1]:80', 'localhost:3000', 'fd00::1']
  expect(addressesAllowedOn(entries, 5173)).toEqual(['10.0.0.7', '127.0.0.1', 'fd00::1'])
  expect(addressesAllowedOn(entries, 80)).toEqual(['10.0.0.7', '::1', 'fd00::1'])
  expect(addressesAllowedOn(entries, 3000)).toEqual(['10.0.0.7', '127.0.0.1', '::1', 'fd00::1'])
})

test('a Chromium that does not start reports the reason, is retried, and leaves nothing behind', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'troupe-chromium-'))
  const program = path.join(home, 'chromium')
  writeFileSync(
    program,
    '#!/bin/sh\necho "chromium: error while loading shared libraries: libnss3.so: gone" >&2\nexit 127',
    {
      mode: 0o755,
    },
  )
  const browsers = openBrowsers({ home, env: { CHROMIUM_PATH: program }, settings: () => ({}), ownPort: () => 0 })
  const page = browsers.newPage('one')
  const said = 'The browser could not be started: error while loading shared libraries: libnss3.so: gone.'
  for (let i = 0; i < 2; i++) await expect(page.open('http://8.8.8.8/', testCall)).rejects.toThrow(said)
  expect(readdirSync(path.join(home, 'browser'))).toEqual([])
  await expect(page.look(testCall)).rejects.toThrow('No page is open. Open one with BrowserSnapshot')
  await browsers.close()
  rmSync(home, { recursive: true })
})

const pids: number[] = []
const testCall: BrowserCall = {
  signal: new AbortController().signal,
  run: { id: 'run-1', attempt: 1, step: 1 },
  toolCallId: 'call-1',
  process: (pid) => Promise.resolve(void pids.push(pid)),
}

const executable = findChromium(process.env)
const name = executable === undefined ? 'a Chromium (skipped: there is none)' : 'a Chromium'

describe.skipIf(executable === undefined)(name, () => {
  let home: string
  let site: TestSite
  beforeAll(async () => {
    home = mkdtempSync(path.join(tmpdir(), 'troupe-browser-'))
    site = await openTestSite({
      'a.test/': (_request, response) => {
        response.setHeader('set-cookie', 'visit=1; Max-Age=1000')
        response.setHeader('content-type', 'text/html')
        response.end('<title>A</title><p>hello')
      },
      'a.test/cookie': ({ headers }, response) => {
        response.setHeader('content-type', 'text/html')
        response.end(`<title>${headers.cookie ?? 'none'}</title>`)
      },
    })
  })
  afterAll(async () => {
    await site.close()
    rmSync(home, { recursive: true, force: true })
  })

  const optionsIn = (ownPort = 0) => ({
    home,
    env: process.env,
    settings: () => ({ allow: ['127.0.0.1'] }),
    ownPort: () => ownPort,
    resolve: resolveToLoopback,
  })
  const profiles = (): string[] =>
    existsSync(path.join(home, 'browser')) ? readdirSync(path.join(home, 'browser')) : []

  test('ends when idle, keeps its cookies, and gives way if too many run', async () => {
    mkdirSync(path.join(home, 'browser', 'profile-left'), { recursive: true })
    const browsers = openBrowsers({ ...optionsIn(), idleMs: 300, most: 1 })
    const page = browsers.newPage('one')
    expect(await page.open(site.url('a.test/'), testCall)).toMatchObject({ title: 'A', status: 200 })
    expect(profiles()).toHaveLength(1)
    await vi.waitUntil(() => !isAlive(pids[0]!) && profiles().length === 0, { timeout: 25_000 })
    await expect(page.look(testCall)).rejects.toThrow(`the page was ${site.url('a.test/')}. Open it again`)
    expect((await page.open(site.url('a.test/cookie'), testCall)).title).toBe('visit=1')
    const other = browsers.newPage('two')
    expect((await other.open(site.url('a.test/cookie'), testCall)).title).toBe('none')
    expect(isAlive(pids[1]!)).toBe(false)
    await browsers.drop('two')
    expect(pids.filter(isAlive)).toEqual([])
    expect(profiles()).toEqual([])
    await browsers.close()
  })

  test('never reaches our own port, regardless of settings', async () => {
    const browsers = openBrowsers(optionsIn(site.port))
    await expect(browsers.newPage('one').open(site.url('a.test/'), testCall)).rejects.toThrow(
      'is not on the public web',
    )
    await browsers.close()
  })

  test('does not outlive a server that is killed', async () => {
    const program = `
      import { openBrowsers } from ${JSON.stringify(path.join(import.meta.dirname, 'open-browsers.ts'))}
      const browsers = openBrowsers({
        home: ${JSON.stringify(home)},
        env: process.env,
        settings: () => ({ allow: ['127.0.0.1'] }),
        ownPort: () => 0,
        resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
      })
      await browsers.newPage('one').open(${JSON.stringify(site.url('a.test/'))}, {
        signal: new AbortController().signal,
        run: { id: 'run-9', attempt: 1, step: 1 },
        toolCallId: 'call-9',
        process: (pid) => Promise.resolve(console.log(pid)),
      })
      setInterval(() => undefined, 1000)`
    const child = spawn(process.execPath, ['--conditions=troupe-source', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const pid = Number(String(line))
    expect(isAlive(pid)).toBe(true)
    if (process.platform === 'linux')
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain('TROUPE_CALL=run-9/call-9')
    child.kill('SIGKILL')
    await vi.waitUntil(() => !isAlive(pid), { timeout: 25_000 })
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
