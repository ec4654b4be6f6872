import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readCommands } from '../../../command-policy/src/testing/bash-trials.ts'
import type { Decision, Effect } from '../access/decision.ts'
import { getBuiltinTools } from '../tool/tool-set.ts'
import { explainCall } from './explain-call.ts'
import { type PermissionContext, placeContext } from './path-facts.ts'
import { createPolicy, type PolicyOptions } from './policy.ts'

let base: string
let ctx: PermissionContext
const tools = getBuiltinTools()

beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'hostile-')))
  const workspace = path.join(base, 'workspace')
  for (const folder of [
    'src',
    'empty',
    'secrets',
    'keys',
    'odd',
    'lists/etc',
    'lines/n\n/etc',
    'left',
    'right',
    'via',
    'raw',
  ])
    mkdirSync(path.join(workspace, folder), { recursive: true })
  const files = {
    'README.md': 'hello\n',
    'package.json': '{}\n',
    '.env': 'SECRET=1\n',
    'keys/id_rsa': 'SECRET\n',
    'src/index.ts': 'export {}\n',
    'src/main.ts': 'export {}\n',
    'secrets/a.txt': 'deep\n',
    // Names that turn into options, commands, or several words when parsed again.
    'odd/-o': '',
    'odd/-exec': '',
    'odd/a b': '',
    'odd/x; rm y': '',
    // Names and lines that lead outside once they are split.
    'lists/etc/passwd': '',
    'lines/n\n/etc/passwd': '',
    '5': '/etc/passwd\n',
    'right/file': '',
    'right/ab': '',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(workspace, name), text)
  symlinkSync('/etc/passwd', path.join(workspace, 'odd/link'))
  symlinkSync('../.env', path.join(workspace, 'odd/inner'))
  symlinkSync('/etc', path.join(workspace, 'outside'))
  for (const link of ['1', 'left/file', 'left/é', 'left/\u212A']) symlinkSync('/etc/passwd', path.join(workspace, link))
  symlinkSync('../left', path.join(workspace, 'via/left'))
  // This name is not valid UTF-8.
  if (process.platform === 'linux')
    symlinkSync('/etc/passwd', Buffer.concat([Buffer.from(path.join(workspace, 'raw/')), Buffer.from([0xff])]))
  const env = { PATH: process.env['PATH'] ?? '', HOME: workspace, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...words: string[]): void => void execFileSync('git', words, { cwd: workspace, env, stdio: 'ignore' })
  git('init', '-q', '-b', 'main', '--template=')
  git('add', 'README.md', 'src', 'secrets', 'keys')
  git('-c', 'user.name=n', '-c', 'user.email=e@example.com', 'commit', '-q', '-m', 'first')
  ctx = placeContext(workspace)
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

function judge(command: string, rules: Partial<Record<Effect, string[]>> = {}, given: PolicyOptions = {}): Decision {
  const policy = createPolicy(rules, { home: path.join(base, 'home'), ...given })
  return explainCall({ tool: 'Bash', input: { command } }, tools, ctx, policy) as Decision
}

it('no hostile command runs unasked without a sandbox', () => {
  const commands = readCommands('hostile-commands.txt').map(({ command }) => command)
  expect(new Set(commands).size).toBe(commands.length)
  for (const mode of ['default', 'plan'] as const)
    expect(commands.filter((command) => judge(command, {}, { mode }).decision === 'allow')).toEqual([])
}, 120_000)

it.each([
  'git show :0:secrets/a.txt',
  'git log -L1,1:secrets/a.txt',
  "git show HEAD -- ':(top)secrets/a.txt'",
  "git show HEAD -- ':/secrets/a.txt'",
  "git diff HEAD~1 -- 'sec*'",
  'git grep deep',
  'git grep deep HEAD',
  'git show HEAD',
  'git log -p',
  'git log -S deep',
  'git diff HEAD',
  'git stash show -p',
  'git cat-file -p HEAD:secrets/a.txt',
  'git cat-file blob HEAD:secrets/a.txt',
  'git status -v',
  'git -C src grep deep',
  'git -C src show :/',
  'git -C src show -s HEAD:secrets/a.txt',
  'cd src && git show --stat HEAD:secrets/a.txt',
  // The hash of "deep".
  'git show -s 4cdb2265d30204be5463b38174b2e8e717982405',
  'git show --stat 4cdb',
  'strings @secrets/a.txt',
  'xxd -ps secrets/a.txt',
  'jq -R --indent --arg . secrets/a.txt 2',
  'jq -n --rawfile a secrets/a.txt $a',
  'diff secrets src',
  'rg deep',
  'cat sec*/a.txt',
  'cat secrets/*',
  'for f in secrets/*; do cat "$f"; done',
  'for d in *; do cat $d/a.txt; done',
])('a deny rule for a file applies to %s', (command) => {
  expect(judge(command, { deny: ['Read(secrets/**)'] }).decision).not.toBe('allow')
})

it.each(['git status', 'git log --oneline -5', 'git diff --stat', 'git show --stat HEAD', 'git branch -a', 'ls src'])(
  'a deny rule for a file ignores %s',
  (command) => expect(judge(command, { deny: ['Read(secrets/**)'] }).decision).toBe('allow'),
)

it.each([
  "for x in 'a[$(touch y)]'; do echo ${!x}; done",
  "echo ${x='a[$(touch y)]'}${!x}",
  'for x in *; do echo ${!x}; done',
  'for x in *; do echo ${a[x]}; done',
  'for x in *; do echo "${a[$x]}"; done',
  'for x in *; do echo "${b:$x}"; done',
  'for x in *; do echo $((x)); done',
  'for x in *; do ((x)) && echo hi; done',
  'for x in *; do [[ $x -eq 1 ]] && echo hi; done',
  'ls | while read x; do [[ -v $x ]] && echo hi; done',
  'x=0; for f in *; do echo $((x)); x=$f; done',
  'x=0; for f in *; do echo "$(echo $((x)))"; x=$f; done',
])('a rule for echo does not let the names of files be computed with: %s', (command) => {
  expect(judge(command, { allow: ['Bash(echo *)', 'Bash(ls *)'] }).decision).toBe('ask')
})

it.each([
  'echo $((1+2))',
  'i=0; echo $((i+1))',
  'for x in 1 2; do echo $((x+1)); done',
  'for x in *; do echo ${x:0:3}; done',
])('a rule for echo lets numbers be computed with: %s', (command) =>
  expect(judge(command, { allow: ['Bash(echo *)'] }).decision).toBe('allow'),
)
