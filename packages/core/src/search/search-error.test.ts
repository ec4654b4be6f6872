import { expect, test } from 'vitest'
import { searchError, unreadablePaths } from './search-query.ts'

const query = { pattern: 'a{', folder: '/', target: './', glob: '*.ts', type: 'ts' }

test('unreadable files are not an error of the query', () => {
  expect(unreadablePaths('')).toEqual([])
  expect(unreadablePaths('rg: ./b.txt: Permission denied (os error 13)\n')).toEqual([
    './b.txt: Permission denied (os error 13)',
  ])
  expect(unreadablePaths('rg: ./b.txt: Permission denied (os error 13)\nrg: regex parse error:\n')).toBeUndefined()
})

test('a search error says what to do instead', () => {
  expect(searchError(query, 'rg: PCRE2 is not available in this build of ripgrep').message).toContain('simpler pattern')
  expect(searchError(query, 'rg: Compiled regex exceeds size limit of 10 bytes').message).toContain(
    'not a valid regular expression',
  )
  expect(searchError(query, "rg: error parsing glob '[': unclosed").message).toContain('The glob "*.ts" is invalid')
  expect(searchError(query, '').message).toContain('it is unknown whether there are matches')
})
