import { describe, expect, it } from 'vitest'
import { compilePathPattern, quotePath } from './rule-patterns.ts'

const folders = { roots: ['/work/ws'], home: '/home/me' }
const meets =
  (pattern: string, effect: 'allow' | 'deny', base = '/work/ws') =>
  (file: string) =>
    compilePathPattern(pattern, { base, effect }).matches(file, folders)

describe('a path rule', () => {
  it.each([
    ['src/**', '/work/ws/src/a/b.ts', true],
    ['src/**', '/work/ws/packages/src/a.ts', false],
    ['src/**', '/work/ws/srcs/a.ts', false],
    ['src', '/work/ws/src/a/b.ts', true],
    ['src/', '/work/ws/src/a/b.ts', true],
    ['src/*', '/work/ws/src/a.ts', true],
    ['src/*', '/work/ws/src/a/b.ts', false],
    ['./README.md', '/work/ws/README.md', true],
    ['./README.md', '/work/ws/docs/README.md', false],
    ['src/**/*.{ts,tsx}', '/work/ws/src/a/b.tsx', true],
    // A name at any depth in the workspace.
    ['*.ts', '/work/ws/a/b/c.ts', true],
    ['.env', '/work/ws/a/.env', true],
    ['.env', '/work/ws/a/.env.local', false],
    ['.env', '/work/other/.env', false],
    ['**/dist/*.js', '/work/ws/a/dist/x.js', true],
    // Relative to the file system root, the home, and the rule's base.
    ['//etc/hosts', '/etc/hosts', true],
    ['//etc/hosts', '/work/ws/etc/hosts', false],
    ['//tmp/**', '/tmp/a/b', true],
    ['//tmp/**', '/tmpx/a', false],
    ['~/notes/**', '/home/me/notes/a.md', true],
    ['~/notes/**', '/home/you/notes/a.md', false],
    ['~/**/a.md', '/home/me/x/y/a.md', true],
    ['/docs/**', '/work/ws/docs/a.md', true],
    ['/docs/**', '/docs/a.md', false],
    ['app/[id]/page.tsx', '/work/ws/app/[id]/page.tsx', true],
  ])('to allow %s on %s: %s', (pattern, file, expected) => {
    expect(meets(pattern, 'allow')(file)).toBe(expected)
  })

  it('that denies a name applies everywhere, and to everything below', () => {
    for (const file of ['/work/ws/.env', '/work/ws/a/.env', '/work/other/.env', '/home/me/.env', '/.env'])
      expect(meets('.env', 'deny')(file)).toBe(true)
    expect(meets('secrets', 'deny')('/work/ws/a/secrets/b/c')).toBe(true)
    expect(meets('src/*', 'deny')('/work/ws/src/a/b')).toBe(true)
    expect(meets('*.pem', 'deny')('/etc/ssl/x.pem')).toBe(true)
    expect(meets('.env', 'deny')('/work/ws/.envrc')).toBe(false)
  })

  it('that denies a path starting with "/" applies from its base and from the root', () => {
    expect(meets('/etc/passwd', 'deny')('/etc/passwd')).toBe(true)
    expect(meets('/etc/passwd', 'deny')('/work/ws/etc/passwd')).toBe(true)
    expect(meets('/notes/**', 'deny', '/home/me')('/home/me/notes/x')).toBe(true)
  })

  it('matches a name only if it contains it', () => {
    const names = (pattern: string, name: string): boolean =>
      compilePathPattern(pattern, { base: '/', effect: 'allow' }).names(name)
    for (const pattern of ['.env', '.env*', '**/.env', './config/.ENV', '//x/{.env,b}'])
      expect([pattern, names(pattern, '.env')]).toEqual([pattern, true])
    for (const pattern of ['**', 'src/**', '*', '*.ts', '//**', '?env'])
      expect([pattern, names(pattern, '.env')]).toEqual([pattern, pattern === '?env'])
  })

  it('with a quoted path means that path', () => {
    for (const name of ['a*b', 'a?b', '[id]', '{a,b}', 'a\\b', 'plain']) {
      const pattern = `./${quotePath(name)}`
      expect(meets(pattern, 'allow')(`/work/ws/${name}`)).toBe(true)
      for (const other of ['axb', 'i', 'a', 'plainx']) expect(meets(pattern, 'allow')(`/work/ws/${other}`)).toBe(false)
    }
  })
})
