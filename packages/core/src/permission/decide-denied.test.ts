import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Decision, type Effect, modes } from '../access/decision.ts'
import { getBuiltinTools } from '../tool/tool-set.ts'
import { explainCall } from './explain-call.ts'
import { type PermissionContext, placeContext } from './path-facts.ts'
import { createPolicy, type PolicyOptions } from './policy.ts'

let base: string
let ctx: PermissionContext
const tools = getBuiltinTools()

beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'decide-denied-')))
  const workspace = path.join(base, 'ws')
  for (const file of ['src/a.ts', 'secrets/a.txt', 'deep/er/secrets/b.txt', 'deep/c.txt', 'empty/x', 'README.md']) {
    mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true })
    writeFileSync(path.join(workspace, file), 'x\n')
  }
  mkdirSync(path.join(base, 'home'))
  symlinkSync('secrets', path.join(workspace, 'link'))
  const git = (...args: string[]): Buffer =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: workspace })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'x')
  ctx = placeContext(workspace)
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

function judge(
  command: string,
  rules: Partial<Record<Effect, string[]>>,
  given: PolicyOptions,
  tool = 'Bash',
): Decision {
  const home = path.join(base, 'home')
  const policy = createPolicy(rules, { home, layer: 'project', base: path.join(base, 'ws'), ...given })
  const input = tool === 'Bash' ? { command } : { session_id: '1', chars: command }
  return explainCall({ tool, input }, tools, ctx, policy) as Decision
}

const deny = ['Read(secrets/**)', 'Read(deep/er/secrets/**)']

/** Commands that reach a file without naming it, or by a name that only programs resolve. */
const ways = [
  'find . -name a.txt -exec cat {} +',
  'find . -name a.txt -exec cat {} ;',
  'find . -name a.txt | xargs cat',
  'find . -type f -print0 | xargs -0 grep -h x',
  'cat $(find . -name a.txt)',
  'cat `find . -name a.txt`',
  'cat < $(find . -name a.txt)',
  'cd sec* && cat a.txt',
  'cd "$(echo secrets)" && cat a.txt',
  'd=sec; cd ${d}rets && cat a.txt',
  'pushd secrets; cat a.txt',
  'ls | while read d; do cat $d/a.txt; done',
  'for d in *; do cat $d/a.txt; done',
  'git ls-files | xargs cat',
  'less s*/a.txt',
  'zgrep x s*/a.txt',
  'tar cf - .',
  'zip -r - .',
  `node -e 'process.stdout.write(require("fs").readFileSync("sec" + "rets/a.txt"))'`,
  `python3 -c 'print(open("sec" + "rets/a.txt").read())'`,
  'awk 1 s*/*',
  'sed -n p */a.txt',
  'cat */a.txt',
  'cat s?crets/a.txt',
  'cat {secrets,src}/a.txt',
  'cat link/a.txt',
  'cat ./secrets/../secrets/a.txt',
  'cat /proc/self/cwd/secrets/a.txt',
  'cp -r . /tmp/copy-of-it',
  'cp -r secrets other',
  'mv secrets other && cat other/a.txt',
  'mv deep other && cat other/er/secrets/b.txt',
  'ln -s secrets other && cat other/a.txt',
  'grep -r x .',
  'grep -r x deep',
  'diff -r secrets src',
  'rg x',
  'eval "$x"',
  '$x',
  'bash script.sh',
  'make',
  'npm test',
  'rsync -a . elsewhere',
  'strings @secrets/a.txt',
  'jq -R . s*/a.txt',
  'wc --files0-from=secrets/a.txt',
  'sort --files0-from=secrets/a.txt',
  'du --files0-from=secrets/a.txt',
  'source secrets/a.txt',
  'mapfile -t x < secrets/a.txt',
  'echo "$(<secrets/a.txt)"',
  'while read l; do echo $l; done < secrets/a.txt',
  'tail -n +1 -- secrets/*',
  'xxd -ps secrets/a.txt',
  'base64 secrets/a.txt',
  'curl file:///x -d @secrets/a.txt',
]

/** Commands that read a file from git's object store. */
const kept = [
  'git show :0:secrets/a.txt',
  'git show HEAD:secrets/a.txt',
  'git show HEAD',
  'git show',
  'git log -p',
  'git log -L1,1:secrets/a.txt',
  'git log --patch --all',
  'git log -1 -u',
  "git show HEAD -- ':(top)secrets/a.txt'",
  "git show HEAD -- ':/secrets'",
  "git diff HEAD -- ':!src'",
  'git grep x',
  'git grep x HEAD',
  'git diff HEAD~1',
  'git cat-file -p HEAD:secrets/a.txt',
  'git cat-file --batch',
  'git rev-parse HEAD:secrets/a.txt | xargs git cat-file -p',
  'git archive HEAD',
  'git stash show -p',
  'git format-patch -1 --stdout',
  'git blame secrets/a.txt',
  'git worktree add sub',
  'git clone . sub',
  'git diff-tree -p HEAD',
  'git whatchanged -p',
  'git bundle create x HEAD',
  'git fast-export HEAD',
  'git -C . show HEAD',
  'git --no-pager log -p',
  'git log --patc',
  'git add -p',
  'git checkout -p',
  'git commit --dry-run -v',
  'git commit -Fsecrets/a.txt',
  'git config -fsecrets/a.txt -l',
  'git difftool HEAD',
]

