import type { TerminalDisplay } from '@troupe/protocol'
import type { Confinement } from '../access/decision.ts'
import { isInside } from '../files/resolve-path.ts'
import type { Task, Tasks } from '../process/tasks.ts'
import type { AgentState } from '../tool/agent-state.ts'

export interface TaskOutputView {
  task_id: string
  command: string
  status: Task['status']
  exitCode: number | null
  durationMs: number
  /** Raw text, limited to the amount a model is shown. */
  text: string
  next: number
  spilled?: { path: string; length: number }
  advice?: string[]
}

const maxTaskCharacters = 30_000

/** Returns output since `from`, cut in the middle if it is long. */
export function readTask(task: Task, from: number): TaskOutputView {
  const { text, next, lost } = task.read(from)
  const { spilled } = task
  const where = spilled === undefined ? '' : spillHint(spilled)
  const failed = task.status === 'ended' && task.exitCode !== 0
  const advice = failed ? sandboxAdvice(text, task.confinement) : []
  if (task.held) advice.push(heldText)
  else if (task.typedByPerson) advice.push('The user typed into it, so part of the output answers the user.')
  task.typedByPerson = false
  return {
    task_id: task.id,
    command: task.command,
    status: task.status,
    exitCode: task.exitCode,
    durationMs: (task.endedAt ?? Date.now()) - task.startedAt,
    text:
      (lost > 0 ? `... [${lost} earlier characters are no longer kept.${where}] ...\n` : '') + cutMiddle(text, where),
    next,
    spilled:
      spilled !== undefined && spilled.note === undefined ? { path: spilled.path, length: spilled.length } : undefined,
    advice: advice.length > 0 ? advice : undefined,
  }
}

/** For the model, when the person has taken over its terminal. */
export const heldText =
  'The user has taken over this terminal and types into it. Wait, or ask the user. You can read its output, but not type.'

export function taskText(look: TaskOutputView, kind: Task['kind']): string {
  const { task_id: id, status, exitCode, durationMs, text, advice = [] } = look
  const shown = kind === 'terminal' ? screenText(text) : plainText(text)
  const after = seconds(durationMs)
  const said = {
    running: `${kind === 'terminal' ? 'Session' : 'Task'} ${id} is still running after ${after}.`,
    ended: exitCode === null ? `It ended after ${after}.` : `It ended with exit code ${exitCode} after ${after}.`,
    stopped: `It was stopped after ${after}.`,
    'timed-out': `It timed out after ${after} and was stopped.`,
  }[status]
  const words = [said, ...advice].join('\n')
  if (shown.trim() === '') return `No new output. ${words}`
  return `${shown}${shown.endsWith('\n') ? '' : '\n'}\n${words}`
}

export function taskDisplay(
  { task_id: taskId, command, text, exitCode, durationMs, status, spilled }: TaskOutputView,
  title = command,
): { title: string; summary: string; content: TerminalDisplay } {
  return {
    title,
    summary: exitSummary({ status, exitCode, durationMs }),
    content: terminalDisplay({
      command,
      text,
      exitCode,
      durationMs,
      status,
      taskId,
      spilled,
    }),
  }
}

export function findTask(tasks: Tasks, id: string, kind?: Task['kind']): Task {
  const task = tasks.get(id)
  if (task !== undefined && (kind === undefined || task.kind === kind)) return task
  const what = kind === 'terminal' ? 'session' : 'task'
  const live = tasks.list().filter((one) => one.status === 'running' && (kind === undefined || one.kind === kind))
  const known = live.map((one) => `${one.id} (${one.command.slice(0, 60)})`).join(', ')
  throw new Error(
    `There is no ${what} "${id}" in this chat${known === '' ? ', and none is running' : `. Running: ${known}`}. They end when Troupe stops; start it again.`,
  )
}

function spillHint({ path, note }: NonNullable<Task['spilled']>): string {
  return note === undefined ? ` Everything is in ${path}: use Read or Grep.` : ` See ${path}. ${note}`
}

function cutMiddle(text: string, where: string): string {
  if (text.length <= maxTaskCharacters) return text.toWellFormed()
  const end = maxTaskCharacters / 2
  const left = text.length - maxTaskCharacters
  return `${text.slice(0, end)}\n... [${left} characters omitted.${where || ' Give "from" to continue from a position.'}] ...\n${text.slice(-end)}`.toWellFormed()
}

const maxDisplayCharacters = 8000

export function terminalDisplay(shown: Omit<TerminalDisplay, 'kind'>): TerminalDisplay {
  return { kind: 'terminal', ...shown, text: shown.text.slice(-maxDisplayCharacters).toWellFormed() }
}

