import type { TerminalDisplay } from '../protocol/display.ts'

const maxDisplayCharacters = 8000

export function terminalDisplay(shown: Omit<TerminalDisplay, 'kind'>): TerminalDisplay {
  return { kind: 'terminal', ...shown, text: shown.text.slice(-maxDisplayCharacters).toWellFormed() }
}

/** "exit code 1 · 2.3 s" */
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
