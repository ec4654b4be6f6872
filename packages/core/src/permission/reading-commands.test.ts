import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readCommands } from '../../../command-policy/src/testing/bash-trials.ts'
import type { Decision } from '../access/decision.ts'
import { getBuiltinTools } from '../tool/tool-set.ts'
import { explainCall } from './explain-call.ts'
import { type PermissionContext, placeContext } from './path-facts.ts'
import { createPolicy } from './policy.ts'

const commands = readCommands('reading-commands.txt').map(({ command }) => command)
const tools = getBuiltinTools()
let base: string
let ctx: PermissionContext

beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'reading-')))
  const workspace = path.join(base, 'home/project')
  for (const folder of ['src', 'tests', 'logs', 'node_modules/a'])
    mkdirSync(path.join(workspace, folder), { recursive: true })
  const files = {
    'README.md': '# Project\n',
    'package.json': '{"name":"p","version":"1.0.0"}\n',
    'data.json': '[]\n',
    'data.csv': 'a,b\n',
    '.gitignore': 'node_modules\n.env\n',
    '.env': 'KEY=1\n',
    'src/index.ts': 'export {}\n',
    'src/main.ts': 'export {}\n',
    'tests/main.test.ts': 'export {}\n',
    'logs/app.log': 'error\n',
    'node_modules/a/index.js': '',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(workspace, name), text)
  const env = { PATH: process.env['PATH'] ?? '', HOME: workspace, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...words: string[]): void => void execFileSync('git', words, { cwd: workspace, env, stdio: 'ignore' })
  git('init', '-q', '-b', 'main', '--template=')
  git('add', '.')
  git('-c', 'user.name=n', '-c', 'user.email=e@example.com', 'commit', '-q', '-m', 'first')
  ctx = placeContext(workspace)
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

function asked(sandbox: boolean): string[] {
  const policy = createPolicy({}, { home: path.join(base, 'home'), sandbox })
  return commands.filter((command) => {
    const { decision } = explainCall({ tool: 'Bash', input: { command } }, tools, ctx, policy) as Decision
    return decision !== 'allow'
  })
}

it('hardly any ordinary read command asks, and nearly none with a sandbox', () => {
  expect(commands.length).toBeGreaterThan(250)
  if (process.env['TROUPE_TEST_FULL'] === '1') console.log(commands.length, asked(false), asked(true))
  expect(asked(false).length / commands.length).toBeLessThanOrEqual(0.1)
  expect(asked(true).length / commands.length).toBeLessThanOrEqual(0.01)
}, 120_000)
