import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Decision, type Effect, modes } from '../access/decision.ts'
import { testToolContext } from '../testing/index.ts'
import { testApproval } from '../testing/test-tool-context.ts'
import { inDialect } from '../tool/tool-aliases.ts'
import { getBuiltinTools, getTools } from '../tool/tool-set.ts'
import { checkTool, defineTool, type Tool } from '../tool/tool.ts'
import { decide } from './decide.ts'
import { explainCall } from './explain-call.ts'
import { placeContext } from './path-facts.ts'
import { createPolicy, type PolicyOptions } from './policy.ts'

type Rules = Partial<Record<Effect, readonly string[]>>

let base: string
let workspace: string
let home: string

beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'decide-')))
  workspace = path.join(base, 'ws')
  home = path.join(base, 'home')
  const files = ['ws/src/a.ts', 'ws/.env', 'ws/.env.example', 'ws/README.md', 'ws/.git/config', 'home/.ssh/id_ed25519', 'home/notes/a.md', 'home/.troupe/config.json', 'home/.troupe/sessions/s/output/1.txt', 'elsewhere/x.txt'] // prettier-ignore
  for (const file of files) {
    mkdirSync(path.dirname(path.join(base, file)), { recursive: true })
    writeFileSync(path.join(base, file), 'x\n')
  }
  symlinkSync(path.join(base, 'elsewhere'), path.join(workspace, 'out'))
  symlinkSync('.env', path.join(workspace, 'plain.txt'))
  symlinkSync('src', path.join(workspace, 'alias'))
  symlinkSync(workspace, path.join(base, 'link-to-ws'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

const tools = [...getBuiltinTools(), testApproval]

async function explain(tool: string, input: unknown, rules: Rules = {}, given: PolicyOptions = {}): Promise<Decision> {
  const policy = createPolicy(rules, {
    home,
    troupeHome: path.join(home, '.troupe'),
    layer: 'project',
    base: workspace,
    ...given,
  })
  const ctx = placeContext(workspace, [workspace], [path.join(home, '.troupe/sessions/s/output')])
  return explainCall({ tool, input }, tools, ctx, policy)
}

const read = (file: string, rules?: Rules, given?: PolicyOptions): Promise<Decision> =>
  explain('Read', { file_path: file }, rules, given)
const write = (file: string, rules?: Rules, given?: PolicyOptions): Promise<Decision> =>
  explain('Write', { file_path: file, content: '' }, rules, given)
const bash = (command: string, rules?: Rules, given?: PolicyOptions): Promise<Decision> =>
  explain('Bash', { command }, rules, given)

function ownTool(
  name: string,
  readOnly: boolean,
  needsApproval?: Tool['needsApproval'],
  touches?: Tool['touches'],
): Tool {
  const definition = defineTool({
    name,
    description: name,
    input: z.looseObject({}),
    readOnly,
    group: 'system',
    needsApproval,
    touches,
    execute: () => Promise.resolve(null),
  })
  return checkTool(definition, name)
}

const verdict = async (tool: Tool, rules: Rules, given?: PolicyOptions): Promise<string> =>
  (await decide({ tool, input: { command: 'x' } }, testToolContext(), createPolicy(rules, given))).decision

describe('a tool', () => {
  it('that only reads runs, and others ask, unless they declare otherwise', async () => {
    expect(await verdict(ownTool('Look', true), {})).toBe('allow')
    expect(await verdict(ownTool('Change', false), {})).toBe('ask')
    expect(await verdict(ownTool('Look', true, true), {})).toBe('ask')
    expect(await verdict(ownTool('Change', false, false), {})).toBe('allow')
    expect(
      await verdict(
        ownTool('Change', false, () => false),
        {},
      ),
    ).toBe('allow')
    expect(
      await verdict(
        ownTool('Change', false, () => Promise.resolve(false)),
        {},
      ),
    ).toBe('allow')
  })

  it('that fails to declare its approval or access asks', async () => {
    const failing = (): never => {
      throw new Error('no idea')
    }
    expect(await verdict(ownTool('Look', true, failing), {})).toBe('ask')
    expect(
      await verdict(
        ownTool('Look', true, () => Promise.reject(new Error('later'))),
        {},
      ),
    ).toBe('ask')
    const blind = ownTool('Look', true, false, failing)
    expect(
      await decide(
        { tool: blind, input: {} },
        testToolContext(),
        createPolicy({ allow: ['Look'] }, { mode: 'bypass' }),
      ),
    ).toMatchObject({
      decision: 'ask',
      firm: true,
      reason: 'Look could not determine what it accesses: no idea',
    })
    expect(await verdict(blind, { deny: ['Look'] })).toBe('deny')
    for (const access of [{ kind: 'read' }, { kind: 'network' }]) {
      const odd = ownTool('Look', true, false, () => [access as never])
      expect(await verdict(odd, {})).toBe('ask')
    }
  })

  it('applies deny, then ask, then allow, in any order of rules', async () => {
    const change = ownTool('Change', false)
    expect(await verdict(change, { allow: ['Change'], ask: ['Change'], deny: ['Change'] })).toBe('deny')
    expect(await verdict(change, { allow: ['Change'], ask: ['change'] })).toBe('ask')
    expect(await verdict(change, { allow: ['CHANGE'] })).toBe('allow')
    expect(await verdict(change, { allow: ['Changes', 'Chang'] })).toBe('ask')
  })

  it('is met by its rule under every name that it has', async () => {
    const [known] = getTools(['Bash']) as [Tool]
    const [shell] = inDialect([known], 'openai/codex-large') as [Tool]
    expect(shell.name).toBe('shell')
    expect(await verdict(shell, { allow: ['shell'], deny: ['Bash'] })).toBe('deny')
    expect(await verdict(known, { deny: ['shell-command'] })).toBe('deny')
    expect(await verdict(ownTool('shell', false), { deny: ['Bash'] })).toBe('ask')
    expect(await verdict(ownTool('shell', false), { deny: ['shell'] })).toBe('deny')
  })

  it('of an MCP server is met by rules for it and for the server, and for no other server', async () => {
    const search = { ...ownTool('mcp__git_hub_search', false), group: 'mcp:git_hub' }
    for (const rule of [
      'mcp__git_hub',
      'mcp__git-hub',
      'mcp__git_hub__*',
      'mcp__git_hub_search',
      'mcp__git_hub__search',
    ])
      expect([rule, await verdict(search, { allow: [rule] })]).toEqual([rule, 'allow'])
    for (const rule of ['mcp__git', 'mcp__git__hub_searches', 'mcp__hub', 'mcp__git_hubs', 'mcp__github_search'])
      expect([rule, await verdict(search, { allow: [rule] })]).toEqual([rule, 'ask'])
    expect((await explain('mcp__files__read', {}, { allow: ['mcp__files'] })).decision).toBe('allow')
    expect((await explain('mcp__files_read_all', {}, { deny: ['mcp__files'] })).decision).toBe('deny')
    expect(await explain('mcp__files_read', {})).toMatchObject({ decision: 'ask', remember: ['mcp__files_read'] })
  })
})

describe('a built-in tool', () => {
  const inputs: Record<string, unknown> = {
    AbortAgent: { agent_id: 'a' },
    AskUserQuestion: { questions: [{ question: 'Which?', header: 'H', options: [{ label: 'a' }, { label: 'b' }] }] },
    ExitPlanMode: {},
    JsReplReset: {},
    SendInput: { agent_id: 'a', message: 'x' },
    Task: { name: 'browser', task: 'x' },
    TaskOutput: { task_id: '1' },
    TaskStop: { task_id: '1' },
    TimeNow: {},
    TodoWrite: { todos: [] },
    WaitAgent: { agent_ids: ['a'] },
    WebSearch: { query: 'x' },
  }

  it.each(Object.entries(inputs))('%s needs no yes, in no mode', async (tool, input) => {
    for (const mode of modes)
      expect([mode, (await explain(tool, input, {}, { mode })).decision]).toEqual([mode, 'allow'])
    expect((await explain(tool, input, { deny: [tool] })).decision).toBe('deny')
    expect((await explain(tool, input, { ask: [tool], allow: [tool] })).decision).toBe('ask')
  })

  it('that tests approvals asks in every mode except bypass', async () => {
    for (const mode of ['default', 'accept-edits', 'plan'] as const)
      expect((await explain('TestApproval', {}, {}, { mode })).decision).toBe('ask')
  })

  it('that saves rows of a query asks like any edit; one that changes a database asks also where edits are accepted', async () => {
    const save = { sql: 'select 1', output: 'out.csv' }
    expect((await explain('QueryWrite', save)).decision).toBe('ask')
    expect((await explain('QueryWrite', save, {}, { mode: 'accept-edits' })).decision).toBe('allow')
    expect((await explain('QueryWrite', save, {}, { mode: 'plan' })).decision).toBe('deny')
    const change = { sql: 'delete from t', connection: 'shop.db' }
    expect((await explain('QueryWrite', change, {}, { mode: 'accept-edits' })).decision).toBe('ask')
  })

  it('that undoes changes is like an edit of the workspace', async () => {
    const undo = (rules?: Rules, given?: PolicyOptions): Promise<Decision> =>
      explain('Undo', { scope: 'turn' }, rules, given)
    expect(await undo()).toMatchObject({ decision: 'ask', remember: ['Undo'] })
    expect((await undo({ allow: ['Undo'] })).decision).toBe('allow')
    expect((await undo({ allow: ['Edit(src/**)'] })).decision).toBe('ask')
    expect((await undo({}, { mode: 'accept-edits' })).decision).toBe('allow')
    expect((await undo({}, { mode: 'plan' })).decision).toBe('deny')
  })
})

describe('the plan', () => {
  it('is the only file that can be written in plan mode, wherever it is', async () => {
    const planFile = path.join(home, '.troupe/sessions/s/plan.md')
    const given = { mode: 'plan', planFile } as const
    expect(await write(planFile, {}, given)).toMatchObject({
      decision: 'allow',
      grants: [{ how: 'write', path: planFile }],
      reason: 'It only changes the plan.',
    })
    expect(await read(planFile, {}, { planFile })).toMatchObject({
      decision: 'allow',
      grants: [{ how: 'read', path: planFile }],
    })
    expect((await write(planFile, {}, { planFile })).decision).toBe('ask')
    expect((await write(planFile, { deny: ['Edit'] }, given)).decision).toBe('deny')
    expect(await write('src/a.ts', { allow: ['Edit'], ask: ['Edit'] }, given)).toMatchObject({
      decision: 'deny',
      rule: null,
      reason: 'In plan mode, only the plan can be changed, but this would change "src/a.ts".',
    })
    expect((await explain('mcp__files_write', {}, { allow: ['mcp__files'] }, given)).decision).toBe('deny')
    expect((await read('src/a.ts', {}, given)).decision).toBe('allow')
    expect((await read('.env', {}, given)).decision).toBe('ask')
  })
})

describe('a file', () => {
  it('in the workspace is read without asking; an outside file, a secret or ours asks', async () => {
    for (const file of [
      'src/a.ts',
      '.env.example',
      'nothing-there',
      'alias/a.ts',
      path.join(home, '.troupe/sessions/s/output/1.txt'),
    ])
      expect([file, (await read(file)).decision]).toEqual([file, 'allow'])
    for (const file of [
      '../elsewhere/x.txt',
      'out/x.txt',
      '.env',
      'plain.txt',
      '~/notes/a.md',
      '~/.troupe/config.json',
      '/etc/passwd',
      'a/.aws/credentials',
      'deploy.pem',
      '.ENV',
    ])
      expect([file, (await read(file)).decision]).toEqual([file, 'ask'])
  })

  it('that links out of the workspace names its target, and is granted by its real path', async () => {
    const decision = await read('out/x.txt')
    expect(decision).toMatchObject({
      reason: `It reads "out/x.txt", which points to "${base}/elsewhere/x.txt", outside the workspace.`,
      grants: [{ how: 'read', path: `${base}/elsewhere/x.txt` }],
      rule: null,
    })
    expect((await read('plain.txt')).reason).toContain('contain keys and passwords')
    expect((await read('plain.txt')).grants).toEqual([{ how: 'read', path: `${workspace}/.env` }])
  })

  it('that is reached through a link needs an allow rule for both ends; one denied end is enough to deny it', async () => {
    expect((await write('alias/a.ts', { allow: ['Edit(src/**)'] })).decision).toBe('ask')
    expect((await write('alias/a.ts', { allow: ['Edit(alias/**)'] })).decision).toBe('ask')
    expect((await write('alias/a.ts', { allow: ['Edit(alias/**)', 'Edit(src/**)'] })).decision).toBe('allow')
    expect((await write('alias/a.ts', { allow: ['Edit'], deny: ['Edit(src/**)'] })).decision).toBe('deny')
    expect((await write('alias/a.ts', { allow: ['Edit'], deny: ['Edit(alias/**)'] })).decision).toBe('deny')
    expect((await read('plain.txt', { deny: ['Read(.env)'] })).decision).toBe('deny')
    expect((await write('out/new.txt', { allow: ['Edit(out/**)'] })).decision).toBe('ask')
    expect((await write('out/new.txt', { allow: ['Edit(out/**)', `Edit(/${base}/elsewhere/**)`] })).decision).toBe(
      'allow',
    )
  })

  it('of a workspace behind a link is identified by its real path', async () => {
    const spelled = path.join(base, 'link-to-ws/src/a.ts')
    expect((await write(spelled, { allow: ['Edit(src/**)'] })).decision).toBe('allow')
    expect((await read(spelled)).decision).toBe('allow')
    expect((await write(spelled, { deny: ['Edit(src/**)'] })).decision).toBe('deny')
  })

  it('is written if a rule, the mode or a person allows it', async () => {
    expect(await write('src/a.ts')).toMatchObject({ decision: 'ask', remember: ['Edit(src/**)'], rule: null })
    expect(await write('README.md')).toMatchObject({ decision: 'ask', remember: ['Edit(./README.md)'] })
    for (const rule of [
      'Edit',
      'Write',
      'write_file',
      'Edit(src/**)',
      'Write(src/**)',
      'Edit(*.ts)',
      'Edit(/src/**)',
      'Edit(src)',
    ])
      expect([rule, (await write('src/a.ts', { allow: [rule] })).decision]).toEqual([rule, 'allow'])
    for (const rule of [
      'Read(src/**)',
      'NotebookEdit',
      'NotebookEdit(src/**)',
      'Edit(lib/**)',
      'Edit(src/b.ts)',
      'Edit(~/src/**)',
    ])
      expect([rule, (await write('src/a.ts', { allow: [rule] })).decision]).toEqual([rule, 'ask'])
    expect(await write('src/a.ts', {}, { mode: 'accept-edits' })).toMatchObject({ decision: 'allow', rule: null })
    expect(await write('src/a.ts', {}, { mode: 'bypass' })).toMatchObject({ decision: 'allow' })
  })

  it('with an unusual name is remembered exactly, or not at all', async () => {
    expect((await write('./~/a')).remember).toEqual(['Edit(./~/**)'])
    expect((await write('[id]/a')).remember).toEqual([String.raw`Edit(\[id\]/**)`])
    expect((await write('a\nb/c')).remember).toBeUndefined()
    expect((await explain('WebFetch', { url: 'http://intranet/' })).remember).toBeUndefined()
  })

  it('outside the workspace is not covered by a rule without a path', async () => {
    for (const rule of ['Edit', 'Write', 'Edit(**)', 'Edit(x.txt)', 'Edit(*.txt)'])
      expect([rule, (await write('../elsewhere/x.txt', { allow: [rule] })).decision]).toEqual([rule, 'ask'])
    expect((await write('../elsewhere/x.txt', {}, { mode: 'accept-edits' })).decision).toBe('ask')
    const asked = await write('../elsewhere/x.txt')
    expect(asked.remember).toEqual([`Edit(/${base}/elsewhere/x.txt)`])
    expect(await write('../elsewhere/x.txt', { allow: asked.remember! })).toMatchObject({
      decision: 'allow',
      grants: [{ how: 'write', path: `${base}/elsewhere/x.txt` }],
    })
    expect((await read('~/notes/a.md')).remember).toEqual(['Read(~/notes/a.md)'])
  })

  it('that is secret is meant only by a rule that names it', async () => {
    for (const rule of ['Read', 'Read(**)', 'Read(*)', 'Read(//**)', 'Read(./**)'])
      expect([rule, (await read('.env', { allow: [rule] })).decision]).toEqual([rule, 'ask'])
    for (const rule of ['Read(.env)', 'Read(./.env)', 'Read(.env*)', 'Read(**/.env)'])
      expect([rule, (await read('.env', { allow: [rule] })).decision]).toEqual([rule, 'allow'])
    expect((await read('.env')).remember).toEqual(['Read(./.env)'])
    expect((await read('~/.ssh/id_ed25519', { allow: ['Read(~/**)'] })).decision).toBe('ask')
    expect((await read('~/.ssh/id_ed25519', { allow: ['Read(~/.ssh/**)'] })).decision).toBe('allow')
    expect((await write('.env', {}, { mode: 'accept-edits' })).decision).toBe('ask')
  })

  it('that controls what runs is changed only if a rule names it', async () => {
    for (const file of [
      '.git/hooks/pre-commit',
      '.vscode/tasks.json',
      '.husky/x',
      '~/.bashrc',
      'a/.envrc',
      '.GIT/config',
    ]) {
      expect([file, (await write(file, {}, { mode: 'accept-edits' })).decision]).toEqual([file, 'ask'])
      expect([file, (await write(file, { allow: ['Edit', 'Edit(**)', 'Edit(~/**)'] })).decision]).toEqual([file, 'ask'])
    }
    expect((await write('.vscode/tasks.json', { allow: ['Edit(.vscode/**)'] })).decision).toBe('allow')
    expect((await write('.gitignore', {}, { mode: 'accept-edits' })).decision).toBe('allow')
    expect((await write('.git/x', {}, { mode: 'bypass' })).decision).toBe('allow')
  })

  it('that controls permissions always asks', async () => {
    const allow = ['Edit', 'Edit(.troupe/**)', 'Edit(.mcp.json)', 'Edit(~/.troupe/**)']
    for (const file of [
      '.troupe/config.json',
      '.mcp.json',
      '~/.troupe/config.json',
      '~/.troupe/sessions/s/output/1.txt',
    ])
      for (const mode of ['default', 'accept-edits', 'bypass'] as const) {
        const decision = await write(file, { allow }, { mode })
        expect([file, mode, decision.decision, decision.firm, decision.remember]).toEqual([
          file,
          mode,
          'ask',
          true,
          undefined,
        ])
      }
  })

  it('is met by Read and Edit rules whichever tool touches it', async () => {
    const deny = { deny: ['Read(private/**)', 'Edit(src/**)'] }
    for (const [tool, input] of [
      ['Read', { file_path: 'private/x' }],
      ['ListDir', { path: 'private' }],
      ['Grep', { pattern: 'x', path: 'private/y' }],
      ['Glob', { pattern: 'private/**/*.ts' }],
      ['Glob', { pattern: '*', path: 'private' }],
      ['Edit', { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' }],
      ['NotebookEdit', { notebook_path: 'src/a.ipynb', cell_number: 0 }],
      ['ApplyPatch', { patch: '*** Begin Patch\n*** Delete File: src/a.ts\n*** End Patch' }],
      ['ApplyPatch', { patch: '*** Begin Patch\n*** Update File: b.ts\n*** Move to: src/b.ts\n*** End Patch' }],
    ] as const)
      expect([tool, (await explain(tool, input, { ...deny, allow: [tool] })).decision]).toEqual([tool, 'deny'])
  })

  it('of a patch must each be allowed', async () => {
    const patch = '*** Begin Patch\n*** Add File: src/x.ts\n+a\n*** Add File: lib/y.ts\n+b\n*** End Patch'
    expect((await explain('ApplyPatch', { patch }, { allow: ['Edit(src/**)'] })).decision).toBe('ask')
    expect((await explain('ApplyPatch', { patch }, { allow: ['Edit(src/**)', 'Edit(lib/**)'] })).decision).toBe('allow')
    expect((await explain('ApplyPatch', { patch })).remember).toEqual(['Edit(src/**)', 'Edit(lib/**)'])
  })

  it('is hidden from a search of its folder when it is secret or a rule forbids it', async () => {
    const { hides } = await explain('Grep', { pattern: 'x' }, { deny: ['Read(private/**)'], ask: ['Read(later.txt)'] })
    const hidden = ['.env', 'a/key.pem', 'private/x', 'later.txt'].map((file) => hides?.(path.join(workspace, file)))
    expect(hidden).toEqual([true, true, true, true])
    expect(hides?.(path.join(workspace, 'src/a.ts'))).toBe(false)
    const told = await explain('Grep', { pattern: 'x' }, { allow: ['Read(.env)'] })
    expect(told.hides?.(path.join(workspace, '.env'))).toBe(false)
    expect(told.hides?.(path.join(workspace, 'a/key.pem'))).toBe(true)
    expect((await explain('Write', { file_path: 'src/a.ts', content: '' })).hides).toBeUndefined()
  })
})

describe('an address', () => {
  const fetch = (url: string, rules?: Rules, given?: PolicyOptions): Promise<Decision> =>
    explain('WebFetch', { url }, rules, given)

  it('asks, unless a rule allows its host or the user typed exactly that URL', async () => {
    expect(await fetch('https://docs.example.com/x')).toMatchObject({
      decision: 'ask',
      reason: 'It sends a request to docs.example.com.',
      remember: ['WebFetch(domain:docs.example.com)'],
    })
    for (const rule of ['WebFetch', 'WebFetch(domain:example.com)', 'web-fetch(domain:docs.example.com)'])
      expect([rule, (await fetch('https://docs.example.com/x', { allow: [rule] })).decision]).toEqual([rule, 'allow'])
    const addresses = ['https://docs.example.com/x?y=1']
    for (const same of ['https://docs.example.com/x?y=1', 'HTTPS://docs.EXAMPLE.com:443/x?y=1#part'])
      expect((await fetch(same, {}, { addresses })).decision).toBe('allow')
    for (const other of [
      'https://docs.example.com/x',
      'https://docs.example.com/x?y=2',
      'https://docs.example.com/x?y=1&z=1',
      'https://docs.example.com/x/more?y=1',
      'https://docs.example.com:8443/x?y=1',
      'http://docs.example.com/x?y=1',
      'https://me:secret@docs.example.com/x?y=1',
      'https://evil.docs.example.com/x?y=1',
    ])
      expect([other, (await fetch(other, {}, { addresses })).decision]).toEqual([other, 'ask'])
    expect((await fetch('https://example.com.evil.com', { allow: ['WebFetch(domain:example.com)'] })).decision).toBe(
      'ask',
    )
    expect(
      (await fetch('https://x.example.com', { allow: ['WebFetch'], deny: ['WebFetch(domain:example.com)'] })).decision,
    ).toBe('deny')
  })
})

describe('an act at an address', () => {
  const act = checkTool(
    defineTool({
      description: '',
      input: z.object({ url: z.string() }),
      readOnly: false,
      group: 'browser',
      needsApproval: true,
      touches: ({ url }) => [{ kind: 'url', url }],
      execute: () => null,
    }),
    'press-button',
  )
  const press = (url: string, rules: Rules = {}, given: PolicyOptions = {}): Decision | Promise<Decision> =>
    decide(
      { tool: act, input: { url } },
      placeContext(workspace),
      createPolicy(rules, { home, base: workspace, ...given }),
    )

  it('asks although its host may be read, and is remembered by host', async () => {
    const url = 'https://docs.example.com/x'
    for (const rules of [{}, { allow: ['WebFetch'] }, { allow: ['WebFetch(domain:example.com)'] }])
      expect(await press(url, rules, { addresses: [url] })).toMatchObject({
        decision: 'ask',
        reason: 'PressButton can make changes on docs.example.com.',
        remember: ['PressButton(domain:docs.example.com)'],
      })
    for (const rule of ['PressButton', 'PressButton(domain:example.com)', 'PressButton(domain:docs.example.com)'])
      expect([rule, (await press(url, { allow: [rule] })).decision]).toEqual([rule, 'allow'])
    expect((await press('https://example.org', { allow: ['PressButton(domain:example.com)'] })).decision).toBe('ask')
    expect(await press('http://intranet/')).not.toHaveProperty('remember')
    expect(await press('file:///etc/passwd')).not.toHaveProperty('remember')
  })

  it('is denied by a rule that denies reading there, and in plan mode', async () => {
    const rules = { allow: ['PressButton'], deny: ['WebFetch(domain:example.com)'] }
    expect((await press('https://example.com', rules)).decision).toBe('deny')
    expect((await press('https://example.com', { allow: ['PressButton'] }, { mode: 'plan' })).decision).toBe('deny')
  })
})

describe('an agent', () => {
  it('needs no yes, and rules can forbid it or ask about it', async () => {
    const input = { name: 'browser', task: 'look' }
    expect((await explain('Task', input)).decision).toBe('allow')
    expect((await explain('Task', input, { deny: ['Task(browser)'] })).decision).toBe('deny')
    expect((await explain('Task', input, { ask: ['Task(Browser)'], allow: ['Task'] })).decision).toBe('ask')
    expect((await explain('Task', input, { deny: ['Task(coder)'] })).decision).toBe('allow')
    expect((await explain('Task', input, { deny: ['Task'] })).decision).toBe('deny')
  })
})

describe('a rule that cannot be read', () => {
  it('asks for its tool, and never allows', async () => {
    expect(await read('src/a.ts', { deny: ['Read(src'] })).toMatchObject({
      decision: 'ask',
      firm: true,
      rule: 'Read(src',
      reason: 'Read needs approval because a rule about it is invalid. The rule "Read(src" does not end with ")".',
    })
    expect((await write('src/a.ts', { allow: ['Edit(src/**'] })).decision).toBe('ask')
    expect((await bash('ls', { deny: ['Bash(rm "x)'] })).decision).toBe('ask')
    expect(createPolicy({ deny: ['((', 'Bash('] }).rules.problems).toHaveLength(2)
  })
})

describe('an input that the tool would not take', () => {
  it('is denied with the complaint', async () => {
    const decision = await explain('Read', { file: 'x' }, { allow: ['Read'] })
    expect(decision).toMatchObject({ decision: 'deny', rule: null })
    expect(decision.reason).toContain('file_path')
  })
})

describe('the layers', () => {
  it('are named in the reason, and none has priority', async () => {
    expect((await bash('npm test', { deny: ['Bash(npm test)'], allow: ['Bash'] })).reason).toBe(
      'The project\'s rule "Bash(npm test)" forbids "npm test".',
    )
    expect((await bash('npm test', { deny: ['Bash'] }, { layer: 'session' })).reason).toBe(
      'The session\'s rule "Bash" forbids "Bash".',
    )
  })
})
