import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { importsIn, readAgentsNotes } from './agents-md.ts'

let base = ''
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-notes-')))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const put = (name: string, text: string): void => {
  mkdirSync(path.dirname(path.join(base, name)), { recursive: true })
  writeFileSync(path.join(base, name), text)
}
const read = (): string[] =>
  readAgentsNotes(path.join(base, 'ws'), { roots: [path.join(base, 'ws')], personHome: path.join(base, 'home') }).map(
    ({ path: file, text }) => `${path.relative(base, file)}: ${text}`,
  )

it('reads both files if they differ, and one if the other adds nothing', () => {
  put('ws/AGENTS.md', 'A')
  put('ws/CLAUDE.md', 'C')
  expect(read()).toEqual(['ws/AGENTS.md: A', 'ws/CLAUDE.md: C'])
  put('ws/CLAUDE.md', 'A\n')
  expect(read()).toEqual(['ws/AGENTS.md: A'])
  put('ws/CLAUDE.md', '@AGENTS.md\n')
  expect(read()).toEqual(['ws/AGENTS.md: A'])
  rmSync(path.join(base, 'ws/CLAUDE.md'))
  symlinkSync('AGENTS.md', path.join(base, 'ws/CLAUDE.md'))
  expect(read()).toEqual(['ws/AGENTS.md: A'])
})

it('follows imports, cycles once, five levels deep, and only where allowed', () => {
  put(
    'ws/CLAUDE.md',
    'See @docs/a.md, and @~/mine.md. Not @docs/none.md, @../secret.md, @.env, @~/token or @a@b.example.',
  )
  put('ws/docs/a.md', 'a @b.md @../CLAUDE.md')
  put('ws/docs/b.md', 'b')
  put('secret.md', 'SECRET')
  put('ws/.env', 'SECRET')
  put('home/token', 'SECRET')
  put('home/mine.md', 'mine')
  symlinkSync('../../secret.md', path.join(base, 'ws/docs/link.md'))
  expect(read().slice(1)).toEqual(['ws/docs/a.md: a @b.md @../CLAUDE.md', 'ws/docs/b.md: b', 'home/mine.md: mine'])
  put('ws/CLAUDE.md', 'x @docs/link.md')
  expect(read()).toEqual(['ws/CLAUDE.md: x @docs/link.md'])
  put('ws/CLAUDE.md', 'deep @0.md')
  for (let i = 0; i < 10; i++) put(`ws/${i}.md`, `${i} @${i + 1}.md`)
  expect(read()).toHaveLength(6)
})

it.each<[string, string[]]>([
  ['@a.md', ['a.md']],
  ['see (@a/b.md) and @c.', ['a/b.md', 'c']],
  ['`@a.md` and ``x ` @b.md`` but @c.md', ['c.md']],
  ['```\n@a.md\n```\n@b.md', ['b.md']],
  ['~~~~ts\n@a.md\n~~~\n@a2.md\n~~~~\n@b.md', ['b.md']],
  ['mail me@example.com', []],
])('finds the imports of %j', (text, expected) => {
  expect(importsIn(text)).toEqual(expected)
})
