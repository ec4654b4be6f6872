export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Writes structured lines with session, run, agent path and call id if available. Redacts secrets. */
export interface Logger {
  (line: { level: LogLevel; message: string; [key: string]: unknown }): void
}

export interface LoggerOptions {
  /** Minimum level. Lower lines are dropped. Default: warn. */
  level?: LogLevel
  write?: (text: string) => void
  redact?: (text: string) => string
  /** Sees each error line, redacted. */
  onError?: (line: { level: LogLevel; message: string; [key: string]: unknown }) => void
}

const order: LogLevel[] = ['debug', 'info', 'warn', 'error']

/** Never throws. A line that cannot be serialized as JSON is logged as such. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const {
    level = 'warn',
    write = (text) => void process.stderr.write(text),
    redact = (text) => text,
    onError,
  } = options
  // Redacts each string before JSON escapes it, and the whole line again in case a key contains a secret.
  const clean = (_: string, value: unknown): unknown => (typeof value === 'string' ? redact(value) : value)
  return (line) => {
    if (order.indexOf(line.level) < order.indexOf(level)) return
    const time = new Date().toISOString()
    let text: string
    try {
      text = JSON.stringify({ time, ...line }, clean)
    } catch (error) {
      text = JSON.stringify({ time, level: line.level, message: line.message, unreadable: String(error) }, clean)
    }
    const shown = redact(text)
    if (line.level === 'error') onError?.(JSON.parse(shown) as typeof line)
    write(`${shown}\n`)
  }
}
