import { z } from 'zod'
import { type Tool, toolKey } from './tool.ts'

/**
 * Other names that people, definitions and models use for our tools. Case and separators are ignored, so
 * `read_file` and `readFile` equal `read-file`.
 */
export const toolAliases: Readonly<Record<string, string>> = {
  'read-file': 'Read',
  'view-image': 'Read',
  'write-file': 'Write',
  'create-file': 'Write',
  'edit-file': 'Edit',
  'str-replace': 'Edit',
  'list-dir': 'ListDir',
  'list-directory': 'ListDir',
  ls: 'ListDir',
  'glob-files': 'Glob',
  'grep-files': 'Grep',
  'apply-patch': 'ApplyPatch',
  shell: 'Bash',
  'shell-command': 'Bash',
  'local-shell': 'Bash',
  'exec-command': 'ExecCommand',
  'write-stdin': 'WriteStdin',
  'bash-output': 'TaskOutput',
  'kill-shell': 'TaskStop',
  'update-plan': 'TodoWrite',
  'js-repl': 'JsRepl',
  'js-repl-reset': 'JsReplReset',
  'time-now': 'TimeNow',
  'web-fetch': 'WebFetch',
  'web-search': 'WebSearch',
  'open-url': 'OpenUrl',
  'sub-agent': 'Task',
  'spawn-agent': 'Task',
  agent: 'Task',
  'send-message': 'SendInput',
  'close-agent': 'AbortAgent',
  'kill-agent': 'AbortAgent',
  'request-user-input': 'AskUserQuestion',
}

/** A tool as a model family knows it: the name and input it was trained on, and the mapping to ours. */
interface Spelling {
  name: string
  description: string
  input: z.ZodType
  toOurs(given: never): unknown
}

interface Dialect {
  /** Matched against the whole id, `provider/model`. */
  models: RegExp
  /** Keyed by the name of our tool. */
  tools: Readonly<Record<string, Spelling>>
}

export const dialects: Readonly<Record<string, Dialect>> = {
  codex: {
    models: /codex/i,
    tools: {
      Bash: spelling({
        name: 'shell',
        description: 'Runs a command and returns its output and exit code.',
        input: z.object({
          command: z.array(z.string()).min(1).describe('The program and its arguments, such as ["bash", "-lc", "ls"]'),
          workdir: z.string().describe('The folder to run in').optional(),
          timeout_ms: z.number().positive().describe('Timeout in milliseconds').optional(),
          justification: z.string().describe('Why it is needed, shown to the user').optional(),
        }),
        toOurs: ({ command, workdir, timeout_ms: timeout, justification: description }) =>
          defined({ command: inFolder(scriptOf(command), workdir), timeout, description }),
      }),
      ApplyPatch: spelling({
        name: 'apply_patch',
        description:
          'Changes files with a patch: "*** Begin Patch", then Add, Update, Move or Delete sections, then "*** End Patch".',
        input: z.object({ input: z.string().describe('The whole patch') }),
        toOurs: ({ input: patch }) => ({ patch }),
      }),
      TodoWrite: spelling({
        name: 'update_plan',
        description: 'Keeps a plan of the task that the user can follow. At most one step can be in_progress.',
        input: z.object({
          explanation: z.string().optional(),
          plan: z.array(z.object({ step: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) })),
        }),
        toOurs: ({ plan }) => ({ todos: plan.map(({ step, status }) => ({ content: step, status })) }),
      }),
      ExecCommand: spelling({
        name: 'exec_command',
        description: 'Runs a command in a terminal. Returns its output, or a session id if it is still running.',
        input: z.object({
          cmd: z.string(),
          workdir: z.string().optional(),
          yield_time_ms: z.number().nonnegative().describe('How long to wait for output').optional(),
        }),
        toOurs: (given) => given,
      }),
      WriteStdin: spelling({
        name: 'write_stdin',
        description: 'Types into an exec_command session and returns new output.',
        input: z.object({
          session_id: z.union([z.string(), z.number()]),
          chars: z.string().optional(),
          yield_time_ms: z.number().nonnegative().optional(),
        }),
        toOurs: (given) => ({ ...given, session_id: String(given.session_id) }),
      }),
    },
  },
}

