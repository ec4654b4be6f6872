import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { parseExports } from './shell-state.ts'

const values = {
  PLAIN: 'a b',
  EMPTY: '',
  QUOTES: `it's "quoted" \\ and $HOME and \`x\``,
  LINES: 'one\ntwo\n\ndeclare -x FAKE="1"\n',
  CONTROL: '\x01\x1b[31m\t\r\x7f',
  UNICODE: 'é 漢字 🎭',
  DIGITS: '\x0112',
}

test('every value round-trips through bash', () => {
  for (const locale of ['C', 'C.UTF-8']) {
    const dump = execFileSync('bash', ['--noprofile', '--norc', '-c', 'declare -px'], {
      env: { PATH: process.env['PATH'], LC_ALL: locale, ...values },
      encoding: 'utf8',
    })
    expect(parseExports(dump)).toMatchObject(values)
  }
})

test('names without a value, arrays and odd flags do no harm', () => {
  const dump =
    'declare -x BARE\ndeclare -ax LIST=([0]="a" [1]="b")\ndeclare -rx FIXED="1"\nnonsense\ndeclare -x LAST="2"\n'
  expect(parseExports(dump)).toEqual({ FIXED: '1', LAST: '2' })
})

test('a truncated dump gives its complete entries', () => {
  expect(parseExports('declare -x A="1"\ndeclare -x B="hal')).toEqual({ A: '1' })
  expect(parseExports("declare -x A=$'x\\ny'\ndeclare -x B=$'hal")).toEqual({ A: 'x\ny' })
})
