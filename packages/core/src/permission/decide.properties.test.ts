import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Decision, type Effect, modes } from '../access/decision.ts'
import { getBuiltinTools } from '../tool/tool-set.ts'
import { explainCall } from './explain-call.ts'
import { type PermissionContext, placeContext } from './path-facts.ts'
import { compileRules, type Layer, type Policy, type RuleLine } from './policy.ts'

let base: string
let ctx: PermissionContext

beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'decide-properties-')))
  for (const file of ['ws/src/a.ts', 'ws/.env', 'ws/private/x', 'home/.ssh/id_rsa', 'home/notes/a.md', 'other/x'])
    mkdirSync(path.dirname(path.join(base, file)), { recursive: true })
  for (const file of ['ws/src/a.ts', 'ws/.env', 'ws/private/x', 'home/.ssh/id_rsa', 'home/notes/a.md', 'other/x'])
    writeFileSync(path.join(base, file), '')
  symlinkSync(path.join(base, 'other'), path.join(base, 'ws/link'))
  ctx = placeContext(path.join(base, 'ws'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

const tools = getBuiltinTools()
const rank = { deny: 0, ask: 1, allow: 2 }

const file = fc.constantFrom('src/a.ts', 'src/new.ts', '.env', 'private/x', 'link/x', '~/notes/a.md', '~/.ssh/id_rsa', '/etc/hosts', '.git/config', '.troupe/config.json', 'plan.md', 'README.md', '~x/a', './~/a', '!b/c', ' d/e ', 'f)g/h', '[i]/{j}/k*', 'l\nm/n') // prettier-ignore
const simpleCommand = fc.constantFrom('ls -la', 'cat src/a.ts', 'cat .env', 'git status', 'git push origin main', 'npm run build', 'npm test', 'rm -rf src', 'rm x', 'mkdir build', 'node x.js', 'echo hi > out.txt', 'echo hi > ../other/x', 'make', 'sudo ls', 'env FOO=1 npm test', 'timeout 5 rm x', 'bash -c "rm x"', 'echo $(rm x)', 'cp .env x', 'grep -r x .', 'find . -delete', 'xargs rm', 'cat *.ts', 'eval "$x"', 'curl https://example.com', "awk '{print $1}' src/a.ts") // prettier-ignore
const command = fc
  .array(simpleCommand, { minLength: 1, maxLength: 3 })
  .chain((parts) => fc.constantFrom(' && ', ' | ', '; ', ' || ', '\n').map((joint) => parts.join(joint)))

const call = fc.oneof(
  file.map((file_path) => ({ tool: 'Read', input: { file_path } as unknown })),
  file.map((file_path) => ({ tool: 'Write', input: { file_path, content: '' } })),
  file.map((file_path) => ({ tool: 'Edit', input: { file_path, old_string: 'a', new_string: 'b' } })),
  file.map((given) => ({ tool: 'Grep', input: { pattern: 'x', path: given } })),
  { weight: 6, arbitrary: command.map((text) => ({ tool: 'Bash', input: { command: text } })) },
  command.map((text) => ({ tool: 'Bash', input: { command: text, outside_sandbox: true } })),
  command.map((cmd) => ({ tool: 'ExecCommand', input: { cmd } })),
  simpleCommand.map((chars) => ({ tool: 'WriteStdin', input: { session_id: '1', chars } })),
  fc
    .constantFrom(
      'https://example.com/x',
      'https://a.example.com',
      'http://evil.test',
      'http://intranet/x',
      'http://[::1]/',
      'ftp://x',
    )
    .map((url) => ({ tool: 'WebFetch', input: { url } })),
  fc.constantFrom('browser', 'coder').map((name) => ({ tool: 'Task', input: { name, task: 'x' } })),
  fc
    .constantFrom('mcp__files_read', 'mcp__files__write', 'Deploy', 'TodoWrite', 'TimeNow', 'Undo')
    .map((tool) => ({ tool, input: tool === 'Undo' ? { scope: 'turn' } : tool === 'TodoWrite' ? { todos: [] } : {} })),
  fc.constant({ tool: 'JsRepl', input: '1 + 1' as unknown }),
)

const text = fc.constantFrom(
  'Bash', 'Read', 'Edit', 'Write', 'Grep', 'WebFetch', 'Task', 'Undo', 'JsRepl', 'WriteStdin', 'ExecCommand', 'Outside', 'mcp__files', 'mcp__files_read', 'Deploy',
  'Bash(ls *)', 'Bash(cat *)', 'Bash(cat .env)', 'Bash(npm *)', 'Bash(npm run *)', 'Bash(git *)', 'Bash(git status)', 'Bash(git push *)', 'Bash(rm *)', 'Bash(rm -rf *)', 'Bash(echo *)', 'Bash(* x)', 'Bash(make)', 'Bash(eval *)', 'Bash(cp *)', 'Bash(mkdir *)', 'Bash(node *)', 'Outside(npm *)', 'Outside(curl *)',
  'Read(.env)', 'Read(**/.env)', 'Read(~/notes/**)', 'Read(~/.ssh/**)', 'Read(private/**)', 'Read(//etc/hosts)', 'Read(src/**)', 'Edit(src/**)', 'Edit(*.ts)', 'Edit(./README.md)', 'Edit(.git/**)', 'Edit(.troupe/**)', 'Edit(out.txt)', 'Edit(link/**)', 'Write(src/**)',
  'WebFetch(domain:example.com)', 'WebFetch(domain:a.example.com)', 'Task(browser)', 'Read(broken', 'Bash("', 'nonsense here',
) // prettier-ignore
const effect = fc.constantFrom<Effect>('allow', 'ask', 'deny')
const layer = fc.constantFrom<Layer>('managed', 'user', 'project', 'session', 'flag')
const line = fc.record({ text, effect, layer }).map((one): RuleLine => ({ ...one, base: '/base' }))
const lines = fc.array(line, { maxLength: 8 })
const setting = fc.record({ mode: fc.constantFrom(...modes), sandbox: fc.boolean() })

function policyOf(rules: readonly RuleLine[], given: Pick<Policy, 'mode' | 'sandbox'>): Policy {
  const ws = path.join(base, 'ws')
  const placed = rules.map((one) => ({ ...one, base: ws }))
  const home = path.join(base, 'home')
  return {
    ...given,
    home,
    troupeHome: path.join(home, '.troupe'),
    planFile: path.join(ws, 'plan.md'),
    rules: compileRules(placed),
  }
}

const judge = (made: { tool: string; input: unknown }, policy: Policy): Decision =>
  explainCall(made, tools, ctx, policy) as Decision
const options = { numRuns: Number(process.env['TROUPE_FUZZ_RUNS'] ?? 150) }
const patienceMs = 600_000

it(
  'an additional deny or ask rule never allows more',
  () => {
    fc.assert(
      fc.property(call, lines, line, setting, (made, rules, added, given) => {
        fc.pre(added.effect !== 'allow')
        const before = judge(made, policyOf(rules, given))
        const after = judge(made, policyOf([...rules, added], given))
        expect(rank[after.decision]).toBeLessThanOrEqual(rank[before.decision])
      }),
      options,
    )
  },
  patienceMs,
)

it(
  'an additional allow rule never denies, and never wins over a deny or ask rule',
  () => {
    fc.assert(
      fc.property(call, lines, text, layer, setting, (made, rules, added, where, given) => {
        const before = judge(made, policyOf(rules, given))
        const after = judge(made, policyOf([...rules, { text: added, effect: 'allow', layer: where, base: '' }], given))
        expect(rank[after.decision]).toBeGreaterThanOrEqual(rank[before.decision])
        if (before.decision === 'deny') expect(after).toMatchObject({ decision: 'deny', rule: before.rule })
        if (before.rule !== null && before.decision === 'ask')
          expect(after).toMatchObject({ decision: 'ask', rule: before.rule })
      }),
      options,
    )
  },
  patienceMs,
)

it(
  'the order of rules, and how often one is written, make no difference',
  () => {
    fc.assert(
      fc.property(call, lines, setting, fc.infiniteStream(fc.nat()), (made, rules, given, numbers) => {
        const shuffled = rules
          .flatMap((one) => (numbers.next().value! % 3 === 0 ? [one, one] : [one]))
          .map((one) => ({ one, at: numbers.next().value! }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ one }) => one)
        const { hides: _, ...before } = judge(made, policyOf(rules, given))
        const { hides: __, ...after } = judge(made, policyOf(shuffled, given))
        expect(after.decision).toBe(before.decision)
        expect(after.rule).toBe(before.rule)
        expect(after.confinement).toBe(before.confinement)
        expect(after.remember).toEqual(before.remember)
      }),
      options,
    )
  },
  patienceMs,
)

it(
  'a remembered rule allows the tool call, and nothing else',
  () => {
    fc.assert(
      fc.property(call, lines, setting, (made, rules, given) => {
        const asked = judge(made, policyOf(rules, given))
        if (asked.remember === undefined) return
        expect(asked.decision).toBe('ask')
        expect(asked.rule).toBeNull()
        const remembered = asked.remember.map((one): RuleLine => ({
          text: one,
          effect: 'allow',
          layer: 'session',
          base: '',
        }))
        const policy = policyOf([...rules, ...remembered], given)
        expect(
          policy.rules.problems
            .filter(({ line: { layer: where } }) => where === 'session')
            .map(({ message }) => message),
        ).toEqual(
          policyOf(rules, given)
            .rules.problems.filter(({ line: { layer: where } }) => where === 'session')
            .map(({ message }) => message),
        )
        expect([asked.remember, judge(made, policy).decision]).toEqual([asked.remember, 'allow'])
        for (const rule of asked.remember)
          expect(rule).not.toMatch(/^(Bash|Outside)(\((\*|bash|sh|python3?|node|env|sudo|xargs|eval|git|npm) ?\*?\))?$/)
      }),
      options,
    )
  },
  patienceMs,
)

it(
  'only the plan can be written in plan mode, regardless of rules',
  () => {
    const writing = fc.oneof(
      file.map((file_path) => ({ tool: 'Write', input: { file_path, content: '' } as unknown })),
      fc
        .constantFrom('rm x', 'npm test', 'echo hi > src/a.ts', 'node x.js', 'touch a', 'ls; rm x')
        .map((one) => ({ tool: 'Bash', input: { command: one } })),
      fc.constantFrom('Undo', 'Deploy').map((tool) => ({ tool, input: { scope: 'turn' } })),
    )
    fc.assert(
      fc.property(writing, lines, fc.boolean(), (made, rules, sandbox) => {
        const decision = judge(made, policyOf(rules, { mode: 'plan', sandbox }))
        const isPlan = (made.input as { file_path?: string }).file_path === 'plan.md'
        expect(isPlan || decision.decision === 'deny').toBe(true)
      }),
      options,
    )
  },
  patienceMs,
)

it(
  'a call that is allowed in the default mode is allowed in every mode that permits more',
  () => {
    fc.assert(
      fc.property(call, lines, fc.boolean(), (made, rules, sandbox) => {
        const inMode = (mode: Policy['mode']): number => rank[judge(made, policyOf(rules, { mode, sandbox })).decision]
        expect(inMode('accept-edits')).toBeGreaterThanOrEqual(inMode('default'))
        expect(inMode('bypass')).toBeGreaterThanOrEqual(inMode('accept-edits'))
        expect(inMode('plan')).toBeLessThanOrEqual(
          Math.max(inMode('default'), (made.input as { file_path?: string }).file_path === 'plan.md' ? 2 : 0),
        )
      }),
      options,
    )
  },
  patienceMs,
)