/**
 * Returns the tools as shown to a model. If its family knows one under another name and input, shows that variant,
 * which runs ours. Inputs are converted during parsing, so rules, approvals, results and cards never see the dialect.
 */
export function inDialect(tools: readonly Tool[], modelId: string): readonly Tool[] {
  const dialect = Object.values(dialects).find(({ models }) => models.test(modelId))
  if (dialect === undefined) return tools
  const taken = new Set(tools.map((tool) => toolKey(tool.name)))
  return tools.map((tool) => {
    const known = dialect.tools[tool.name]
    // A custom tool with the same name stays as it is, and so does ours.
    if (known === undefined || (taken.has(toolKey(known.name)) && toolKey(known.name) !== toolKey(tool.name)))
      return tool
    return respelled(tool, known)
  })
}

/** Returns our tool behind a dialect tool, or the tool itself. */
export function ownTool(tool: Tool): Tool {
  return owners.get(tool) ?? tool
}

/**
 * Converts the input of other programs to ours: renamed fields, camel case instead of underscores, and other value
 * shapes. Input that already fits stays unchanged. Tools with their own JSON schema are skipped.
 */
export function ownInput(tool: Tool, given: unknown): unknown {
  const shape = (tool.input as { shape?: Record<string, unknown> }).shape
  if (shape === undefined || typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const known = foreignInputs[tool.name]
  const renamed: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
    const ours =
      key in shape ? key : [known?.fields?.[key], snakeCase(key)].find((name) => name !== undefined && name in shape)
    const target = ours === undefined || (ours !== key && ours in given) ? key : ours
    Object.defineProperty(renamed, target, { value, enumerable: true, writable: true, configurable: true })
  }
  return known?.change === undefined || !known.needs.every((key) => key in shape) ? renamed : known.change(renamed)
}

interface ForeignInput {
  fields?: Readonly<Record<string, string>>
  /** Fields of our tool that `change` handles. */
  needs: readonly string[]
  change?(given: Record<string, unknown>): Record<string, unknown>
}

const filePath = { path: 'file_path', file: 'file_path', filename: 'file_path' }

/** Keyed by the name of our tool. */
const foreignInputs: Readonly<Record<string, ForeignInput>> = {
  Read: { fields: filePath, needs: [] },
  Write: { fields: { ...filePath, contents: 'content', text: 'content' }, needs: [] },
  Edit: {
    fields: {
      ...filePath,
      old_text: 'old_string',
      old_str: 'old_string',
      new_text: 'new_string',
      new_str: 'new_string',
    },
    needs: [],
  },
  ListDir: { fields: { dir_path: 'path', dirPath: 'path', directory: 'path', dir: 'path' }, needs: [] },
  ApplyPatch: { fields: { input: 'patch' }, needs: [] },
  Bash: {
    fields: { cmd: 'command', timeout_ms: 'timeout', timeoutMs: 'timeout', justification: 'description' },
    needs: ['command'],
    change: inOwnFolder('command'),
  },
  ExecCommand: { fields: { command: 'cmd' }, needs: ['cmd'], change: asScript('cmd') },
  WriteStdin: {
    fields: { id: 'session_id', input: 'chars', text: 'chars' },
    needs: ['session_id'],
    change: ({ session_id: id, ...rest }) => ({ ...rest, ...(id !== undefined && { session_id: readText(id) }) }),
  },
  TaskOutput: { fields: { bash_id: 'task_id', shell_id: 'task_id' }, needs: [] },
  TaskStop: { fields: { bash_id: 'task_id', shell_id: 'task_id' }, needs: [] },
  TodoWrite: {
    fields: { plan: 'todos' },
    needs: ['todos'],
    change: ({ todos, explanation: _, ...rest }) => ({
      ...rest,
      ...(todos !== undefined && { todos: todosOf(todos) }),
    }),
  },
  BrowserObserve: {
    needs: ['query'],
    change({ task, ...rest }) {
      return typeof task !== 'string' || rest['query'] !== undefined
        ? { ...rest, ...(task !== undefined && { task }) }
        : { ...rest, query: wordsOf(task) }
    },
  },
  BrowserAct: {
    fields: { value: 'text', key: 'text' },
    needs: ['action'],
    change: ({ action, ...rest }) => ({ ...rest, action: pageActions.get(String(action)) ?? action }),
  },
}

