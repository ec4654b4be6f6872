import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** A question of a program: which terminal this is, if it works, and where the cursor is. */
export type TerminalQuery = 'identity' | 'status' | 'position'

/**
 * Answers the questions that programs on the screen ask, such as fzf, vim and IPython. An answer arrives as if it were
 * typed, so it goes only to a program that reads single keys. A file that is printed, and the shell at its prompt, get
 * none.
 */
export interface TerminalQueries {
  /** Returns the number of a position query. The page answers it, because it draws the screen. */
  ask(query: TerminalQuery): number | undefined
  /** Answers a position query once, if it is still open. */
  answer(number: number, row: number, column: number): void
}

const openMs = 3000
const mostOpen = 8
/** A VT220 with colors. */
const identity = '\x1b[?62;22c'
const startMs = 3000

export function createQueries(shell: { pid: number; isTyped: () => boolean; write: (text: string) => void }) {
  const startedAt = Date.now()
  const open = new Map<number, { until: number; front: number | undefined }>()
  let last = 0
  let waiting = 0
  const queries: TerminalQueries = {
    ask(query) {
      const front = frontGroup(shell.pid)
      if (query === 'position') {
        open.set(++last, { until: Date.now() + openMs, front })
        for (const number of open.keys()) if (open.size > mostOpen) open.delete(number)
        return last
      }
      // fish waits for this before its first prompt.
      if (query === 'identity' && !shell.isTyped() && Date.now() - startedAt < startMs) shell.write(identity)
      else void tell(query === 'identity' ? identity : '\x1b[0n', front)
      return undefined
    },
    answer(number, row, column) {
      const asked = open.get(number)
      open.delete(number)
      if (asked !== undefined && asked.until >= Date.now()) void tell(`\x1b[${row};${column}R`, asked.front)
    },
  }
  return queries

  /** Another program may be in front by now. It did not ask. */
  async function tell(text: string, front: number | undefined): Promise<void> {
    if (waiting >= mostOpen) return
    waiting++
    try {
      if ((await readsKeys(shell.pid)) && frontGroup(shell.pid) === front) shell.write(text)
    } finally {
      waiting--
    }
  }
}

/** The process group in front of a shell's terminal. Undefined where only other programs can tell. */
function frontGroup(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before it may contain anything, but it ends at the last parenthesis.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[5])
  } catch {
    return undefined
  }
}

/** True if a program other than the shell is in front and has turned off reading by line. */
async function readsKeys(pid: number): Promise<boolean> {
  const tty = (await run('ps', ['-o', 'tty=', '-p', String(pid)])).trim()
  if (!/^[\w/]+$/.test(tty)) return false
  const device = path.join('/dev', tty)
  const [mode, processes] = await Promise.all([
    run('stty', [process.platform === 'linux' ? '-F' : '-f', device, '-a']),
    run('ps', ['-t', tty, '-o', 'pid=,stat=']),
  ])
  if (!/(?:^|\s)-icanon\b/.test(mode)) return false
  return processes.split('\n').some((line) => {
    const [id, state = ''] = line.trim().split(/\s+/)
    return state.includes('+') && !state.startsWith('Z') && Number(id) !== pid
  })
}

/** Returns what a system program prints, or nothing if it fails or is missing. */
function run(program: string, given: string[]): Promise<string> {
  return new Promise((resolve) => {
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }
    execFile(program, given, { env, timeout: 1000, maxBuffer: 1 << 20 }, (error, text) =>
      resolve(error === null ? text : ''),
    )
  })
}
