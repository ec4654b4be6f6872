import { expect, test } from 'vitest'
import { readScreen } from './terminal-screen.ts'

const textOf = (given: string) =>
  readScreen(given)
    .runs.map((run) => run.text)
    .join('')
const looksOf = (given: string) => readScreen(given).runs.map(({ text, look }) => `${look}|${text}`)

test('colors and weights become class names, each section once', () => {
  expect(looksOf('a \x1b[31mred\x1b[0m b')).toEqual(['|a ', 'ansi-red|red', '| b'])
  expect(looksOf('\x1b[1;92;44mx\x1b[22;39my')).toEqual([
    'ansi-bright-green ansi-on-blue ansi-bold|x',
    'ansi-on-blue|y',
  ])
  expect(looksOf('\x1b[32mone\ntwo\x1b[m')).toEqual(['ansi-green|one\ntwo'])
})

test('256 and 16 million colours become the nearest of the palette', () => {
  expect(looksOf('\x1b[38;5;9mx\x1b[38;5;208my\x1b[38;2;0;255;0mz')).toEqual([
    'ansi-bright-red|x',
    'ansi-bright-yellow|y',
    'ansi-bright-green|z',
  ])
  expect(looksOf('\x1b[48;2;20;20;20;38:2::250:10:10mx')).toEqual(['ansi-bright-red ansi-on-black|x'])
  expect(textOf('\x1b[38;2;1mz\x1b[38my\x1b[38;5;999999mx')).toBe('zyx')
})

test('text cannot be hidden, neither by concealing nor by its background color', () => {
  expect(looksOf('\x1b[8mx')).toEqual(['|x'])
  expect(looksOf('\x1b[31;41mx')).toEqual(['ansi-on-red|x'])
})

test('overwritten text is gone', () => {
  expect(textOf('10 %\r20 %\r100 %\n')).toBe('100 %')
  expect(textOf('abc\b\bX')).toBe('aXc')
  expect(textOf('building\r\x1b[Kdone')).toBe('done')
  expect(textOf('one\r\ntwo\r\n')).toBe('one\ntwo')
  expect(textOf('a\tb')).toBe('a       b')
})

test('progress over several lines is drawn in place', () => {
  expect(textOf('first 1\nsecond 1\n\x1b[2Afirst 2\nsecond 2\n')).toBe('first 2\nsecond 2')
  expect(textOf('one\ntwo\nthree\x1b[1A\x1b[2K\rTWO')).toBe('one\nTWO\nthree')
  expect(textOf('old\nmore\x1b[H\x1b[2Jnew')).toBe('new')
  expect(textOf('a\nb\nc\x1b[2;1H\x1b[Jrest')).toBe('a\nrest')
})

test('a full-screen program restores the screen', () => {
  expect(textOf('before\n\x1b[?1049hfull screen\x1b[?1049lafter')).toBe('before\nafter')
  expect(textOf('before\n\x1b[?1049h\x1b[2Jfull screen')).toBe('full screen')
})

test('titles, links and unknown or incomplete sequences leave no trace', () => {
  expect(textOf('\x1b]0;a title\x07x\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\')).toBe('xlink')
  expect(textOf('\x1bPq#0;2\x1b\\x\x1b(B\x1b=\x1b[?25ly\x1b[>4;2mz\x07\0')).toBe('xyz')
  expect(textOf('done\x1b[3')).toBe('done')
  expect(textOf('done\x1b]0;half a title')).toBe('done')
  expect(textOf('done\x1b')).toBe('done')
  expect(textOf('\x1b]0;never closed\nthe rest\n')).toContain('the rest')
})

test('movements are bound to a screen, so no text can make it grow', () => {
  expect(readScreen('\x1b[999999999Cx').runs[0]?.text.length).toBe(501)
  expect(readScreen('\x1b[99999999;99999999Hx').lines).toBe(40)
  expect(readScreen('\x1b[99999Bx').lines).toBe(1)
  expect(textOf('a\x1b[999Ab')).toBe('ab')
})

test('of a long output the last lines are shown, and how many are not', () => {
  const text = Array.from({ length: 5000 }, (_, index) => `line ${index}\n`).join('')
  const screen = readScreen(text)
  expect(screen).toMatchObject({ lines: 2000, left: 3000 })
  expect(screen.runs[0]?.text.startsWith('line 3000\n')).toBe(true)
  expect(screen.runs).toHaveLength(1)
  const endless = readScreen('0123456789\n'.repeat(1_000_000))
  expect(endless.lines + endless.left).toBe(1_000_000)
})

test('every text is fast to read', () => {
  const begun = process.threadCpuUsage()
  for (const piece of [
    '\x1b',
    '\x1b[',
    '\x1b]',
    '\x1b[1',
    '\x1b[A\n',
    '\x1b[2J\n',
    '\x1b[40;1H\n',
    '\x1bP',
    '\b',
    '\x1b[1K',
    '\x1b[999Gx\n',
  ]) {
    readScreen(`${piece.repeat(200_000 / piece.length)}\n.`)
  }
  // CPU time of this thread, because the machine may be busy.
  expect(process.threadCpuUsage(begun).user / 1000).toBeLessThan(4000)
})

test('emoji and letters beyond the first plane are one character each', () => {
  expect(textOf('👍👍\r👎')).toBe('👎👍')
})
