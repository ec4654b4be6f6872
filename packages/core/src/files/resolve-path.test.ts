import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgentState } from '../run/create-agent-state.ts'
import { isInside, resolvePath, shownPath } from './resolve-path.ts'

let base: string
let workspace: string
const at = (...parts: string[]): string => path.join(workspace, ...parts)

beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'resolve-')))
  workspace = path.join(base, 'ws')
  mkdirSync(path.join(base, 'ws-beside'))
  mkdirSync(path.join(base, 'outside'))
  writeFileSync(path.join(base, 'outside/secret'), 'canary')
  mkdirSync(at('folder'), { recursive: true })
  writeFileSync(at('file.txt'), 'x')
  symlinkSync('folder', at('link-in'))
  symlinkSync(path.join(base, 'outside'), at('link-out'))
  symlinkSync('../outside/new-file', at('dangling-out'))
  symlinkSync('folder/new-file', at('dangling-in'))
  symlinkSync('b', at('a'))
  symlinkSync('a', at('b'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

const state = () => createAgentState({ workspace, outputFolder: path.join(base, 'session/output') })
const resolve = (given: string, use: 'read' | 'write' = 'write') => resolvePath({ state: state() }, given, { for: use })

test('relative paths start at the working directory, even after it moved', () => {
  expect(resolve('file.txt')).toMatchObject({ path: at('file.txt'), shown: 'file.txt' })
  const moved = state()
  moved.cwd = at('folder')
  expect(resolvePath({ state: moved }, '../file.txt', { for: 'read' })).toMatchObject({
    path: at('file.txt'),
    shown: at('file.txt'),
  })
  expect(resolvePath({ state: moved }, '.', { for: 'read' })).toMatchObject({ path: at('folder'), shown: '.' })
})

test('a missing path is judged by its deepest existing ancestor', () => {
  expect(resolve('folder/x/y.txt')).toEqual({ path: at('folder/x/y.txt'), shown: 'folder/x/y.txt', stats: undefined })
  expect(resolve('link-in/x/y.txt').path).toBe(at('folder/x/y.txt'))
  expect(() => resolve('link-out/x/y.txt')).toThrow('outside the workspace')
})

test('links inside are followed, links to the outside are outside, even dangling ones', () => {
  expect(resolve('link-in').path).toBe(at('folder'))
  expect(resolve('dangling-in')).toMatchObject({ path: at('folder/new-file'), stats: undefined })
  expect(() => resolve('link-out/secret', 'read')).toThrow(`points to "${base}/outside/secret", which is outside`)
  expect(() => resolve('dangling-out')).toThrow('outside the workspace')
  expect(() => resolve('a')).toThrow('form a loop')
})

test.each([
  '../outside/secret',
  '../ws-beside/x',
  '/etc/passwd',
  '/',
  '~',
  '~/.ssh/id_rsa',
  'folder/../../outside/secret',
  './././../outside',
  '/proc/self/environ',
])('%s is outside and not touched', (given) => {
  expect(() => resolve(given)).toThrow('outside the workspace')
  expect(() => resolve(given, 'read')).toThrow('ask the user to add that folder')
})

test('the home folder is meant by ~, when it is inside', () => {
  const home = createAgentState({ workspace: homedir(), outputFolder: path.join(base, 'session/output') })
  expect(resolvePath({ state: home }, '~/some-file', { for: 'read' }).path).toBe(
    path.join(realpathSync(homedir()), 'some-file'),
  )
})

test('names that look dangerous are ordinary names', () => {
  for (const name of ['a..b.txt', 'R&D.txt', '$(x).txt', '~x', '-rf', 'two\nlines', 'with space ', '😀.txt', '...']) {
    expect(resolve(name).path).toBe(at(name))
  }
})

test('impossible paths have distinct errors', () => {
  expect(() => resolve('')).toThrow('empty')
  expect(() => resolve('a\0b')).toThrow('NUL')
  expect(() => resolve('x'.repeat(5000))).toThrow('too long')
  expect(() => resolve('file.txt/x')).toThrow('is a file, not a folder')
})

test('output and skill folders can be read and not written; added folders both', () => {
  const skills = path.join(base, 'ws-beside')
  const own = createAgentState({ workspace, outputFolder: path.join(base, 'session/output'), readable: [skills] })
  for (const file of [path.join(base, 'session/output/bash-1.txt'), path.join(skills, 'SKILL.md')]) {
    expect(resolvePath({ state: own }, file, { for: 'read' }).path).toBe(file)
    expect(() => resolvePath({ state: own }, file, { for: 'write' })).toThrow('outside the workspace')
  }
  const wider = createAgentState({ workspace, outputFolder: path.join(base, 'session/output'), roots: [skills] })
  expect(resolvePath({ state: wider }, path.join(skills, 'x'), { for: 'write' }).path).toBe(path.join(skills, 'x'))
})

test('a workspace named by a link is known by its real path', () => {
  symlinkSync(workspace, path.join(base, 'alias'))
  const own = createAgentState({ workspace: path.join(base, 'alias'), outputFolder: path.join(base, 'session/output') })
  expect(own.roots).toEqual([workspace])
  expect(resolvePath({ state: own }, path.join(base, 'alias/file.txt'), { for: 'read' }).path).toBe(at('file.txt'))
})

test('pipes, sockets and devices are refused by their kind', async () => {
  execFileSync('mkfifo', [at('pipe')])
  expect(() => resolve('pipe', 'read')).toThrow('is a named pipe')
  const server = createServer()
  await new Promise<void>((done) => server.listen(at('socket'), done))
  expect(() => resolve('socket', 'read')).toThrow('is a socket')
  await new Promise((done) => server.close(done))
  const all = createAgentState({ workspace: '/', outputFolder: path.join(base, 'session/output') })
  for (const file of ['/dev/zero', '/proc/self/environ', '/sys/kernel']) {
    expect(() => resolvePath({ state: all }, file, { for: 'read' })).toThrow('is a system path')
  }
})

test('a folder is not inside another because of a common name prefix', () => {
  expect(isInside('/a/bc', '/a/b')).toBe(false)
  expect(isInside('/a/b/c', '/a/b')).toBe(true)
  expect(isInside('/a', '/')).toBe(true)
  expect(shownPath('/a/bc', '/a/b')).toBe('/a/bc')
})
