import { expect, test } from 'vitest'
import { folderName } from './folder-name.ts'
import { completeTyped, isPath, parentOf } from './typed-path.ts'

test.each(['/', '/home', '~', '~/x', 'C:\\', 'd:/x'])('%s is a path', (typed) => expect(isPath(typed)).toBe(true))
test.each(['', 'app', './x', 'a/b', 'C:'])('%j is a search', (typed) => expect(isPath(typed)).toBe(false))

test('a typed path is completed as far as the folders agree', () => {
  const entries = (...paths: string[]) => paths.map((path) => ({ path }))
  expect(completeTyped('/h/ap', entries('/h/apple'))).toBe('/h/apple/')
  expect(completeTyped('/h/a', entries('/h/apple', '/h/apples'))).toBe('/h/apple')
  expect(completeTyped('/h/apple', entries('/h/apple', '/h/apples'))).toBe('/h/apple')
  expect(completeTyped('/h/x', [])).toBe('/h/x')
  expect(completeTyped('~/ap', entries('/h/apple'))).toBe('/h/apple/')
})

test('the folder around a folder ends with a slash', () => {
  expect([parentOf('/a/b'), parentOf('/a'), parentOf('/'), parentOf('C:\\x')]).toEqual(['/a/', '/', undefined, 'C:\\'])
})

test('equal names are told apart by the folder around them', () => {
  const all = [
    { id: 'w_1', name: 'app', path: '/a/app' },
    { id: 'w_2', name: 'app', path: '/b/app' },
    { id: 'w_3', name: 'other', path: '/b/other' },
  ]
  expect(all.map((one) => folderName(one, all))).toEqual(['a/app', 'b/app', 'other'])
})
