import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findBash } from '../process/start-process.ts'
import { inSandbox } from '../testing/shell-modes.ts'
import type { Sandbox } from '../tool/isolation.ts'
import { findSandbox, noSandboxReason, probeSandbox } from './find-sandbox.ts'

inSandbox('on this machine', () => {
  test('a sandbox is found and reported', async () => {
    const { sandbox, text, fix } = await findSandbox()
    expect(sandbox?.name).toMatch(/bubblewrap|Seatbelt/)
    expect(text).toMatch(/sandboxes commands: they can only change the open folder and have no network\.$/)
    expect(fix).toBeUndefined()
  })
})

test('a fake sandbox is not used', async () => {
  const plain: Sandbox = {
    name: 'bubblewrap',
    wrap: async ({ argv: [file = '', ...args], env, cwd }) => ({
      file: findBash(),
      args: ['-c', 'cd "$1" && shift && exec "$@"', 'bash', cwd, file, ...args],
      env: { ...env },
      cwd: '/',
      holdsOutput: false,
      release: () => undefined,
    }),
  }
  expect(await probeSandbox(plain)).toBe('files outside the workspace can be written')
})

test('a sandbox that does not start is not used, and its output is reported', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bwrap-'))
  const program = path.join(folder, 'bwrap')
  writeFileSync(program, '#!/bin/sh\necho "bwrap: something odd" >&2\nexit 1\n')
  chmodSync(program, 0o755)
  const broken: Sandbox = {
    name: 'bubblewrap',
    wrap: async ({ env }) => ({
      file: program,
      args: [],
      env: { ...env },
      cwd: '/',
      holdsOutput: true,
      release: () => undefined,
    }),
  }
  const complaint = await probeSandbox(broken)
  expect(complaint).toBe('bwrap: something odd')
  expect(noSandboxReason('linux', complaint).text).toContain(
    'bubblewrap does not confine commands here (bwrap: something odd)',
  )
  rmSync(folder, { recursive: true })
})

test.each([
  ['linux', undefined, /bubblewrap is not installed/, /apt install bubblewrap/],
  ['linux', 'bwrap: No permissions to create new namespace', /namespaces/, undefined],
  ['darwin', 'x', /sandbox-exec does not confine commands here \(x\)/, /sandbox-exec/],
  ['win32', undefined, /Windows has no sandbox/, /WSL 2/],
  ['freebsd', undefined, /no sandbox for freebsd/, undefined],
] as const)('a missing sandbox on %s after %j is reported in a sentence', (platform, complaint, why, how) => {
  const { sandbox, text, fix } = noSandboxReason(platform, complaint)
  expect(sandbox).toBeUndefined()
  expect(text).toMatch(/^Commands run without a sandbox: .*\. More of them need approval\.$/)
  expect(text).toMatch(why)
  if (how !== undefined) expect(fix).toMatch(how)
})
