import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'

const { memoryFolder } = (await import(new URL('memory-folder.mjs', import.meta.url).href)) as {
  memoryFolder(roomBytes?: number): string | undefined
}

test('no folder is made in memory where there is no room for it', () => {
  expect(memoryFolder(Number.MAX_SAFE_INTEGER)).toBeUndefined()
})

test.runIf(existsSync('/dev/shm'))('a folder in memory is new and ours alone, and what others left goes', () => {
  // No process has this pid.
  const left = '/dev/shm/troupe-tests-99999999-left'
  mkdirSync(left)
  const [one, two] = [memoryFolder(0) as string, memoryFolder(0) as string]
  expect(existsSync(left)).toBe(false)
  expect(one).not.toBe(two)
  expect(statSync(one).mode & 0o777).toBe(0o700)
  for (const folder of [one, two]) rmSync(folder, { recursive: true })
})
