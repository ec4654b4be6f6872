import { expect, test } from 'vitest'
import { entryPaths } from './list.tsx'

const file = (name: string, depth = 0) => ({ name, depth, isFolder: false })
const folder = (name: string, depth = 0) => ({ name, depth, isFolder: true })

test('names of a tree are joined with the folders before them', () => {
  const entries = [
    folder('a'),
    folder('b', 1),
    file('x.csv', 2),
    file('y.csv', 1),
    folder('c'),
    file('z.csv', 1),
    file('w.csv'),
  ]
  expect(entryPaths('src/', entries)).toEqual([
    'src/a',
    'src/a/b',
    'src/a/b/x.csv',
    'src/a/y.csv',
    'src/c',
    'src/c/z.csv',
    'src/w.csv',
  ])
  expect(entryPaths('.', [file('x.csv')])).toEqual(['x.csv'])
})

test('a full path is unchanged', () => {
  expect(entryPaths('src', [file('src/a.csv'), file('/tmp/b.csv')])).toEqual(['src/a.csv', '/tmp/b.csv'])
})
