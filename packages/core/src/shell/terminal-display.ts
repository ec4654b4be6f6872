import type { Task } from './tasks.ts'

/** The terminal look of a result. The text is the end of what was printed, raw: the card interprets colours. */
export interface TerminalDisplay {
  kind: 'terminal'
  command: string
  text: string
  exitCode: number | null
  durationMs: number
  status: Task['status']
  taskId?: string
  spilled?: { path: string; length: number }
}

const shownCharacters = 8000

export function terminalDisplay(shown: Omit<TerminalDisplay, 'kind'>): TerminalDisplay {
  return { kind: 'terminal', ...shown, text: shown.text.slice(-shownCharacters).toWellFormed() }
}

/** "exit code 1 · 2.3 s" */
export function summaryOf({
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
