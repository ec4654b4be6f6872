import { expect, test } from 'vitest'
import { rankPaths } from './mentions.ts'

const many = Array.from({ length: 2000 }, (_, index) => `many/f${(index * 7) % 2000}.txt`)

test('equal names are in the order of a person, with a count of all', () => {
  const { paths, total } = rankPaths('many/', [...many, 'many/in/deep.txt', 'other.txt'], 30)
  expect(paths.slice(0, 12)).toEqual([
    ...Array.from({ length: 11 }, (_, index) => `many/f${index}.txt`),
    'many/f11.txt',
  ])
  expect(paths).toHaveLength(30)
  expect(total).toBe(2002)
})

test('likelier paths come first, and a folder is not its own entry', () => {
  const files = ['docs/app.md', 'src/app.ts', 'app/a.ts', 'src/zapp.ts']
  expect(rankPaths('app', files, 10)).toEqual({
    paths: ['app/', 'app/a.ts', 'src/app.ts', 'docs/app.md', 'src/zapp.ts'],
    total: 5,
  })
  expect(rankPaths('app/', files, 10)).toEqual({ paths: ['app/a.ts'], total: 1 })
  expect(rankPaths('', ['b10.ts', 'b9.ts'], 1)).toEqual({ paths: ['b9.ts'], total: 2 })
})
