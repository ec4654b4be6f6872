import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { run } from '../run/run.ts'
import { createMemoryAsks, createMemoryLog } from '../store/memory.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import { testToolContext } from '../testing/test-tool-context.ts'
import { checkInput, parseCall } from './parse-call.ts'
import { aliasKey, dialects, inDialect, ownTool, toolAliases } from './tool-aliases.ts'
import { buildTools, findTool, getBuiltinTools } from './tool-set.ts'
import { checkTool, defineTool, type Tool } from './tool.ts'

const names = ['Read', 'Write', 'Edit', 'ListDir', 'Glob', 'Grep', 'ApplyPatch', 'Bash', 'ExecCommand', 'WriteStdin', 'TaskOutput', 'TaskStop', 'TodoWrite', 'WebFetch', 'WebSearch', 'JsRepl', 'JsReplReset', 'TimeNow', 'OpenUrl', 'Task', 'SendInput', 'AbortAgent', 'AskUserQuestion'] // prettier-ignore

function stub(
  name: string,
  input: z.ZodType = z.object({}),
  result: (input: unknown) => unknown = (given) => given,
): Tool {
  return checkTool(
    defineTool({
      name,
      description: name,
      input,
      readOnly: true,
      group: 'test',
      execute: (given) => Promise.resolve(result(given)),
    }),
    name,
  )
}
const tools = names.map((name) => stub(name))

test.each([
  ['read-file', 'Read'], ['read_file', 'Read'], ['readFile', 'Read'], ['write-file', 'Write'], ['list-dir', 'ListDir'], ['grep-files', 'Grep'],
  ['apply-patch', 'ApplyPatch'], ['apply_patch', 'ApplyPatch'], ['shell', 'Bash'], ['shell-command', 'Bash'], ['exec-command', 'ExecCommand'],
  ['write-stdin', 'WriteStdin'], ['update-plan', 'TodoWrite'], ['update_plan', 'TodoWrite'], ['js-repl', 'JsRepl'], ['js-repl-reset', 'JsReplReset'],
  ['time-now', 'TimeNow'], ['web-fetch', 'WebFetch'], ['web-search', 'WebSearch'], ['open-url', 'OpenUrl'], ['sub-agent', 'Task'], ['spawn-agent', 'Task'],
])('%s finds %s', (alias, name) => {
  expect(findTool(alias, tools)?.name).toBe(name)
  expect(aliasKey(alias)).toBe(aliasKey(name))
}) // prettier-ignore

test('every alias refers to a tool, and none hides one', () => {
  for (const [alias, name] of Object.entries(toolAliases)) {
    expect(names).toContain(name)
    const hidden = tools.find((tool) => tool.name.toLowerCase() === alias.replaceAll('-', ''))
    expect(hidden?.name ?? name).toBe(name)
  }
  expect(findTool('no-such-tool', tools)).toBeUndefined()
  expect(findTool('constructor', tools)).toBeUndefined()
  expect(findTool('__proto__', tools)).toBeUndefined()
})

test('a user’s own tool wins over an alias', () => {
  const own = stub('shell')
  expect(findTool('shell', [...tools, own])).toBe(own)
  expect(findTool('Bash', [own])).toBeUndefined()
  expect(inDialect([...tools, own], 'openai/gpt-5-codex').map((tool) => tool.name)).toContain('Bash')
})

const codex = 'openai/gpt-5-codex'
const bash = stub(
  'Bash',
  z.object({
    command: z.string(),
    timeout: z.number().optional(),
    description: z.string().optional(),
    run_in_background: z.boolean().default(false),
  }),
)
const shell = inDialect([bash], codex)[0]!

test('a family is shown the names and inputs that it knows; others see ours', () => {
  const shown = inDialect(tools, codex).map((tool) => tool.name)
  expect(shown.filter((name) => name.includes('_') || name === 'shell').toSorted()).toEqual([
    'apply_patch',
    'exec_command',
    'shell',
    'update_plan',
    'write_stdin',
  ])
  expect(shown).toHaveLength(tools.length)
  expect(inDialect(tools, 'anthropic/claude-sonnet-4-5')).toEqual(tools)
  expect(buildTools([shell])[0]).toMatchObject({
    name: 'shell',
    inputSchema: { properties: { command: { type: 'array', items: { type: 'string' } } }, required: ['command'] },
  })
  expect(inDialect([bash], codex)[0]).toBe(shell)
})

