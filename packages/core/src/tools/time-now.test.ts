import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { testToolContext } from '../testing/test-tool-context.ts'
import timeNow from './time-now.ts'

const now = Date.UTC(2026, 2, 29, 0, 59, 59, 7)
const run = async (timezone?: string) => timeNow.execute(timezone === undefined ? {} : { timezone }, testToolContext())

beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('the time of another place has its offset and weekday', async () => {
  expect(await run('Asia/Tokyo')).toEqual({
    iso: '2026-03-29T09:59:59.007+09:00',
    unixMs: now,
    timezone: 'Asia/Tokyo',
    weekday: 'Sunday',
  })
  expect(await run('America/New_York')).toMatchObject({ iso: '2026-03-28T20:59:59.007-04:00', weekday: 'Saturday' })
})

test('every zone gives an iso text that names the same moment, through a change of summer time as well', async () => {
  for (const moment of [now, now + 1000, Date.UTC(2026, 9, 25, 1, 0, 0)]) {
    vi.setSystemTime(moment)
    for (const zone of [...Intl.supportedValuesOf('timeZone'), 'UTC', '+05:45', '-03:30']) {
      const output = timeNow.execute({ timezone: zone }, testToolContext()) as { iso: string }
      expect(Date.parse(output.iso), `${zone} ${output.iso}`).toBe(moment)
    }
  }
})

test('without a zone, or with a blank one, it is the time of the machine', async () => {
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone
  expect(await run()).toMatchObject({ unixMs: now, timezone: local })
  expect(await run(' ')).toMatchObject({ timezone: local })
})

test('an invalid time zone is an error with an example', async () => {
  await expect(run('Mars/Olympus')).rejects.toThrow('"Mars/Olympus" is not a time zone. Give an IANA name such as')
  await expect(run('new york')).rejects.toThrow(
    '"new york" is not a time zone. Did you mean America/New_York? "UTC" and offsets such as "+02:00" work too; omit it to use the local time zone.',
  )
})

test('the card and the question name the place', async () => {
  const output = await run('Asia/Tokyo')
  expect(timeNow.display?.(output as never, {})).toEqual({
    title: 'Time in Asia/Tokyo',
    summary: 'Sunday, 2026-03-29 09:59',
    content: '2026-03-29T09:59:59.007+09:00',
  })
  expect(timeNow.permission?.({ timezone: 'Asia/Tokyo' })).toMatchObject({ summary: 'The current time in Asia/Tokyo' })
})
