import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { People } from '@troupe/core'
import { openMemberNumbers } from './member-numbers.ts'
import { createIsolation, openIsolation } from './open-isolation.ts'
import { whyNoNode } from './testing/start-node.ts'
import { acceptance } from '../config/team-settings.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'troupe-people-'))
})
afterEach(() => {
  // Isolation changes it for the whole process.
  process.umask(0o022)
  rmSync(home, { recursive: true })
})

describe('numbers of people and folders', () => {
  const open = (more: { count?: number } = {}) =>
    openMemberNumbers(path.join(home, 'people.json'), { from: 300, count: 10, ...more })

  test('are kept, and never given twice', () => {
    const first = open()
    expect([first.ofPerson('a'), first.ofFolder('/srv/x'), first.ofPerson('b')]).toEqual([300, 301, 302])
    const second = open()
    expect([second.ofPerson('b'), second.ofPerson('c'), second.ofFolder('/srv/x')]).toEqual([302, 303, 301])
  })

  test('are the same for nodes that share the file', () => {
    const [one, other] = [open(), open()]
    expect(one.ofPerson('a')).toBe(other.ofPerson('a'))
    expect(other.ofPerson('b')).toBe(one.ofPerson('b'))
    expect(one.ofFolder('/srv/x')).not.toBe(other.ofPerson('c'))
  })

  test('of a folder belong to everything in it', () => {
    const numbers = open()
    const inner = numbers.ofFolder('/srv/x/inner')
    const outer = numbers.ofFolder('/srv/x')
    expect(numbers.ofFolder('/srv/x/inner')).toBe(outer)
    expect(numbers.ofFolder('/srv/xy')).not.toBe(outer)
    expect(outer).not.toBe(inner)
  })

  test('have an end', () => {
    const numbers = open({ count: 1 })
    numbers.ofPerson('a')
    expect(() => numbers.ofPerson('b')).toThrow('Raise "team.userIds.count"')
  })

  test('are not given anew if the file is broken', () => {
    writeFileSync(path.join(home, 'people.json'), '{"people":')
    expect(open).toThrow('people.json cannot be read')
  })

  test('survive names such as __proto__', () => {
    const numbers = open()
    expect(numbers.ofPerson('__proto__')).toBe(300)
    expect(open().ofPerson('__proto__')).toBe(300)
    expect(readFileSync(path.join(home, 'people.json'), 'utf8')).toContain('__proto__')
  })
})

describe('folders of the system', () => {
  test.skipIf(whyNoNode() !== undefined).for(['/', '/etc', '/usr/local', '/srv', '/root/x'])(
    'are never shared: %s',
    async (folder) => {
      const people = { of: () => undefined, close: () => undefined, groups: undefined } as unknown as People
      const numbers = openMemberNumbers(path.join(home, 'people.json'), { from: 300, count: 10 })
      const isolation = createIsolation({
        home,
        folder: home,
        people,
        numbers,
        networks: undefined,
        isRoot: true,
        hasView: false,
      })
      const admitted = (async () => isolation.admit(folder))()
      await expect(admitted).rejects.toThrow(folder === '/root/x' ? /\S/ : 'belongs to the system')
    },
  )

  test.skipIf(whyNoNode() !== undefined)('nor is what contains the home', async () => {
    const people = { of: () => undefined, close: () => undefined, groups: undefined } as unknown as People
    const numbers = openMemberNumbers(path.join(home, 'people.json'), { from: 300, count: 10 })
    const isolation = createIsolation({
      home,
      folder: home,
      people,
      numbers,
      networks: undefined,
      isRoot: true,
      hasView: false,
    })
    for (const folder of [home, path.dirname(home)]) await expect(isolation.admit(folder)).rejects.toThrow('belongs')
  })
})

describe('team mode on a machine that cannot separate members', () => {
  const env = { PATH: '/nonexistent' }

  test('does not start, and says what is missing', async () => {
    const opening = openIsolation({ home, env, settings: {} })
    await expect(opening).rejects.toThrow(/has no separate mount namespace[^]*"allowUnsandboxed": "I accept/)
  })

  test('does not start with any other sentence', async () => {
    for (const allowUnsandboxed of ['', 'yes', 'true', acceptance.toUpperCase(), `${acceptance}.`])
      await expect(openIsolation({ home, env, settings: { allowUnsandboxed } })).rejects.toThrow('does not start')
  })

  test('starts if an administrator accepts it', async () => {
    const isolation = await openIsolation({ home, env, settings: { allowUnsandboxed: acceptance } })
    isolation?.close()
    // It uses what there is.
    expect(isolation?.text ?? 'no sandbox').toMatch(/no sandbox|user id/)
  })
})