/** Example: "exit code 1 · 2.3 s". */
export function exitSummary({
  status,
  exitCode,
  durationMs,
}: Pick<TerminalDisplay, 'status' | 'exitCode' | 'durationMs'>): string {
  const how = {
    running: 'running',
    ended: `exit code ${exitCode ?? 'unknown'}`,
    stopped: 'stopped',
    'timed-out': 'timed out',
  }[status]
  return `${how} · ${seconds(durationMs)}`
}

export function seconds(ms: number): string {
  return `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`
}

/* oxlint-disable no-control-regex -- control characters are what this is about */

// Terminal escape sequences: strings (titles, links), then those with parameters, then the short ones.
const sequences =
  /(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g
const controls = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/** Removes terminal escape sequences. Keeps line ends, tabs and carriage returns. */
export function plainText(text: string): string {
  return text.replace(sequences, '').replace(controls, (character) => (character === '\0' ? '\ufffd' : ''))
}

/** Renders text as a terminal would, line by line. Overwritten text disappears, within one line only. */
export function screenText(text: string): string {
  return text
    .replace(sequences, '')
    .replaceAll(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => (line.includes('\r') || line.includes('\b') ? overwritten(line) : line))
    .join('\n')
    .replace(controls, '')
}

function overwritten(line: string): string {
  const cells: string[] = []
  let at = 0
  for (const character of line) {
    if (character === '\r') at = 0
    else if (character === '\b') at = Math.max(0, at - 1)
    else cells[at++] = character
  }
  return cells.join('').trimEnd()
}

const outsideHint = 'If it needs this, run it again with "outside_sandbox": true; the user will be asked.'
const noNetwork = 'The sandbox has no network.'
const teamHint = 'On this server no command can leave the sandbox. Find another way, or tell the user.'

const hints: { sign: RegExp; text: (confinement: Confinement) => string }[] = [
  {
    sign: /Read-only file system|EROFS|read-only/i,
    text: (confinement) =>
      confinement === 'read-only'
        ? 'The workspace was read-only, because this command ran without approval. If it has to write, run it again with "writes": true; the user will be asked.'
        : `In the sandbox, only the workspace and /tmp are writable, except for workspace files that start programs (.git/hooks, .git/config, .vscode, .troupe and similar). ${outsideHint}`,
  },
  {
    sign: /resolve host|ENOTFOUND|EAI_AGAIN|ENOTCACHED|only-if-cached|--offline|from versions: none|GOPROXY=off|network (access|connectivity) is disabled|name resolution|Name or service not known|nodename nor servname|unreachable|ENETUNREACH|ECONNREFUSED|Connection refused|Failed to connect|Could not connect|network (is )?(error|failure|timeout)/i,
    text: () => `${noNetwork} It cannot reach servers on this machine or in other commands either. ${outsideHint}`,
  },
  {
    sign: /File size limit exceeded|SIGXFSZ|EFBIG|File too large/i,
    text: () => `In the sandbox, no file may be larger than 1 GB. ${outsideHint}`,
  },
  {
    sign: /(\.env|\.pem|\.key|id_(rsa|dsa|ecdsa|ed25519)|credential|secret|\.npmrc|\.netrc)\b[^\n]*(Permission denied|EACCES)|EACCES[^\n]*(\.env|\.pem|\.key)\b/i,
    text: () => `Files with secrets (.env, keys) cannot be read in the sandbox. ${outsideHint}`,
  },
]

const missingFile = /(\/[^\s:'"`]+)['"`]?:? No such file or directory|ENOENT[^\n]*?'(\/[^'\n]+)'/g

/**
 * Returns advice for the model about a command that failed inside the sandbox. Empty if the sandbox is not involved.
 */
export function sandboxAdvice(
  printed: string,
  confinement: Confinement,
  { roots, isolation }: Partial<Pick<AgentState, 'roots' | 'isolation'>> = {},
): string[] {
  const advice = adviceFor(printed, confinement, roots)
  if (isolation === undefined) return advice
  return advice.map((text) =>
    isolation.network !== undefined && text.startsWith(noNetwork) ? text : text.replace(outsideHint, teamHint),
  )
}

function adviceFor(printed: string, confinement: Confinement, roots: readonly string[] | undefined): string[] {
  if (confinement === 'none') return []
  const end = printed.slice(-4000)
  const hint = hints.find(({ sign }) => sign.test(end))
  if (hint !== undefined) return [hint.text(confinement)]
  if (roots === undefined) return []
  const missed = [...end.matchAll(missingFile)].map(([, a, b]) => a ?? b ?? '')
  if (missed.every((place) => [...roots, '/tmp'].some((folder) => isInside(place, folder)))) return []
  return [
    `It ran in the sandbox, which only has the workspace and installed programs: no home folder and no other files. ${outsideHint}`,
  ]
}
