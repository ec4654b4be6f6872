import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

export interface ProcessInfo {
  pid: number
  parent: number
  group: number
  session: number
  /** When it began, in a form that only helps to tell two processes with one pid apart. */
  began: string
  /** It computes, or the system does so for it; not waiting for anything. */
  works: boolean
}

/** What belongs to a command: its process group and session, what carries its mark, and what those have started. */
export interface CommandProcesses {
  /** The leader of the group, which may be gone. */
  pid?: number
  /** The value of `TROUPE_TASK`, or its beginning up to and with a dot. */
  mark?: string
}

/**
 * What of a command is alive now. Members that were found before are, as long as they live, whatever they have become,
 * and so is what they started. Without `fresh` a look may be a few milliseconds old.
 */
export function membersOf(
  { pid, mark }: CommandProcesses,
  { known = [], fresh = false }: { known?: ProcessInfo[]; fresh?: boolean } = {},
): ProcessInfo[] {
  const all = snapshotProcesses(fresh)
  const members = new Set<ProcessInfo>()
  if (pid !== undefined) for (const one of [...all.groups.of(pid), ...all.sessions.of(pid)]) members.add(one)
  // A child that was forked a moment ago has neither yet.
  if (pid !== undefined) for (const one of all.pids.of(pid)) if (one.parent === process.pid) members.add(one)
  if (mark !== undefined) for (const one of marked(all, mark)) members.add(one)
  for (const { pid: before, began } of known)
    for (const one of all.pids.of(before)) if (one.began === began) members.add(one)
  // A set that grows while it is walked is walked to its end.
  for (const one of members) for (const child of all.children.of(one.pid)) members.add(child)
  return [...members].filter((one) => one.pid !== process.pid)
}

/** Whether this very process still runs. One that has ended and waits for its parent does not. */
export function isAlive({ pid, began }: ProcessInfo): boolean {
  if (process.platform !== 'linux') return sendSignalTo(pid, 0)
  return readProcess(pid)?.began === began
}

/** False when there is nobody to send it to. */
export function sendSignalTo(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ESRCH') return false
    // Somebody else's: it is there, and not ours to end.
    if (code === 'EPERM') return true
    throw error
  }
}

interface Snapshot {
  at: number
  list: ProcessInfo[]
  pids: Index
  groups: Index
  sessions: Index
  children: Index
  /** By the value of `TROUPE_TASK`; made when it is asked for. */
  marks?: Map<string, ProcessInfo[]>
}

const staleMs = 20
let recent: Snapshot | undefined

function snapshotProcesses(fresh: boolean): Snapshot {
  if (!fresh && recent !== undefined && performance.now() - recent.at < staleMs) return recent
  const list = process.platform === 'linux' ? listFromProc() : listFromPs()
  recent = {
    at: performance.now(),
    list,
    pids: new Index(list, (one) => one.pid),
    groups: new Index(list, (one) => one.group),
    sessions: new Index(list, (one) => one.session),
    children: new Index(list, (one) => one.parent),
  }
  return recent
}

class Index {
  private readonly byNumber: Map<number, ProcessInfo[]>

  constructor(list: ProcessInfo[], number: (one: ProcessInfo) => number) {
    this.byNumber = Map.groupBy(list, number)
  }

  of(number: number): ProcessInfo[] {
    return this.byNumber.get(number) ?? []
  }
}

function marked(all: Snapshot, mark: string): ProcessInfo[] {
  all.marks ??= Map.groupBy(all.list, processMarkOf)
  if (!mark.endsWith('.')) return all.marks.get(mark) ?? []
  return [...all.marks].flatMap(([value, list]) => (value.startsWith(mark) ? list : []))
}

/** Empty where there is none, and where the kernel does not let us look. */
function processMarkOf({ pid }: ProcessInfo): string {
  if (process.platform !== 'linux') return ''
  const environment = `\0${readText(`/proc/${pid}/environ`)}\0`
  const name = '\0TROUPE_TASK='
  const at = environment.indexOf(name)
  return at === -1 ? '' : environment.slice(at + name.length, environment.indexOf('\0', at + 1))
}

