import { expect, test } from 'vitest'
import { createHistory } from './history.ts'
import { createOutputFilter } from './output-filter.ts'

function filtered(...pieces: string[]): string {
  const filter = createOutputFilter()
  return pieces.flatMap((piece) => filter.push(piece).map(({ text }) => text)).join('')
}

const esc = '\x1b'
const st = `${esc}\\`

const dropped: Record<string, string> = {
  'a title': `${esc}]0;owned\x07`,
  'a title that ends with ST': `${esc}]2;owned${st}`,
  'a title in the 8-bit form': '\x9d2;owned\x9c',
  'an icon name': `${esc}]1;owned\x07`,
  'the clipboard': `${esc}]52;c;cm0gLXJmIC8=\x07`,
  'a query of the clipboard': `${esc}]52;c;?${st}`,
  'the working folder': `${esc}]7;file://host/etc${st}`,
  'a notification': `${esc}]9;hello\x07${esc}]777;notify;a;b\x07`,
  'a file of iTerm2': `${esc}]1337;File=name=eA==;inline=1:AAAA\x07`,
  'the colors of the page': `${esc}]4;1;rgb:00/00/00${st}${esc}]11;#000000${st}${esc}]104${st}`,
  'a query of a color': `${esc}]10;?\x07${esc}]11;?${st}${esc}]4;1;?\x07`,
  'DA 1, 2 and 3': `${esc}[c${esc}[0c${esc}[>c${esc}[=c`,
  'DA 1 in the 8-bit form': '\x9bc',
  DECID: `${esc}Z`,
  'the status and the position of the cursor': `${esc}[5n${esc}[6n${esc}[?6n`,
  'the state of a mode': `${esc}[4$p${esc}[?2004$p`,
  DECRQSS: `${esc}P$q"p${st}`,
  'a terminfo query': `${esc}P+q544e${st}`,
  'a report of the title': `${esc}[21t${esc}[20t`,
  'the size and the place of the window': `${esc}[14t${esc}[18t${esc}[3;0;0t${esc}[8;999;999t`,
  'the parameters of the terminal': `${esc}[x${esc}[1x`,
  'a checksum of the screen': `${esc}[1;1;1;1;1;1*y`,
  'the name of the terminal': `${esc}[>q${esc}[>0q`,
  'the keyboard protocol': `${esc}[?u${esc}[>1u${esc}[>4;2m${esc}[?4m`,
  'an answerback': '\x05',
  'a sixel picture': `${esc}Pq#0;2;0;0;0#0~~${st}`,
  'privacy, application and start of string': `${esc}^secret${st}${esc}_Gpayload${st}${esc}Xtext${st}`,
  'another charset': `${esc}%@${esc}%G`,
  'an unknown mode': `${esc}[?31337h`,
  'direction overrides': '\u202e\u2066\u2069',
  'NUL, DEL and C1': '\0\x7f\x85\x90',
  'a sequence that is too long': `${esc}[${'1;'.repeat(300)}m`,
}

test.each(Object.entries(dropped))('%s is dropped, wherever its bytes are split', (_, sequence) => {
  // The second 8-bit form begins a string only for a terminal that reads C1 in UTF-8. Here its text is shown.
  const shown = sequence.startsWith('\x9d') ? '2;owned' : sequence.startsWith('\x9b') ? 'c' : ''
  const all = `a${sequence}b`
  expect(filtered(all)).toBe(`a${shown}b`)
  for (let at = 1; at < all.length; at++) expect(filtered(all.slice(0, at), all.slice(at))).toBe(`a${shown}b`)
  expect(filtered(...all.split(''))).toBe(`a${shown}b`)
})

test.each([
  ['colors', `${esc}[1;38;2;1;2;3mx${esc}[38:2::1:2:3m${esc}[0m`],
  ['the cursor', `${esc}[2;5H${esc}[3A${esc}7${esc}8${esc}[s${esc}[u${esc}[5 q`],
  ['clearing', `${esc}[2J${esc}[K${esc}[3J${esc}[?1J`],
  ['the second screen and modes', `${esc}[?1049h${esc}[?25l${esc}[?2004h${esc}[?1000h${esc}[?1049l`],
  ['lines and scrolling', `${esc}[2;10r${esc}D${esc}M${esc}[2L${esc}[3M`],
  ['line drawing', `${esc}(0qq${esc}(B\x0e\x0f`],
  ['a web link', `${esc}]8;;https://example.com/a${st}text${esc}]8;;${st}`],
  ['text in any script', 'äöü 漢字 👩‍👩‍👧 العربية\ttab\r\nline\b'],
])('%s pass, wherever they are split', (_, text) => {
  expect(filtered(text)).toBe(text)
  expect(filtered(...Array.from(text))).toBe(text)
})

