import { redact } from '@troupe/core'
import { expect, it } from 'vitest'
import { createLogger, type LogLevel } from './logger.ts'

function logged(
  level: LogLevel | undefined,
  write: (log: ReturnType<typeof createLogger>) => void,
): Record<string, unknown>[] {
  const lines: string[] = []
  const secrets = ['secret-0001', 'se"cr\\et-0002']
  write(
    createLogger({
      level,
      write: (text) => void lines.push(text),
      redact: (text) => redact(text, secrets),
    }),
  )
  for (const line of lines) for (const secret of secrets) expect(line).not.toContain(secret)
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

it('a line is JSON with its time, and lines below the level are dropped', () => {
  const lines = logged(undefined, (log) => {
    log({ level: 'info', message: 'dropped' })
    log({ level: 'warn', message: 'kept', session: 's1', run: 'r1' })
  })
  expect(lines).toEqual([
    { time: expect.stringMatching(/^\d{4}-.*Z$/) as string, level: 'warn', message: 'kept', session: 's1', run: 'r1' },
  ])
})

it('secrets are removed everywhere, including those that JSON would escape', () => {
  const [line] = logged('debug', (log) =>
    log({
      level: 'debug',
      message: 'key secret-0001',
      deep: { list: ['se"cr\\et-0002 and secret-0001'] },
      'secret-0001': 1,
    }),
  )
  expect(line).toMatchObject({
    message: 'key [redacted]',
    deep: { list: ['[redacted] and [redacted]'] },
    '[redacted]': 1,
  })
})

it('values that cannot be written as JSON do not break the program', () => {
  const loop: Record<string, unknown> = {}
  loop['loop'] = loop
  const lines = logged('debug', (log) => {
    log({ level: 'error', message: 'a loop with secret-0001', loop })
    log({ level: 'error', message: 'a number', big: 1n })
  })
  expect(lines.map(({ message }) => message)).toEqual(['a loop with [redacted]', 'a number'])
  expect(lines.every(({ unreadable }) => typeof unreadable === 'string')).toBe(true)
})
