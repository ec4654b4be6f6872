import { expect, test } from 'vitest'
import { joinCommandLine, type NewServerFields, readNewServers, splitCommandLine } from './read-new-server.ts'

const fields = (typed: Partial<NewServerFields>): NewServerFields => ({
  kind: 'program',
  name: 'files',
  command: '',
  env: '',
  url: '',
  headers: '',
  json: '',
  ...typed,
})

test('a command line is split at blanks, and nothing in it runs', () => {
  expect(splitCommandLine(`npx -y "@a/b c" '/my files' x\\ y "" $HOME;ls "a\\"b" 'c\\d' e\\f`)).toEqual([
    'npx',
    '-y',
    '@a/b c',
    '/my files',
    'x y',
    '',
    '$HOME;ls',
    'a"b',
    'c\\d',
    'e\\f',
  ])
  expect(() => splitCommandLine('npx "open')).toThrow('Missing a closing "')
})

test('a program has its words and its environment, an address its headers', () => {
  expect(readNewServers(fields({ command: 'npx -y files /tmp', env: 'KEY=a=b\n\n MODE = x ' }))).toEqual([
    { name: 'files', command: 'npx', args: ['-y', 'files', '/tmp'], env: { KEY: 'a=b', MODE: 'x' } },
  ])
  const address = fields({ kind: 'address', url: ' https://a.example/mcp ', headers: 'Authorization: Bearer x:y' })
  expect(readNewServers(address)).toEqual([
    { name: 'files', url: 'https://a.example/mcp', headers: { Authorization: 'Bearer x:y' } },
  ])
})

test('all common shapes of JSON configs are accepted', () => {
  const entry = { command: 'npx', args: ['-y', 'x'] }
  const read = (value: unknown, name = '') =>
    readNewServers(fields({ kind: 'json', name, json: JSON.stringify(value) }))
  expect(read({ mcpServers: { one: entry, two: { url: 'http://a.example' } } })).toEqual([
    { name: 'one', ...entry },
    { name: 'two', url: 'http://a.example' },
  ])
  expect(read({ one: entry })).toEqual([{ name: 'one', ...entry }])
  expect(read(entry, 'mine')).toEqual([{ name: 'mine', ...entry }])
})

test('missing fields are reported', () => {
  const saying = (typed: Partial<NewServerFields>) => {
    try {
      return JSON.stringify(readNewServers(fields(typed)))
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(saying({ name: ' ', command: 'x' })).toContain('name')
  expect(saying({ command: '  ' })).toContain('command')
  expect(saying({ command: 'x', env: 'nothing' })).toContain('NAME=value')
  expect(saying({ kind: 'address', url: 'ftp://x' })).toContain('http')
  expect(saying({ kind: 'json', json: '{' })).toContain('Invalid JSON')
  expect(saying({ kind: 'json', json: '[]' })).toContain('must be an object')
  expect(saying({ kind: 'json', json: '{"mcpServers": {"a": {"args": []}}}' })).toContain('"a" needs')
  expect(saying({ kind: 'json', json: '{"url": "http://x"}', name: '' })).toContain('Enter a name')
})

test('a command line that was joined is split into the same words', () => {
  const words = ['npx', '-y', '@a/b c', '', `it's "so"`, 'c\\d', "a\\'b", 'x\ty', '$HOME;ls']
  expect(splitCommandLine(joinCommandLine(words))).toEqual(words)
})
