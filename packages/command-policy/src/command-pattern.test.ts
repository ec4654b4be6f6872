import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuClock } from '../../protocol/testing/test-effort.ts'
import { allowsCommand, matchCommand, matchWidely, parseCommandPattern, quoteWords } from './command-pattern.ts'

const match = (pattern: string, words: string): string =>
  matchCommand(parseCommandPattern(pattern), { words: words.split(' ').filter(Boolean), complete: true })
const begins = (pattern: string, words: string): string =>
  matchCommand(parseCommandPattern(pattern), { words: words.split(' ').filter(Boolean), complete: false })
const widely = (pattern: string, words: string): string =>
  matchWidely(parseCommandPattern(pattern), { words: words.split(' ').filter(Boolean), complete: true })

describe('a pattern for commands', () => {
  it.each([
    ['npm test', 'npm test', 'yes'],
    ['npm test', 'npm test --watch', 'no'],
    ['npm test', 'npm tests', 'no'],
    ['npm run *', 'npm run build', 'yes'],
    ['npm run *', 'npm run', 'yes'],
    ['npm run *', 'npm run build -- --x', 'yes'],
    ['npm run *', 'npm runx', 'no'],
    ['ls *', 'ls', 'yes'],
    ['ls *', 'ls -la', 'yes'],
    ['ls *', 'lsof', 'no'],
    ['ls*', 'lsof', 'yes'],
    ['ls*', 'ls -la', 'no'],
    ['git diff:*', 'git diff', 'yes'],
    ['git diff:*', 'git diff HEAD', 'yes'],
    ['git diff:*', 'git difftool', 'no'],
    ['git * main', 'git push origin main', 'yes'],
    ['git * main', 'git main', 'yes'],
    ['git * main', 'git push', 'no'],
    ['npm run test:*', 'npm run test', 'yes'],
    ['npm run test:*', 'npm run test:unit', 'no'],
    ['npm run test:* *', 'npm run test:unit -w', 'yes'],
    ['cargo * --release', 'cargo build --release', 'yes'],
    ['* --version', 'node --version', 'yes'],
    ['a*b*c', 'axxbxxc', 'yes'],
    ['a*b*c', 'axxc', 'no'],
    ['a*a', 'a', 'no'],
  ])('%s on %s: %s', (pattern, words, expected) => {
    expect(match(pattern, words)).toBe(expected)
  })

  it('that allows matches a star in place of the program with its name', () => {
    const allows = (pattern: string, words: string): boolean =>
      allowsCommand(parseCommandPattern(pattern), { words: words.split(' '), complete: true })
    expect(allows('* --version', 'node --version')).toBe(true)
    expect(allows('* --version', 'rm -rf x --version')).toBe(false)
    expect(allows('* --version', './node --version')).toBe(false)
    expect(allows('git * main', 'git push origin main')).toBe(true)
  })

  it('parses quotes like a shell, and a quoted star literally', () => {
    const quoted = parseCommandPattern(`git commit -m 'a * b' "c d" e\\ f`)
    expect(quoted.exact).toBe(true)
    expect(matchCommand(quoted, { words: ['git', 'commit', '-m', 'a * b', 'c d', 'e f'], complete: true })).toBe('yes')
    expect(matchCommand(quoted, { words: ['git', 'commit', '-m', 'a x b', 'c d', 'e f'], complete: true })).toBe('no')
  })

  it('reports when it depends on words known only at run time', () => {
    expect(begins('npm run *', 'npm run')).toBe('yes')
    expect(begins('npm run *', 'npm')).toBe('maybe')
    expect(begins('npm run *', '')).toBe('maybe')
    expect(begins('npm run *', 'git')).toBe('no')
    expect(begins('rm -rf /', 'rm')).toBe('maybe')
    expect(begins('rm', 'rm')).toBe('maybe')
  })

  it('that forbids is not evaded by another spelling', () => {
    for (const words of [
      '/bin/rm -rf x',
      '/usr/bin/../bin/rm -rf x',
      'rm -fr x',
      'rm -r -f x',
      'rm x -rf',
      'RM -rf x',
      'rm -vrf x',
    ])
      expect([words, widely('rm -rf *', words)]).toEqual([words, 'yes'])
    for (const words of ['git -C x push', 'git --no-pager push origin', 'git -c a=b --git-dir x push', 'git push'])
      expect([words, widely('git push *', words)]).toEqual([words, 'yes'])
    for (const words of ['rm -r x', 'rmdir -rf x', 'git status', 'echo rm -rf x'])
      expect([words, widely('rm -rf *', words)]).toEqual([words, 'no'])
    expect(widely('git push *', 'git stash push')).toBe('no')
  })

  it('of quoted words matches only those words', () => {
    const word = fc.string({
      minLength: 1,
      maxLength: 8,
      unit: fc.constantFrom('a', 'b', '*', "'", '"', '\\', ' ', '(', ')', '$'),
    })
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.array(word, { minLength: 1, maxLength: 4 }),
        (words, others) => {
          const pattern = parseCommandPattern(quoteWords(words))
          expect(pattern.exact).toBe(true)
          expect(matchCommand(pattern, { words, complete: true })).toBe('yes')
          const isSame = words.length === others.length && words.every((one, index) => one === others[index])
          expect(matchCommand(pattern, { words: others, complete: true })).toBe(isSame ? 'yes' : 'no')
        },
      ),
      { numRuns: 300 },
    )
  })

  it('with many stars costs no more than a long one', () => {
    const hostile = parseCommandPattern(`${'*a'.repeat(400)}b *  * * * * * x`)
    const spentMs = cpuClock()
    expect(
      matchCommand(hostile, { words: ['a'.repeat(8000), ...Array.from({ length: 500 }, () => 'y')], complete: true }),
    ).toBe('no')
    expect(spentMs()).toBeLessThan(100)
  })
})
