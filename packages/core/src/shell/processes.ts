import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessInfo {
  pid: number
  parent: number
  group: number
  session: number
  /** When it began, in a form that only helps to tell two processes with one pid apart. */
  began: string
}

/** What belongs to a command: its process group and session, what carries its mark, and what those have started. */
export interface Target {
  /** The leader of the group, which may be gone. */
  pid?: number
  /** The value of `TROUPE_TASK`, or its beginning up to and with a dot. */
  mark?: string
}

/** What of a command is alive now. `known` are members found before: what they started belongs to it too. */
export function membersOf({ pid, mark }: Target, known: Iterable<number> = []): ProcessInfo[] {
  const all = listProcesses()
  const members = new Map<number, ProcessInfo>()
  const knownPids = new Set(known)
  const wanted = mark === undefined ? undefined : `\0TROUPE_TASK=${mark}${mark.endsWith('.') ? '' : '\0'}`
  for (const one of all) {
    if (one.pid === process.pid) continue
    const ours = pid !== undefined && (one.group === pid || one.session === pid)
    if (ours || (wanted !== undefined && environmentOf(one.pid).includes(wanted))) members.set(one.pid, one)
  }
  for (let before = -1; before !== members.size;) {
    before = members.size
    for (const one of all) {
      if (one.pid === process.pid || members.has(one.pid)) continue
      if (members.has(one.parent) || knownPids.has(one.parent)) members.set(one.pid, one)
    }
  }
  return [...members.values()]
}

/** Whether this very process still runs. One that has ended and waits for its parent does not. */
export function isAlive({ pid, began }: ProcessInfo): boolean {
  if (process.platform !== 'linux') return signal(pid, 0)
  return readProcess(pid)?.began === began
}

/** False when there is nobody to send it to. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
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

let recent: { at: number; list: ProcessInfo[] } | undefined

/** All live processes. Many commands that are ended at once share one look. */
function listProcesses(): ProcessInfo[] {
  const now = performance.now()
  if (recent !== undefined && now - recent.at < 5) return recent.list
  const list = process.platform === 'linux' ? listFromProc() : listFromPs()
  recent = { at: performance.now(), list }
  return list
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
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), began: fields[19] ?? '' }
}

function listFromPs(): ProcessInfo[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/)
    if (group === undefined || state?.startsWith('Z') === true) return []
    return { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(group), began: '' }
  })
}

/** Begins with NUL, so that every entry does. Empty where the kernel does not let us look. */
function environmentOf(pid: number): string {
  return process.platform === 'linux' ? `\0${readText(`/proc/${pid}/environ`)}` : ''
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