test.each([
  [['bash', '-lc', 'ls | wc -l'], 'ls | wc -l'],
  [['/bin/sh', '-c', 'a; b'], 'a; b'],
  [['git', 'commit', '-m', "it's $HOME; rm -rf /"], `git commit -m 'it'\\''s $HOME; rm -rf /'`],
  [['echo', '', 'a b', '$(x)', '`y`', 'new\nline'], "echo '' 'a b' '$(x)' '`y`' 'new\nline'"],
  [['bash', '-lc', 'echo "$1"', 'x', 'y'], `bash -lc 'echo "$1"' x y`],
  [['publish', '-c', 'x'], 'publish -c x'],
])('the command %j is the script %s', (command, script) => {
  expect(shell.input.parse({ command })).toEqual({ command: script, run_in_background: false })
})

test('arguments reach the program as the model gave them', () => {
  const words = ["it's", '$HOME', '`id`', 'a b', '', '*', '\\', '"', 'é😀', '-n', 'line\nbreak', '!x', '~']
  const { command } = shell.input.parse({ command: ['printf', '%s\\0', ...words] }) as { command: string }
  expect(
    execFileSync('bash', ['--noprofile', '--norc', '-c', command], { encoding: 'utf8' }).split('\0').slice(0, -1),
  ).toEqual(words)
})

test('a folder applies only to its command, even if the script has several lines', () => {
  const { command } = shell.input.parse({
    command: ['bash', '-lc', 'pwd # here\ncat <<E\nx\nE'],
    workdir: '/usr/../usr/bin',
    timeout_ms: 5,
    justification: 'why',
  }) as { command: string }
  expect(execFileSync('bash', ['-c', `${command}\npwd`], { encoding: 'utf8', cwd: '/' })).toBe('/usr/bin\nx\n/\n')
  expect(
    execFileSync(
      'bash',
      [
        '-c',
        `${(shell.input.parse({ command: ['touch', '/nowhere'], workdir: '/no such folder' }) as { command: string }).command} 2>/dev/null; echo $?`,
      ],
      { encoding: 'utf8' },
    ),
  ).toBe('1\n')
})

test('patches and plans become ours', () => {
  const patch = stub('ApplyPatch', z.object({ patch: z.string() }))
  const todo = getBuiltinTools().find((tool) => tool.name === 'TodoWrite')!
  const [applyPatch, updatePlan] = inDialect([patch, todo], codex)
  expect(applyPatch!.input.parse({ input: '*** Begin Patch' })).toEqual({ patch: '*** Begin Patch' })
  expect(updatePlan!.input.parse({ explanation: 'why', plan: [{ step: 'a', status: 'in_progress' }] })).toEqual({
    todos: [{ content: 'a', status: 'in_progress' }],
    merge: false,
  })
  expect(updatePlan!.input.safeParse({ plan: [{ step: 'a', status: 'later' }] }).success).toBe(false)
})

test('every spelling in every dialect matches its tool', () => {
  const samples: Record<string, unknown> = {
    Bash: { command: ['ls'] },
    ApplyPatch: { input: 'x' },
    TodoWrite: { plan: [] },
    ExecCommand: { cmd: 'ls' },
    WriteStdin: { session_id: 1 },
  }
  const builtin = getBuiltinTools()
  for (const { tools: spellings } of Object.values(dialects)) {
    for (const name of Object.keys(spellings)) {
      const tool = builtin.find((known) => known.name === name)
      if (tool === undefined) continue
      const [shown] = inDialect([tool], codex)
      expect(shown!.input.safeParse(samples[name]).error).toBeUndefined()
    }
  }
})

