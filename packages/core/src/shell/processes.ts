import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

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
