import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
let folder: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-borders-'))
  for (const name of ['tsconfig.json', 'tsconfig.base.json', 'packages/web/tsconfig.json']) {
    cpSync(path.join(root, name), path.join(folder, name))
  }
  // The rule for imports needs no types.
  const rules = readFileSync(path.join(root, '.oxlintrc.json'), 'utf8').replace(
    '"typeAware": true',
    '"typeAware": false',
  )
  writeFileSync(path.join(folder, '.oxlintrc.json'), rules)
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('lint rejects forbidden imports between folders', async () => {
  const forbidden: Record<string, string[]> = {
    'packages/protocol/src/a.ts': ['node:fs', 'ai', '@ai-sdk/provider', 'hono', '@troupe/core', '../../core/src/x.ts'],
    'packages/command-policy/src/a.ts': ['@troupe/core', '@troupe/protocol', 'ai', '../../core/src/x.ts'],
    'packages/core/src/a.ts': [
      'hono',
      '@hono/node-server',
      'react',
      'kysely',
      '@troupe/agent',
      '@troupe/server',
      '@troupe/cli',
      '@troupe/core',
      '../../protocol/src/x.ts',
    ],
    'packages/agent/src/a.ts': ['@troupe/core', '@troupe/server', 'hono', '../../core/src/x.ts'],
    'packages/agent/src/json/a.ts': ['zod', 'node:fs', '../output/x.ts', '@troupe/protocol'],
    'packages/server/src/a.ts': ['@troupe/web', '@troupe/cli', 'react', '../../cli/src/x.ts', '../../core/src/x.ts'],
    'packages/web/src/a.tsx': [
      '@troupe/core',
      '@troupe/core/testing',
      '@troupe/server',
      '@troupe/cli',
      'node:fs',
      '../../core/src/x.ts',
    ],
    'packages/cli/src/a.ts': ['@troupe/web', 'hono', '../../server/src/x.ts', '../../core/src/x.ts'],
  }
  for (const [file, names] of Object.entries(forbidden)) {
    plant(
      file,
      names.map((name, i) => `import { x as x${i} } from '${name}'\nexport const y${i} = x${i}\n`),
    )
  }
  expect(await refused()).toEqual(forbidden)
})

test('lint accepts allowed imports between folders', async () => {
  plant('packages/protocol/src/a.ts', [
    "import type { UIMessage } from 'ai'\nimport { z } from 'zod'\nexport const y: [UIMessage?, z.ZodType?] = [undefined, z.string()]\n",
  ])
  plant('packages/command-policy/src/a.ts', ["import { parse } from 'unbash'\nexport const y = parse\n"])
  plant('packages/core/src/a.ts', [
    "import { generateId } from 'ai'\nimport { isId } from '@troupe/protocol'\nexport const y = [generateId, isId]\n",
  ])
  plant('packages/agent/src/a.ts', [
    "import type { Store } from '@troupe/core'\nimport { run } from '@troupe/core/run'\nexport const y: [Store?, unknown?] = [undefined, run]\n",
  ])
  plant('packages/agent/src/json/a.ts', ["import { x } from './x.ts'\nexport const y = x\n"])
  plant('packages/server/src/a.ts', [
    "import { run } from '@troupe/core'\nimport { Hono } from 'hono'\nexport const y = [run, Hono]\n",
  ])
  plant('packages/web/src/a.tsx', [
    "import type { Store } from '@troupe/core'\nimport { isId } from '@troupe/protocol'\nexport const y: [Store?, unknown?] = [undefined, isId]\n",
  ])
  plant('packages/cli/src/a.ts', ["import { startServer } from '@troupe/server'\nexport const y = startServer\n"])
  expect(await refused()).toEqual({})
})

function plant(file: string, lines: string[]): void {
  const full = path.join(folder, file)
  mkdirSync(path.dirname(full), { recursive: true })
  writeFileSync(full, lines.join(''))
}

async function refused(): Promise<Record<string, string[]>> {
  const oxlint = path.join(root, 'node_modules', 'oxlint', 'bin', 'oxlint')
  const { promise, resolve } = Promise.withResolvers<string>()
  execFile(process.execPath, [oxlint, '--format=json'], { cwd: folder, maxBuffer: 1e8 }, (_error, stdout) =>
    resolve(stdout),
  )
  const { diagnostics } = JSON.parse(await promise) as {
    diagnostics: { code: string; message: string; filename: string }[]
  }
  const found: Record<string, string[]> = {}
  for (const { code, message, filename } of diagnostics) {
    if (code !== 'eslint(no-restricted-imports)') continue
    const name = /^'([^']+)'/.exec(message)?.[1] ?? message
    ;(found[filename] ??= []).push(name)
  }
  return found
}
