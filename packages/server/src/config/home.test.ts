import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { currentOwner, type HomeLock, lockHome, openHome, type Owner, resolveHome } from './home.ts'

let folder: string
const children: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe home '))
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

describe('openHome', () => {
  test('creates the folder and a token that only their owner can read, and keeps the token', () => {
    const wanted = path.join(folder, 'deep', 'home')
    const home = openHome({ path: wanted })
    expect(statSync(wanted).mode & 0o777).toBe(0o700)
    expect(statSync(path.join(wanted, 'token')).mode & 0o777).toBe(0o600)
    expect(Buffer.from(home.token, 'base64url')).toHaveLength(32)
    expect(home.warnings).toEqual([])
    expect(openHome({ path: wanted }).token).toBe(home.token)
  })

  test('is TROUPE_HOME, a given path, or else in the user’s home folder', () => {
    expect(resolveHome({ env: { TROUPE_HOME: folder } })).toBe(folder)
    expect(resolveHome({ path: '/a', env: { TROUPE_HOME: folder } })).toBe('/a')
    expect(resolveHome({ env: { TROUPE_HOME: '' } })).toMatch(/\/\.troupe$/)
    expect(resolveHome({ env: { TROUPE_HOME: '~/x' } })).not.toContain('~')
  })

  test('makes the token private, and reports it', () => {
    openHome({ path: folder })
    chmodSync(path.join(folder, 'token'), 0o644)
    expect(openHome({ path: folder }).warnings).toEqual([expect.stringContaining('could read')])
    expect(statSync(path.join(folder, 'token')).mode & 0o777).toBe(0o600)
    expect(openHome({ path: folder }).warnings).toEqual([])
  })

  test('may be passed through by the users of a team, but not read', () => {
    chmodSync(folder, 0o711)
    expect(openHome({ path: folder, isTeam: true }).warnings).toEqual([])
    expect(statSync(folder).mode & 0o777).toBe(0o711)
    // A command in the home of a team, while its server runs.
    mkdirSync(path.join(folder, 'people'))
    expect(openHome({ path: folder }).warnings).toEqual([])
    chmodSync(folder, 0o755)
    expect(openHome({ path: folder, isTeam: true }).warnings).toHaveLength(1)
  })

  test.each([0o755, 0o750, 0o711, 0o777])('is closed to others, who had %o of it, with a warning', (mode) => {
    chmodSync(folder, mode)
    expect(openHome({ path: folder }).warnings).toEqual([expect.stringContaining('This is fixed now')])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(openHome({ path: folder }).warnings).toEqual([])
  })

  test('replaces an empty token, and reports it', () => {
    writeFileSync(path.join(folder, 'token'), '', { mode: 0o600 })
    const home = openHome({ path: folder })
    expect(home.token).toHaveLength(43)
    expect(home.warnings).toEqual([expect.stringContaining('a new one was created')])
  })

  test('refuses a file', () => {
    const file = path.join(folder, 'file')
    writeFileSync(file, '')
    expect(() => openHome({ path: file })).toThrow(expect.objectContaining({ name: 'HomeNotFolder' }))
    expect(() => openHome({ path: path.join(file, 'below') })).toThrow(
      expect.objectContaining({ name: 'HomeNotFolder' }),
    )
  })

  test('refuses a folder that cannot be written', () => {
    expect(() => openHome({ path: '/proc/troupe' })).toThrow(expect.objectContaining({ name: 'HomeNotWritable' }))
  })

  test.skipIf(process.getuid?.() !== 0)('rejects another user’s home', async () => {
    const { chownSync } = await import('node:fs')
    chownSync(folder, 12345, 12345)
    expect(() => openHome({ path: folder })).toThrow(expect.objectContaining({ name: 'HomeNotYours' }))
  })
})

describe('lockHome', () => {
  test('has one owner, which can be found until it releases the lock', () => {
    const home = openHome({ path: folder })
    const lock = lockHome(home) as HomeLock
    expect(readdirSync(folder).sort()).toEqual(['lock', 'owner.json', 'token'])
    expect(lockHome(home)).toEqual({
      ownedBy: { pid: process.pid, url: null, port: null, startedAt: expect.any(Number) },
    })
    lock.announce({ url: 'http://127.0.0.1:1', port: 1 })
    expect(lockHome(home)).toMatchObject({ ownedBy: { url: 'http://127.0.0.1:1', port: 1 } })
    expect(statSync(path.join(folder, 'owner.json')).mode & 0o777).toBe(0o600)
    lock.release()
    lock.release()
    expect(existsSync(path.join(folder, 'owner.json'))).toBe(false)
    const next = lockHome(home) as HomeLock
    expect(next).toHaveProperty('release')
    next.release()
  })

  test('the address of a killed owner is ignored', () => {
    const home = openHome({ path: folder })
    const left = { pid: process.pid, url: 'http://127.0.0.1:1', port: 1, startedAt: 1 }
    writeFileSync(path.join(folder, 'owner.json'), JSON.stringify(left))
    expect(currentOwner(home)).toBeUndefined()
    const lock = lockHome(home) as HomeLock
    lock.announce({ url: 'http://127.0.0.1:2', port: 2 })
    expect(currentOwner(home)).toMatchObject({ url: 'http://127.0.0.1:2' })
    lock.release()
    expect(currentOwner(home)).toBeUndefined()
  })

  test('of four processes started together, exactly one is the owner, and all read the same token', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => start(folder)))
    expect(answers.filter(({ owner }) => owner)).toHaveLength(1)
    expect(new Set(answers.map(({ token }) => token)).size).toBe(1)
  })

  test('a killed owner frees the home at once, and its file is ignored', async () => {
    const first = await start(folder)
    expect(first.owner).toBe(true)
    const home = openHome({ path: folder })
    expect(lockHome(home)).toMatchObject({ ownedBy: { pid: first.child.pid, port: 7 } })
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    expect(JSON.parse(readFileSync(path.join(folder, 'owner.json'), 'utf8'))).toMatchObject({ pid: first.child.pid })
    const lock = lockHome(home) as HomeLock
    expect(lock).toHaveProperty('release')
    expect(lockHome(home)).toMatchObject({ ownedBy: { pid: process.pid, url: null } })
    lock.release()
  })

  test('names the file that prevents the lock', () => {
    mkdirSync(path.join(folder, 'lock'))
    expect(() => lockHome({ path: folder })).toThrow(
      expect.objectContaining({ name: 'HomeNotLockable', message: expect.stringContaining(path.join(folder, 'lock')) }),
    )
  })
})

interface Started {
  child: ChildProcess
  owner: boolean
  ownedBy?: Owner
  token: string
}

/** Starts a process that locks the home, reports the result, and lives until killed. */
async function start(home: string): Promise<Started> {
  const module = fileURLToPath(new URL('home.ts', import.meta.url))
  const program = `
    const { lockHome, openHome } = await import(${JSON.stringify(module)})
    const home = openHome({ path: ${JSON.stringify(home)} })
    const got = lockHome(home)
    if ('announce' in got) got.announce({ url: 'http://127.0.0.1:7', port: 7 })
    console.log(JSON.stringify({ owner: 'release' in got, token: home.token }))
    setInterval(() => {}, 1000)`
  const flags = ['--conditions=troupe-source', '--disable-warning=ExperimentalWarning', '--input-type=module']
  const child = spawn(process.execPath, [...flags, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, ...(JSON.parse(line) as Omit<Started, 'child'>) }
  }
  throw new Error('the process ended without output')
}
