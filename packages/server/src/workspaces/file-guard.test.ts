import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFileGuard } from './file-guard.ts'
import { FileThread, SlowFolder } from './file-thread.ts'

const folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), 'troupe-guard-')))
const drive = path.join(folder, 'drive')
const marker = `${drive}.hangs`
const near = path.join(folder, 'near')
const script = new URL('../testing/hanging-drive.ts', import.meta.url)
const guard = createFileGuard({ limitMs: 300, script })
const at = (name: string): string => path.join(drive, name)

beforeAll(() => {
  for (const one of [drive, near, at('sub')]) fs.mkdirSync(one)
  fs.writeFileSync(at('a.txt'), 'hello')
  fs.symlinkSync('a.txt', at('link'))
  fs.symlinkSync('sub', at('sub-link'))
  fs.writeFileSync(path.join(near, 'b.txt'), 'near')
  fs.symlinkSync(drive, path.join(near, 'away'))
})
afterAll(async () => {
  await guard.close()
  fs.rmSync(folder, { recursive: true })
})

function everything(): unknown {
  const failure = (work: () => unknown): unknown => {
    try {
      return work()
    } catch (error) {
      const { code, message, syscall, path: file } = error as NodeJS.ErrnoException
      return { code, message, syscall, file }
    }
  }
  const fd = fs.openSync(at('a.txt'), 'r')
  const buffer = Buffer.alloc(9, '-')
  const read = [fs.readSync(fd, buffer, 2, 3, 1), fs.readSync(fd, buffer, { position: 0, length: 1 })]
  const opened = fs.fstatSync(fd, { bigint: true })
  fs.closeSync(fd)
  fs.writeFileSync(at('new'), new Uint8Array([104, 105]))
  fs.renameSync(at('new'), at('newer'))
  const listing = fs.opendirSync(drive)
  const names: string[] = []
  for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) names.push(entry.name)
  listing.closeSync()
  const result = [
    [fs.statSync(at('a.txt')), fs.lstatSync(at('link'), { bigint: true }), opened].map((one) => [
      one.isFile(),
      one.isSymbolicLink(),
      one.size,
      one.mtime,
      one.constructor.name,
    ]),
    fs.statSync(at('none'), { throwIfNoEntry: false }),
    fs.readdirSync(drive, { withFileTypes: true }).map((one) => [one.name, one.parentPath, one.isDirectory()]),
    fs.readdirSync(at('sub'), { withFileTypes: true }),
    [fs.readFileSync(at('a.txt')), fs.readFileSync(pathToFileURL(at('a.txt')), 'utf8'), read, buffer.toString()],
    [fs.realpathSync(at('sub-link')), fs.realpathSync.native(at('sub-link')), fs.readlinkSync(at('link'))],
    [fs.existsSync(at('a.txt')), fs.existsSync(at('none')), names.toSorted(), fs.readFileSync(at('newer'), 'utf8')],
    [() => fs.statSync(at('none')), () => fs.readFileSync(drive), () => fs.mkdirSync(at('sub'))].map(failure),
  ]
  fs.rmSync(at('newer'))
  return result
}

it('file calls on a guarded mount have the same results as before', async () => {
  const before = everything()
  guard.update([drive])
  expect(everything()).toEqual(before)
  expect((await stat(at('a.txt'))).isFile()).toBe(true)
  expect((await readdir(drive)).length).toBe(4)
  expect(execFileSync('pwd', { cwd: at('sub') }).toString()).toContain('sub')
})

it('a mount that hangs is given up after the limit, then at once, until it answers again', async () => {
  fs.writeFileSync(marker, '')
  const took = (work: () => unknown): number => {
    const start = performance.now()
    expect(work).toThrow(SlowFolder)
    return performance.now() - start
  }
  const pending = readFile(at('a.txt'))
  expect(took(() => fs.readFileSync(at('a.txt')))).toBeGreaterThan(290)
  for (const work of [
    () => fs.existsSync(at('a.txt')),
    () => fs.readdirSync(path.join(near, 'away')),
    () => fs.renameSync(path.join(near, 'b.txt'), at('b.txt')),
    () => spawn('true', { cwd: drive }),
  ])
    expect(took(work)).toBeLessThan(100)
  await expect(pending).rejects.toBeInstanceOf(SlowFolder)
  await expect(stat(at('a.txt'))).rejects.toBeInstanceOf(SlowFolder)
  expect(guard.hanging).toEqual(new Set([drive]))
  expect(fs.readFileSync(path.join(near, 'b.txt'), 'utf8')).toBe('near')

  fs.rmSync(marker)
  await expect.poll(() => guard.hanging.size).toBe(0)
  expect(fs.readFileSync(at('a.txt'), 'utf8')).toBe('hello')
})

it('asynchronous work that is under way ends when the mount begins to hang', async () => {
  const thread = new FileThread({ mount: drive, limitMs: 300, script })
  const never = thread.run(() => new Promise(() => undefined))
  await thread.check()
  fs.writeFileSync(marker, '')
  await expect(never).rejects.toBeInstanceOf(SlowFolder)
  await expect(thread.check()).rejects.toBeInstanceOf(SlowFolder)
  fs.rmSync(marker)
  await expect.poll(() => thread.isHanging).toBe(false)
  expect(await thread.run(async () => 'again')).toBe('again')
  await thread.close()
})

it('the functions of node:fs are restored at the end', async () => {
  const wrapped = fs.statSync
  await guard.close()
  expect(fs.statSync).not.toBe(wrapped)
  expect(fs.readFileSync(at('a.txt'), 'utf8')).toBe('hello')
})
