import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { expect, test } from 'vitest'
import { cpuClock } from '../../../protocol/testing/test-effort.ts'
import { compileGlob, splitGlob } from './glob-pattern.ts'

const paths = [
  'a.ts', 'b.tsx', 'README.md', 'src/a.ts', 'src/deep/er/a.ts', 'src/deep/b.test.ts', 'src/x.d.ts', 'lib/a.js',
  'lib/src/a.ts', 'ab.ts', 'abc.ts', '.env', '.github/w.yml', 'two\nlines.ts', 'sp ace.ts', '-dash.ts', 'a{b.ts',
  'src/0.ts', 'src/9.ts', 'src/-.ts',
] // prettier-ignore

test('globs match as in ripgrep', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'glob-'))
  for (const one of paths) {
    mkdirSync(path.join(folder, path.dirname(one)), { recursive: true })
    writeFileSync(path.join(folder, one), '')
  }
  const globs = [
    '*.ts', '**/*.ts', 'src/**', 'src/*.ts', 'src/**/*.ts', '**/src/*.ts', '*.{ts,tsx}', '{src,lib}/**/*.{ts,js}', 'a*.ts',
    '?.ts', 'a?.ts', '[ab].ts*', '[!a]*.ts', 'src/[0-9].ts', 'src/[!0-9].ts', '**', '*', '/a.ts', 'src/deep/**/a.ts',
    '**/deep/**', '*e*.m*', '.env', '*.yml', '\\-dash.ts', '{a,b}{.ts,.tsx}', 'a\\{b.ts', '**/a.ts', 'src/**/b.*.ts',
  ] // prettier-ignore
  for (const glob of globs) {
    const { stdout } = spawnSync(rgPath, ['--files', '--hidden', '-0', '-g', glob], { cwd: folder, encoding: 'utf8' })
    const pattern = compileGlob(glob)
    expect([glob, ...paths.filter((one) => pattern.matches(one)).toSorted()]).toEqual([
      glob,
      ...stdout.split('\0').filter(Boolean).toSorted(),
    ])
  }
  rmSync(folder, { recursive: true })
})

test('a folder named like a character class is found, and a trailing slash means its contents', () => {
  expect(compileGlob('app/[id]/*.tsx').matches('app/[id]/page.tsx')).toBe(true)
  expect(compileGlob('app/[id]/*.tsx').matches('app/i/page.tsx')).toBe(true)
  expect(compileGlob('app/[...slug]/*').matches('app/[...slug]/x')).toBe(true)
  expect(compileGlob('src/').matches('src/a/b.ts')).toBe(true)
  expect(compileGlob('./src/*.ts').matches('src/b.ts')).toBe(true)
  expect(compileGlob('?.ts').matches('😀.ts')).toBe(true)
  expect(compileGlob('un[closed').matches('un[closed')).toBe(true)
  expect(compileGlob('un{closed').matches('un{closed')).toBe(true)
})

test('a hostile glob costs no more than a long one', () => {
  const pattern = compileGlob(`${'*a'.repeat(60)}b`)
  const deep = compileGlob(`${'**/a/'.repeat(60)}b`)
  const spentMs = cpuClock()
  expect(pattern.matches('a'.repeat(250))).toBe(false)
  expect(deep.matches('a/'.repeat(200) + 'c')).toBe(false)
  expect(spentMs()).toBeLessThan(200)
  expect(() => compileGlob('{a,b}'.repeat(20))).toThrow('too many alternatives')
})

test('the last name of a glob is known if it can narrow a search', () => {
  expect(compileGlob('src/**/*.{ts,tsx}').nameGlob).toBe('*.{ts,tsx}')
  expect(compileGlob('{a/b,c}.ts').nameGlob).toBeUndefined()
  for (const glob of ['src/**', 'src/', '[id].ts', 'a:b', '{a,b/c}']) expect(compileGlob(glob).nameGlob).toBeUndefined()
})

test('a glob is parted at its first wildcard', () => {
  expect(splitGlob('*.ts')).toEqual({ folder: '', glob: '*.ts' })
  expect(splitGlob('x.ts')).toEqual({ folder: '', glob: 'x.ts' })
  expect(splitGlob('src/app/**/*.ts')).toEqual({ folder: 'src/app', glob: '/**/*.ts' })
  expect(splitGlob('src/x.ts')).toEqual({ folder: 'src', glob: '/x.ts' })
  expect(splitGlob('/etc/*')).toEqual({ folder: '/etc', glob: '/*' })
  expect(splitGlob('/*')).toEqual({ folder: '/', glob: '/*' })
  expect(splitGlob('../x/{a,b}')).toEqual({ folder: '../x', glob: '/{a,b}' })
})
