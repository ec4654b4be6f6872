import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

export interface ProcessInfo {
  pid: number
  parent: number
  group: number
  session: number
  /** Start time in an opaque form, only for telling processes with the same PID apart. */
  began: string
  /** Running or in uninterruptible I/O, not waiting. */
  works: boolean
}

/** Processes of a command: its process group and session, everything with its mark, and their descendants. */
export interface CommandProcesses {
  /** Group leader, which may have exited. */
  pid?: number
  /** Value of `TROUPE_TASK`, or a prefix that ends with a dot. */
  mark?: string
}

/**
 * Returns the living processes of a command. Known members count as long as they live, whatever they have become, as do
 * their children. Without `fresh`, the snapshot may be a few milliseconds old.
 */
export function membersOf(
  { pid, mark }: CommandProcesses,
  { known = [], fresh = false }: { known?: ProcessInfo[]; fresh?: boolean } = {},
): ProcessInfo[] {
  const all = snapshotProcesses(fresh)
  const members = new Set<ProcessInfo>()
  if (pid !== undefined) for (const one of [...all.groups.of(pid), ...all.sessions.of(pid)]) members.add(one)
  // A just-forked child is not in its group or session yet.
  if (pid !== undefined) for (const one of all.pids.of(pid)) if (one.parent === process.pid) members.add(one)
  if (mark !== undefined) for (const one of marked(all, mark)) members.add(one)
  for (const { pid: before, began } of known)
    for (const one of all.pids.of(before)) if (one.began === began) members.add(one)
  // Iterating a set also visits elements added meanwhile.
  for (const one of members) for (const child of all.children.of(one.pid)) members.add(child)
  return [...members].filter((one) => one.pid !== process.pid)
}

/** True if this exact process still runs. A zombie does not. */
export function isAlive({ pid, began }: ProcessInfo): boolean {
  if (process.platform !== 'linux') return sendSignalTo(pid, 0)
  return readProcess(pid)?.began === began
}

/** Returns false if there is no such process. */
export function sendSignalTo(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ESRCH') return false
    // Belongs to another user: it exists, but we cannot kill it.
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
  /** By value of `TROUPE_TASK`. Built on demand. */
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
  all.marks ??= Map.groupBy(all.list.filter(isYounger), processMarkOf)
  if (!mark.endsWith('.')) return all.marks.get(mark) ?? []
  return [...all.marks].flatMap(([value, list]) => (value.startsWith(mark) ? list : []))
}

/** A process older than ours has none of our marks, and reading its environment is the main cost of a search. */
function isYounger({ began }: ProcessInfo): boolean {
  ownBegan ??= Number(readProcess(process.pid)?.began)
  return !(Number(began) < ownBegan)
}

let ownBegan: number | undefined

/** Empty if there is none or the kernel denies access. */
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
  // The command name may contain spaces and parentheses, so fields start after the last parenthesis.
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
    // Decodes natively. Any other encoding allocates 64 kB for each of these files, whose size the kernel does not tell.
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Time between SIGTERM and SIGKILL. */
const graceMs = 1000
const giveUpMs = 5000

interface PendingEnd {
  target: CommandProcesses
  atOnce: boolean
  known: ProcessInfo[]
  resolve(): void
  reject(error: Error): void
}

let pendingEnds: PendingEnd[] | undefined

/**
 * Ends all processes of a command, including those that left its group: SIGTERM, then SIGKILL for the rest. `atOnce`
 * skips SIGTERM for processes with nothing to clean up. Resolves when all are gone; rejects if some cannot be killed.
 * Commands ended together share process snapshots, which are the main cost.
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
    reject(new Error(`These processes could not be stopped: ${named.join(', ')}${more}.`))
  }
}

/** Returns the commands still alive after a while, including processes started during signaling. */
async function goneWithin(ms: number, endings: PendingEnd[]): Promise<PendingEnd[]> {
  let left = endings
  const end = performance.now() + ms
  for (let wait = 2; left.length > 0 && performance.now() < end; wait = Math.min(wait * 2, 50)) {
    await delay(wait)
    left = stillAlive(left)
  }
  return left
}

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
  // The kernel signals a group atomically, so a concurrent fork cannot escape.
  if (group !== undefined && known.some((one) => one.group === group)) sendSignalTo(-group, name)
  for (const one of known) if (one.group !== group) sendSignalTo(one.pid, name)
}