it('without a sandbox, every command that could reach a denied file asks, in every mode, regardless of rules', () => {
  for (const command of [...ways, ...kept])
    for (const mode of modes)
      for (const allow of [
        [],
        ['Bash'],
        ['Bash(* *)', 'Bash(git *)', 'Bash(cat *)'],
        [`Bash(${command.replace(/[()]/g, '')})`],
      ])
        expect([command, mode, allow, judge(command, { allow, deny }, { mode }).decision]).toEqual([
          command,
          mode,
          allow,
          expect.stringMatching(/^(ask|deny)$/),
        ])
})

it('with a sandbox, git’s copies of a denied file ask, in every mode, regardless of rules', () => {
  for (const command of kept)
    for (const mode of modes)
      for (const allow of [[], ['Bash']])
        expect([command, mode, judge(command, { allow, deny }, { mode, sandbox: true }).decision]).toEqual([
          command,
          mode,
          expect.stringMatching(/^(ask|deny)$/),
        ])
})

it('with a sandbox, everything else runs as usual, with the denied files hidden', () => {
  for (const command of ['tar cf - .', 'npm test', 'grep -r x .', 'find . -newer x | xargs cat']) {
    const decision = judge(command, { allow: ['Bash'], deny }, { sandbox: true })
    expect([command, decision.decision]).toEqual([command, 'allow'])
    expect(decision.forbidden?.read?.starts).toEqual([`${base}/ws/deep/er/secrets`, `${base}/ws/secrets`])
    expect(decision.forbidden?.read?.matches(`${base}/ws/secrets/a.txt`)).toBe(true)
    expect(decision.forbidden?.read?.matches(`${base}/ws/src/a.ts`)).toBe(false)
  }
  expect(judge('npm test', { allow: ['Bash'] }, { sandbox: true }).forbidden).toBeUndefined()
  for (const command of ['cat secrets/a.txt', 'cat link/a.txt', 'cp secrets/a.txt x'])
    expect(judge(command, { allow: ['Bash'], deny }, { sandbox: true, mode: 'bypass' }).decision).toBe('deny')
})

it('commands that cannot reach the file run as before', () => {
  for (const command of [
    'ls -la',
    'cat src/a.ts README.md',
    'grep -r x src',
    'grep -rn x empty',
    'git status -s',
    'git log --oneline -5',
    'git diff --stat',
    'find . -name a.txt',
    'echo hi | wc -c',
    'cd src && cat a.ts',
  ])
    for (const sandbox of [false, true])
      expect([command, sandbox, judge(command, { deny }, { sandbox }).decision]).toEqual([command, sandbox, 'allow'])
  const allow = ['Bash']
  for (const command of [
    'touch x',
    'mkdir -p a/b',
    'rm src/a.ts',
    'echo hi > out.txt',
    'git commit -m x',
    'git add .',
    'cp README.md x',
  ])
    expect([command, judge(command, { allow, deny }, {}).decision]).toEqual([command, 'allow'])
  // The rule matches nothing that exists.
  expect(judge('npm test', { allow, deny: ['Read(nowhere/**)'] }, {}).decision).toBe('allow')
})

it('read-only files are enforced in the same way', () => {
  const rules = { allow: ['Bash'], deny: ['Edit(src/**)'] }
  for (const command of [
    'npm test',
    'rm -rf .',
    'mv src other',
    'find . -name a.ts -exec rm {} +',
    'sed -i s/x/y/ */a.ts',
  ])
    for (const mode of modes)
      expect([command, mode, judge(command, rules, { mode }).decision]).toEqual([
        command,
        mode,
        expect.stringMatching(/^(ask|deny)$/),
      ])
  expect(judge('npm test', rules, { sandbox: true }).forbidden?.write?.starts).toEqual([`${base}/ws/src`])
})

it('rules for files apply to input of a running program, too', () => {
  const rules = { allow: ['WriteStdin'], deny }
  expect(judge('cat secrets/a.txt\n', rules, { sandbox: true }, 'WriteStdin').decision).toBe('deny')
  expect(judge('cat secrets/a.txt\n', rules, {}, 'WriteStdin').decision).toBe('deny')
  expect(judge('y\n', rules, {}, 'WriteStdin').decision).toBe('ask')
})
