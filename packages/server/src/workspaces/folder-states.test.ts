import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { SlowFolder } from './file-thread.ts'
import { createFolderLanes } from './folder-states.ts'
import { asyncFiles } from './inspect-folder.ts'

it('when the threads of the process hang, other folders get threads of their own', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-lanes-'))
  const held = Promise.withResolvers<never>()
  const files = { ...asyncFiles, stat: () => held.promise }
  const lanes = createFolderLanes({ files, limitMs: 2000, mountOf: (at) => at })
  const hung = Promise.allSettled([lanes.inspect('/one'), lanes.inspect('/two')])
  expect(await lanes.inspect(folder)).toMatchObject({ state: 'ok', real: folder })
  expect(await lanes.inspect(path.join(folder, 'none'))).toEqual({ state: 'missing' })
  expect(await lanes.list({ folder, prefix: '', most: 10 })).toEqual({ entries: [], isCut: false })
  await expect(lanes.list({ folder: path.join(folder, 'none'), prefix: '', most: 10 })).rejects.toThrow('ENOENT')
  expect((await hung).map((one) => one.status === 'rejected' && one.reason instanceof SlowFolder)).toEqual([true, true])
  held.reject(Object.assign(new Error('gone'), { code: 'ENOENT' }))
  await expect.poll(() => lanes.inspect('/one').catch(() => undefined)).toEqual({ state: 'missing' })
  await lanes.close()
  rmSync(folder, { recursive: true })
})

it('a mount that hangs takes one lane and is given up at once for the others', async () => {
  const asked: string[] = []
  const files = { ...asyncFiles, stat: (at: string) => (asked.push(at), new Promise<never>(() => undefined)) }
  const lanes = createFolderLanes({ files, limitMs: 100, mountOf: () => '/mnt' })
  const found = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => lanes.inspect(`/mnt/${name}`)))
  expect(found.every(({ status }) => status === 'rejected')).toBe(true)
  await expect(lanes.inspect('/mnt/e')).rejects.toBeInstanceOf(SlowFolder)
  expect(asked).toEqual(['/mnt/a'])
})
