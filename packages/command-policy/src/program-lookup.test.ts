import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { analyzeCommand } from './analyze-command.ts'
import { createProgramLookup } from './program-lookup.ts'

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'program-lookup-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))

const folder = (name: string, ...programs: string[]): string => {
  const made = path.join(base, name)
  mkdirSync(made, { recursive: true })
  for (const program of programs) writeFileSync(path.join(made, program), '#!/bin/sh\n', { mode: 0o755 })
  return made
}
const roots = [folder('workspace')]
const lookup = (...folders: string[]): ((name: string) => boolean) =>
  createProgramLookup({ path: folders.join(':'), roots, platform: 'linux' })

it('trusts programs in folders outside the workspace', () => {
  const bin = folder('bin', 'ls')
  expect(lookup(bin)('ls')).toBe(true)
  expect(lookup(bin)('nothing')).toBe(true)
})

it('does not believe names that the workspace can take', () => {
  const bin = folder('bin', 'ls')
  const own = folder('workspace/node_modules/.bin')
  expect(lookup(own, bin)('ls')).toBe(false)
  expect(lookup(bin, own)('ls')).toBe(true)
  expect(lookup(bin, own)('later')).toBe(false)
  expect(lookup('.', bin)('ls')).toBe(false)
  expect(lookup('', bin)('ls')).toBe(false)
  symlinkSync(own, path.join(base, 'link'))
  expect(lookup(path.join(base, 'link'), bin)('ls')).toBe(false)
  writeFileSync(path.join(roots[0] as string, 'own-ls'), '#!/bin/sh\n', { mode: 0o755 })
  const linked = folder('linked')
  symlinkSync(path.join(roots[0] as string, 'own-ls'), path.join(linked, 'ls'))
  expect(lookup(linked)('ls')).toBe(false)
})

it('does not trust shims, which run programs chosen by a folder', () => {
  expect(lookup(folder('asdf/shims', 'node'))('node')).toBe(false)
  const volta = folder('volta', 'volta-shim')
  symlinkSync(path.join(volta, 'volta-shim'), path.join(volta, 'node'))
  expect(lookup(volta)('node')).toBe(false)
})

it('does not believe programs of the same name that have other options', () => {
  const box = folder('box', 'busybox')
  symlinkSync(path.join(box, 'busybox'), path.join(box, 'ls'))
  expect(lookup(box)('ls')).toBe(false)
  const bin = folder('bin', 'ls', 'node')
  const onMac = createProgramLookup({ path: bin, roots, platform: 'darwin' })
  expect(onMac('ls')).toBe(false)
  expect(onMac('node')).toBe(true)
})

it('a wrapper runs a program with that name, not a bash builtin', () => {
  const harmless = (text: string): boolean =>
    analyzeCommand(text, { cwd: '/w', home: '/h', isProgram: (name) => name !== 'type' }).harmless
  expect(harmless('type ls')).toBe(true)
  expect(harmless('command type ls')).toBe(true)
  expect(harmless('nice type ls')).toBe(false)
  expect(harmless('timeout 5 type ls')).toBe(false)
})
