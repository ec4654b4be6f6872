export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Structured lines that carry session, run, agent path and call id where they have them. Secrets are taken out. */
export interface Logger {
  (line: { level: LogLevel; message: string; [key: string]: unknown }): void
}

export interface LoggerOptions {
  /** Lines below this are dropped. Default: warn. */
  level?: LogLevel
  write?: (text: string) => void
  /** Takes every secret out of a text. */
  redact?: (text: string) => string
}

const order: LogLevel[] = ['debug', 'info', 'warn', 'error']

/** Never throws for what it is given: a line that cannot be written as JSON says so. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = 'warn', write = (text) => void process.stderr.write(text), redact = (text) => text } = options
  // Each text by itself, as JSON would escape what a secret holds, and once more in case one stands in a name.
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
    write(`${redact(text)}\n`)
  }
}
