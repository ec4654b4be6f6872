import { expect, test, vi } from 'vitest'
import {
  dayGroup,
  formatAgo,
  formatCost,
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatSize,
  formatToolName,
} from './format.ts'
import { zh } from './languages/zh.ts'
import { t } from './t.ts'

test('durations and counts are short', () => {
  expect([0.4, 999, 3440, 59_940, 59_960, 125_000].map(formatDuration)).toEqual([
    '0 ms',
    '999 ms',
    '3.4 s',
    '59.9 s',
    '1 min 0 s',
    '2 min 5 s',
  ])
  expect([7, 1000, 12_400, 999_949, 1_200_000].map(formatCount)).toEqual(['7', '1k', '12.4k', '999.9k', '1.2M'])
  expect([1, 812, 12_400, 3_000_000, 2_400_000_000].map(formatSize)).toEqual([
    '1 byte',
    '812 bytes',
    '12.4 KB',
    '3 MB',
    '2.4 GB',
  ])
})

test('days are counted from midnight to midnight', () => {
  const now = new Date(2026, 2, 10, 0, 5).getTime()
  expect(dayGroup(new Date(2026, 2, 9, 23, 59).getTime(), now)).toBe('Yesterday')
  expect(dayGroup(now + 60_000, now)).toBe('Today')
  expect(dayGroup(new Date(2026, 2, 3).getTime(), now)).toBe('Previous 30 days')
})

test('tool names read as words', () => {
  expect(['TodoWrite', 'open-url', 'mcp__files_read', 'mcp__docs__find_page'].map(formatToolName)).toEqual([
    'Todo write',
    'Open url',
    'Mcp files read',
    'Find page (docs)',
  ])
})

test('a small price and a small share are not zero', () => {
  expect([0, 0.000_001, 0.0042, 0.1254, 12.5].map(formatCost)).toEqual([
    '$0',
    '<$0.0001',
    '$0.0042',
    '$0.125',
    '$12.50',
  ])
  expect(
    (
      [
        [0, 10],
        [1, 1000],
        [21, 100],
        [999, 1000],
        [5, 5],
        [3, 0],
      ] as const
    ).map(([part, whole]) => formatPercent(part, whole)),
  ).toEqual(['0%', '<1%', '21%', '99%', '100%', '0%'])
})

test('in another language units, days and tools are called otherwise', () => {
  const english = { ...t }
  Object.assign(t, zh)
  try {
    expect([840, 3440, 125_000].map(formatDuration)).toEqual(['840 毫秒', '3.4 秒', '2 分 5 秒'])
    expect([formatCount(12_400), formatPercent(1, 4), formatToolName('Bash')]).toEqual(['1.2万', '25%', '运行命令'])
    expect(dayGroup(Date.now(), Date.now())).toBe('今天')
  } finally {
    Object.assign(t, english)
  }
})

test('a browser language with a POSIX modifier is understood', () => {
  vi.stubGlobal('navigator', { language: 'en-IN@posix' })
  expect(formatNumber(1_234_567)).toBe('12,34,567')
})

test('the age of a chat is short', () => {
  const now = new Date(2026, 6, 20, 12).getTime()
  const minute = 60_000
  const ages = [0.5, 5, 90, 26 * 60, 8 * 24 * 60].map((minutes) => formatAgo(now - minutes * minute, now))
  expect(ages.slice(0, 4)).toEqual(['now', '5m ago', '1h ago', '1d ago'])
  expect(ages[4]).toMatch(/12/)
  // A clock that is ahead.
  expect(formatAgo(now + 1000, now)).toBe('now')
})
