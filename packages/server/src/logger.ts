import { redact } from '@troupe/core'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Structured lines that carry session, run, agent path and call id where they have them. Secrets are taken out. */
export interface Logger {
  (line: { level: LogLevel; message: string; [key: string]: unknown }): void
}

const order: LogLevel[] = ['debug', 'info', 'warn', 'error']

export function createLogger(
  options: { level?: LogLevel; write?: (text: string) => void; secrets?: () => Iterable<string> } = {},
): Logger {
  const { level = 'warn', write = (text) => process.stderr.write(text), secrets = () => [] } = options
  return (line) => {
    if (order.indexOf(line.level) < order.indexOf(level)) return
    write(`${redact(JSON.stringify({ time: new Date().toISOString(), ...line }), [...secrets()])}\n`)
  }
}
