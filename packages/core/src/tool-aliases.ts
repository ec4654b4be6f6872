import { z } from 'zod'
import { toolKey, type Tool } from './tool.ts'

/**
 * Other names that people, definitions and models use for our tools. Case and separators never matter, so
 * `read_file` and `readFile` are `read-file`.
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

/** How a family of models knows one of our tools: the name and input it was trained on, and what that means to us. */
interface Spelling {
  name: string
  description: string
  input: z.ZodType
  toOurs(given: never): unknown
}

interface Dialect {
  /** Tried on the whole id, `provider/model`. */
  models: RegExp
  /** By the name of our tool. */
  tools: Readonly<Record<string, Spelling>>
}

export const dialects: Readonly<Record<string, Dialect>> = {
  codex: {
    models: /codex/i,
    tools: {
      Bash: spelling({
        name: 'shell',
        description: 'Runs a command and returns what it printed, with its exit code.',
        input: z.object({
          command: z.array(z.string()).min(1).describe('The program and its arguments, such as ["bash", "-lc", "ls"]'),
          workdir: z.string().describe('Where to run it').optional(),
          timeout_ms: z.number().positive().describe('After how many milliseconds it is ended').optional(),
          justification: z.string().describe('Why it is needed, for the person').optional(),
        }),
        toOurs: ({ command, workdir, timeout_ms: timeout, justification: description }) =>
          defined({ command: inFolder(scriptOf(command), workdir), timeout, description }),
      }),
      ApplyPatch: spelling({
        name: 'apply_patch',
        description:
          'Changes files by a patch: "*** Begin Patch", then Add, Update, Move or Delete sections, then "*** End Patch".',
        input: z.object({ input: z.string().describe('The whole patch') }),
        toOurs: ({ input: patch }) => ({ patch }),
      }),
      TodoWrite: spelling({
        name: 'update_plan',
        description: 'Keeps the plan of the task, for the person to follow. At most one step is in_progress.',
        input: z.object({
          explanation: z.string().optional(),
          plan: z.array(z.object({ step: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) })),
        }),
        toOurs: ({ plan }) => ({ todos: plan.map(({ step, status }) => ({ content: step, status })) }),
      }),
      ExecCommand: spelling({
        name: 'exec_command',
        description: 'Runs a command in a terminal; returns its output, or the id of a session that goes on.',
        input: z.object({
          cmd: z.string(),
          workdir: z.string().optional(),
          yield_time_ms: z.number().nonnegative().describe('How long to wait for output').optional(),
        }),
        toOurs: (given) => given,
      }),
      WriteStdin: spelling({
        name: 'write_stdin',
        description: 'Types into a session of exec_command and returns what it printed since.',
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
 * The tools as a model is shown them: where its family knows one under another name and input, that, running ours.
 * Inputs become ours while they are parsed, so that rules, approvals, results and cards never see the dialect.
 */
export function inDialect(tools: readonly Tool[], modelId: string): readonly Tool[] {
  const dialect = Object.values(dialects).find(({ models }) => models.test(modelId))
  if (dialect === undefined) return tools
  const taken = new Set(tools.map((tool) => toolKey(tool.name)))
  return tools.map((tool) => {
    const known = dialect.tools[tool.name]
    // A tool of the person's own under that very name stays what it is, and ours too.
    if (known === undefined || (taken.has(toolKey(known.name)) && toolKey(known.name) !== toolKey(tool.name)))
      return tool
    return respelled(tool, known)
  })
}

/** The tool of ours that a tool of a dialect runs; any other is itself. */
export function ownTool(tool: Tool): Tool {
  return owners.get(tool) ?? tool
}

/** What two names of one tool have in common: `shell-command`, `Bash` and `bash` give the same. */
export function aliasKey(name: string): string {
  const key = toolKey(name)
  return targets.get(key) ?? key
}

const targets = new Map(Object.entries(toolAliases).map(([alias, name]) => [toolKey(alias), toolKey(name)]))
const owners = new WeakMap<Tool, Tool>()
const made = new WeakMap<Tool, Tool>()

/** Made once per tool: its JSON schema is built once, too. */
function respelled(tool: Tool, known: Spelling): Tool {
  const before = made.get(tool)
  if (before?.name === known.name) return before
  const input = known.input.transform((given) => known.toOurs(given as never)).pipe(tool.input)
  const result: Tool = { ...tool, name: known.name, description: known.description, input }
  made.set(tool, result)
  owners.set(result, tool)
  return result
}

function spelling<Schema extends z.ZodType>(
  known: Omit<Spelling, 'input' | 'toOurs'> & { input: Schema; toOurs(given: z.infer<Schema>): unknown },
): Spelling {
  return known
}

/** `["bash", "-lc", "ls | wc"]` is that script; anything else is one command, each argument as it is. */
function scriptOf(command: readonly string[]): string {
  const [program = '', option = '', script] = command
  const isShell = /^(?:.*\/)?(?:ba|z|da)?sh$/.test(program) && /^-[a-z]*c$/.test(option)
  if (isShell && script !== undefined && command.length === 3) return script
  return command.map(quoted).join(' ')
}

/** In a shell of its own: the folder is meant for this command alone. */
function inFolder(script: string, folder: string | undefined): string {
  return folder === undefined || folder === '.' ? script : `(cd ${quoted(folder)} || exit\n${script}\n)`
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function defined(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