const pageActions = new Map([
  ['click-text', 'click'],
  ['fill', 'type'],
])

function asScript(field: string): (given: Record<string, unknown>) => Record<string, unknown> {
  return (given) => {
    const command = given[field]
    const words = z.array(z.string()).min(1).safeParse(command)
    return words.success ? { ...given, [field]: scriptOf(words.data) } : given
  }
}

/** Like `asScript`, for a tool without a folder field. */
function inOwnFolder(field: string): (given: Record<string, unknown>) => Record<string, unknown> {
  const change = asScript(field)
  return (given) => {
    const { workdir, ...rest } = change(given)
    const command = rest[field]
    if (typeof workdir !== 'string' || typeof command !== 'string') return change(given)
    return { ...rest, [field]: inFolder(command, workdir) }
  }
}

function todosOf(todos: unknown): unknown {
  const steps = z.array(z.looseObject({ step: z.string() })).safeParse(todos)
  return steps.success ? steps.data.map(({ step, ...rest }) => ({ content: step, ...rest })) : todos
}

/** Words of a task that can appear in a page: "find the login button" becomes "login". */
function wordsOf(task: string): string {
  const words = task.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '' && !commonWords.has(word.toLowerCase()))
  return (words.length === 0 ? task : words.join(' ')).slice(0, 300)
}

const commonWords = new Set(
  'find look for locate click press open see get show the a an in on of to at is and page element elements button link field input box text where please me all'.split(
    ' ',
  ),
)

function readText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Returns a common key for all names of a tool: `shell-command`, `Bash` and `bash` give the same. */
export function aliasKey(name: string): string {
  const key = toolKey(name)
  return targets.get(key) ?? key
}

const targets = new Map(Object.entries(toolAliases).map(([alias, name]) => [toolKey(alias), toolKey(name)]))
const owners = new WeakMap<Tool, Tool>()
const dialectTools = new WeakMap<Tool, Tool>()

/** Cached per tool, so that its JSON schema is built once. */
function respelled(tool: Tool, known: Spelling): Tool {
  const before = dialectTools.get(tool)
  if (before?.name === known.name) return before
  const input = known.input.transform((given) => known.toOurs(given as never)).pipe(tool.input)
  const result: Tool = { ...tool, name: known.name, description: known.description, input }
  dialectTools.set(tool, result)
  owners.set(result, tool)
  return result
}

function spelling<Schema extends z.ZodType>(
  known: Omit<Spelling, 'input' | 'toOurs'> & { input: Schema; toOurs(given: z.infer<Schema>): unknown },
): Spelling {
  return known
}

/** Returns the script of `["bash", "-lc", "ls | wc"]`. Anything else is one command with quoted arguments. */
function scriptOf(command: readonly string[]): string {
  const [program = '', option = '', script] = command
  const isShell = /^(?:.*\/)?(?:ba|z|da)?sh$/.test(program) && /^-[a-z]*c$/.test(option)
  if (isShell && script !== undefined && command.length === 3) return script
  return command.map(quoted).join(' ')
}

/** Uses a subshell, so the folder applies to this command only. */
function inFolder(script: string, folder: string | undefined): string {
  return folder === undefined || folder === '.' ? script : `(cd ${quoted(folder)} || exit\n${script}\n)`
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function defined(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