test('the tool of a dialect is known as ours, and rules see our input', async () => {
  expect(ownTool(shell)).toBe(bash)
  expect(ownTool(bash)).toBe(bash)
  expect(findTool('Bash', [shell])).toBe(shell)
  expect(findTool('shell-command', [shell])).toBe(shell)
  const decided: unknown[] = []
  const { message } = await run({
    runId: 'r',
    messageId: 'a',
    session: { id: 's' },
    workspace: { id: 'w', path: '/' },
    frames: testToolContext().frames,
    state: () => testToolContext().state,
    model: {
      id: codex,
      model: scriptedModel([
        [{ call: { name: 'shell', input: { command: ['bash', '-lc', 'ls'] }, id: 'c1' } }],
        [{ text: 'done' }],
      ]),
    },
    tools: inDialect([bash], codex),
    history: [{ id: 'u', parentMessageId: null, role: 'user', parts: [{ type: 'text', text: 'go' }], createdAt: 0 }],
    signal: new AbortController().signal,
    log: createMemoryLog(),
    asks: createMemoryAsks(() => ({ type: 'approve' })),
    decide: ({ tool, input }) => {
      decided.push([ownTool(tool).name, input])
      return { decision: 'allow', reason: '', rule: null }
    },
  })
  expect(decided).toEqual([['Bash', { command: 'ls', run_in_background: false }]])
  expect(message.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'tool-shell', input: { command: ['bash', '-lc', 'ls'] }, output: { command: 'ls' } },
    { type: 'step-start' },
    { type: 'text' },
  ])
})

test.each<[string, object, string, object]>([
  ['shell', { command: ['bash', '-lc', 'ls | wc -l'] }, 'Bash', { command: 'ls | wc -l' }],
  ['shell', { command: ['git', 'log', 'a b'], workdir: 'sub', timeoutMs: 5 }, 'Bash', { command: "(cd sub || exit\ngit log 'a b'\n)", timeout: 5 }],
  ['shell-command', { cmd: 'ls' }, 'Bash', { command: 'ls' }],
  ['read-file', { path: 'a.txt', offset: 2 }, 'Read', { file_path: 'a.txt', offset: 2 }],
  ['readFile', { filePath: 'a.txt' }, 'Read', { file_path: 'a.txt' }],
  ['write-file', { path: 'a.txt', content: 'x' }, 'Write', { file_path: 'a.txt', content: 'x' }],
  ['edit-file', { path: 'a', oldString: 'x', newString: 'y' }, 'Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }],
  ['list-dir', { dirPath: 'src' }, 'ListDir', { path: 'src' }],
  ['apply-patch', { input: '*** Begin Patch' }, 'ApplyPatch', { patch: '*** Begin Patch' }],
  ['exec-command', { command: ['ls', '-l'], yieldTimeMs: 10 }, 'ExecCommand', { cmd: 'ls -l', yieldTimeMs: 10 }],
  ['write-stdin', { sessionId: 7, input: 'y\n' }, 'WriteStdin', { session_id: '7', chars: 'y\n' }],
  ['update-plan', { explanation: 'so', plan: [{ step: 'one', status: 'pending' }] }, 'TodoWrite', { todos: [{ content: 'one', status: 'pending' }] }],
  ['browser-observe', { task: 'Find the login button' }, 'BrowserObserve', { query: 'login' }],
  ['browser-act', { url: 'https://a.b', action: 'click-text', text: 'Sign in' }, 'BrowserAct', { url: 'https://a.b', action: 'click', text: 'Sign in' }],
  ['kill-shell', { shell_id: 't1' }, 'TaskStop', { task_id: 't1' }],
  ['Read', { file_path: 'a', path: 'b' }, 'Read', { file_path: 'a', path: 'b' }],
  ['Bash', { command: 'ls', timeout: 5 }, 'Bash', { command: 'ls', timeout: 5 }],
  ['time-now', {}, 'TimeNow', {}],
])('%s %j runs %s with our input', (name, given, ours, expected) => {
  const call = parseCall({ toolCallId: 'c', toolName: name, input: JSON.stringify(given) }, getBuiltinTools())
  expect(call.toolName).toBe(ours)
  expect(call.input).toEqual(expected)
  expect(checkInput(call.tool!, call.input)).not.toHaveProperty('complaint')
}) // prettier-ignore

test('the input of a tool with another schema is unchanged', () => {
  const own = stub('Read', z.object({ path: z.string() }))
  const call = parseCall({ toolCallId: 'c', toolName: 'Read', input: '{"path":"a","__proto__":{"x":1}}' }, [own])
  expect(JSON.stringify(call.input)).toBe('{"path":"a","__proto__":{"x":1}}')
})