test('links keep only http and https, and lose their parameters', () => {
  const link = (target: string) => filtered(`${esc}]8;id=x;${target}\x07t${esc}]8;;\x07`)
  expect(link('https://example.com')).toBe(`${esc}]8;;https://example.com/${st}t${esc}]8;;${st}`)
  for (const target of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'vscode://x',
    'x',
    'a'.repeat(9000),
  ])
    expect(link(target)).toBe(`${esc}]8;;${st}t${esc}]8;;${st}`)
})

test('counts that would make the page loop are cut to the size of a screen', () => {
  expect(filtered(`x${esc}[2147483647b${esc}[99999S${esc}[4294967296;7H`)).toBe(
    `x${esc}[1000b${esc}[1000S${esc}[1000;7H`,
  )
})

test('a string that never ends hides only so much', () => {
  const filter = createOutputFilter()
  const push = (text: string) => filter.push(text).map((one) => one.text)
  expect(push(`${esc}]0;${'x'.repeat(1000)}`)).toEqual([])
  expect(push(`${'x'.repeat(70_000)} prompt`).join('')).toContain('prompt')
  expect(filtered(`${esc}Pq never ended${esc}[31mred`)).toBe(`${esc}[31mred`)
})

function record(filter = createOutputFilter(), limits = { most: 40_000, mostAlternate: 400 }) {
  const history = createHistory(limits)
  return { history, print: (text: string) => history.add(filter.push(text)) }
}

function readAll(history: ReturnType<typeof createHistory>, from = { position: 0, alternate: false }) {
  let text = ''
  let place = from
  for (let next = history.read(place); next !== undefined; next = history.read(place)) {
    text += next.text
    place = { position: next.position, alternate: next.alternate }
  }
  return { text, place }
}

test('a late viewer continues in the colors and modes of the place it lands on', () => {
  const { history, print } = record()
  print(`${esc}[?2004h${esc}[?25l${esc}[1;31m`)
  for (let i = 0; i < 20; i++) print(`${'x'.repeat(200)}\r\n`.repeat(100))
  const { text } = readAll(history)
  expect(text.length).toBeLessThan(45_000)
  const head = text.slice(0, text.indexOf('x'))
  expect(head).toContain(`${esc}[0;1;31m`)
  expect(head).toContain(`${esc}[?2004h`)
  expect(head).toContain(`${esc}[?25l`)
  expect(head).toContain(`${esc}[?1000l`)
})

test('an editor leaves the lines before it as they were', () => {
  const { history, print } = record()
  print('before\r\n')
  print(`${esc}[?1049h${'drawn '.repeat(20)}`)
  expect(readAll(history).text).toContain('drawn')
  for (let i = 0; i < 50; i++) print('drawn '.repeat(20))
  expect(history.isCut).toBe(true)
  print(`${esc}[?1049l`)
  print('after')
  expect(history.isCut).toBe(false)
  const { text } = readAll(history)
  expect(text).toMatch(/^before\r\n/)
  expect(text).toMatch(/after$/)
  expect(text).not.toContain('drawn')
})

test('a viewer that follows gets every character once', () => {
  const { history, print } = record(createOutputFilter(), { most: 1 << 20, mostAlternate: 1 << 20 })
  let seen = ''
  let place = { position: 0, alternate: false }
  let all = ''
  for (let i = 0; i < 500; i++) {
    const piece = `${i} ${esc}[3${i % 8}m${'y'.repeat(i)}\r\n`
    all += piece
    print(piece)
    if (i % 7 === 0) {
      const read = readAll(history, place)
      seen += read.text
      ;({ place } = read)
    }
  }
  expect(seen + readAll(history, place).text).toBe(all)
})