function listFromProc(): ProcessInfo[] {
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry)
    return Number.isInteger(pid) ? (readProcess(pid) ?? []) : []
  })
}

function readProcess(pid: number): ProcessInfo | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  if (stat === '') return undefined
  // The command name may hold blanks and brackets; fields are counted behind its last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session] = fields
  if (state === 'Z' || state === 'X') return undefined
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    began: fields[19] ?? '',
    works: state === 'R' || state === 'D',
  }
}

function listFromPs(): ProcessInfo[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/)
    if (group === undefined || state?.startsWith('Z') === true) return []
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(group),
      began: '',
      works: /^[RUD]/.test(state ?? ''),
    }
  })
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/** How long a command has between SIGTERM and SIGKILL. */
const graceMs = 1000
const giveUpMs = 5000

interface PendingEnd {
  target: CommandProcesses
  atOnce: boolean
  /** What of it is alive. */
  known: ProcessInfo[]
  resolve(): void
  reject(error: Error): void
}

let pendingEnds: PendingEnd[] | undefined

/**
 * Ends everything that belongs to a command, also what left its group: SIGTERM, then SIGKILL for what is still there;
 * `atOnce` is for what has nothing to put in order. Resolves when all of it is gone; rejects when the system does not let go of something. Commands that are ended in one
 * go share their looks at the processes of the machine, which cost more than all the rest.
 */
export function endCommand(target: CommandProcesses, { atOnce = false } = {}): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  if (pendingEnds === undefined) {
    const together: PendingEnd[] = []
    pendingEnds = together
    queueMicrotask(() => {
      pendingEnds = undefined
      endAll(together).catch((error: unknown) => together.forEach((ending) => ending.reject(error as Error)))
    })
  }
  pendingEnds.push({ target, atOnce, known: [], resolve, reject })
  return promise
}

async function endAll(endings: PendingEnd[]): Promise<void> {
  let left = stillAlive(endings)
  for (const ending of left) sendSignal(ending, ending.atOnce ? 'SIGKILL' : 'SIGTERM')
  for (const ending of left) sendSignal(ending, 'SIGCONT')
  left = await goneWithin(graceMs, left)
  for (const until = performance.now() + giveUpMs; left.length > 0 && performance.now() < until;) {
    for (const ending of left) sendSignal(ending, 'SIGKILL')
    left = await goneWithin(100, left)
  }
  for (const { known, reject } of left) {
    const named = known.slice(0, 10).map(({ pid }) => pid)
    const more = known.length > named.length ? ` and ${known.length - named.length} more` : ''
    reject(new Error(`These processes could not be ended: ${named.join(', ')}${more}.`))
  }
}

/** What is left of them after a while, also of what was started while the signals went out. */
async function goneWithin(ms: number, endings: PendingEnd[]): Promise<PendingEnd[]> {
  let left = endings
  const end = performance.now() + ms
  for (let wait = 2; left.length > 0 && performance.now() < end; wait = Math.min(wait * 2, 50)) {
    await delay(wait)
    left = stillAlive(left)
  }
  return left
}

/** Those of which something is alive; the others are done. */
function stillAlive(endings: PendingEnd[]): PendingEnd[] {
  let fresh = true
  return endings.filter((ending) => {
    ending.known = membersOf(ending.target, { known: ending.known, fresh })
    fresh = false
    if (ending.known.length === 0) ending.resolve()
    return ending.known.length > 0
  })
}

function sendSignal({ target: { pid: group }, known }: PendingEnd, name: NodeJS.Signals): void {
  // The kernel sends to a group as one: whoever forks meanwhile cannot slip through.
  if (group !== undefined && known.some((one) => one.group === group)) sendSignalTo(-group, name)
  for (const one of known) if (one.group !== group) sendSignalTo(one.pid, name)
}
