import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { runs } from '../../../protocol/testing/test-effort.ts'
import { parsePlainMatter } from './parse-skill-file.ts'

it('parses nearly every file', () => {
  expect(
    parsePlainMatter('name: pdf\ndescription: Reads (and writes) files, it\'s "good"; see a/b.\nmetadata:\n  a: "1.0"'),
  ).toEqual({
    data: { name: 'pdf', description: 'Reads (and writes) files, it\'s "good"; see a/b.', metadata: { a: '1.0' } },
    lines: new Map([
      ['name', 1],
      ['description', 2],
      ['metadata', 3],
    ]),
  })
})

it('leaves special YAML syntax to the YAML parser', () => {
  for (const matter of [
    'a: 1',
    'a: true',
    'a: No',
    'a: x: y',
    'a: x #y',
    'a: x:',
    'a: [b]',
    'a: |',
    'a: &b c',
    'a:',
    'a: b\n  c',
    'a: b\n  c: d',
    'a: b\na: c',
    'a: "b\\n"',
    "a: 'it''s'",
    '__proto__: x',
    'a: b\n\nc: d',
  ])
    expect([matter, parsePlainMatter(matter)]).toEqual([matter, undefined])
})

const pieces =
  'name|a|- |: |:| |  |\n|\n  |"|\'|#| #|~|[|{|&x|*x|!t|>|%|@|`|,|é|1|on|null|?|---|\t|\\\\|constructor'.split('|')

it('always agrees with the YAML parser', () => {
  const matters = fc.array(fc.constantFrom(...pieces, '|'), { maxLength: 6 }).map((some) => `name: a${some.join('')}`)
  let read = 0
  fc.assert(
    fc.property(matters, (matter) => {
      const plain = parsePlainMatter(matter)
      if (plain === undefined) return
      read++
      expect(plain.data).toEqual(parse(matter))
    }),
    runs(10_000),
  )
  expect(read).toBeGreaterThan(100)
})
