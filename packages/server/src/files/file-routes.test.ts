import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FileContent, FileEvent, FolderEntry, SavedFile, TrashedEntry } from '@troupe/protocol'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
let folder: string
const made = mkdtempSync(path.join(tmpdir(), 'troupe-files-'))
const workspace = path.join(made, 'workspace')

beforeAll(async () => {
  mkdirSync(workspace)
  server = await testServer({ workspace })
})
afterAll(async () => {
  await server.close()
  rmSync(made, { recursive: true, force: true })
})

/** Each test gets its own folder. */
beforeEach((test) => {
  folder = `t${test.task.id.replaceAll(/\W/g, '')}`
  mkdirSync(path.join(workspace, folder))
})

const at = (name: string): string => path.join(workspace, folder, name)
const write = (name: string, text: string | Uint8Array = ''): void => {
  mkdirSync(path.dirname(at(name)), { recursive: true })
  writeFileSync(at(name), text)
}
const query = (values: Record<string, string>): string => new URLSearchParams(values).toString()
const list = async (name = '', more: Record<string, string> = {}) =>
  server.json<{ entries: FolderEntry[]; total: number }>(
    `/ai/files?${query({ path: path.posix.join(folder, name), ...more })}`,
  )
const names = async (name = ''): Promise<string[]> => (await list(name)).body.entries.map((entry) => entry.name)
const read = (name: string, more: Record<string, string> = {}) =>
  server.json<{ file: FileContent; error: { name: string } }>(
    `/ai/files/content?${query({ path: `${folder}/${name}`, ...more })}`,
  )
const save = (name: string, text: string, version: string | null, more: object = {}) =>
  server.json<{ file: SavedFile; error: { name: string; data: { current: FileContent | null } } }>(
    '/ai/files/content',
    { method: 'PUT', body: { path: `${folder}/${name}`, text, version, ...more } },
  )

it('lists one level, folders first, in natural order, with sizes and ignored entries', async () => {
  for (const name of ['b10.txt', 'b9.txt', 'B1.txt', 'zeta/deep.txt', '.git/HEAD', '.gitignore', 'out/x'])
    write(name, name === '.gitignore' ? 'out/\n*.log\n' : 'abc')
  write('a.log')
  const { body } = await list()
  expect(body).toEqual({
    path: folder,
    total: 7,
    entries: [
      { name: 'out', kind: 'folder', ignored: true },
      { name: 'zeta', kind: 'folder' },
      { name: '.gitignore', kind: 'file', size: 11 },
      { name: 'a.log', kind: 'file', size: 0, ignored: true },
      { name: 'B1.txt', kind: 'file', size: 3 },
      { name: 'b9.txt', kind: 'file', size: 3 },
      { name: 'b10.txt', kind: 'file', size: 3 },
    ],
  })
  expect((await list('', { offset: '5', limit: '1' })).body).toMatchObject({ entries: [{ name: 'b9.txt' }], total: 7 })
})

it('pages of a large folder fit together, also the first one, which is picked without sorting', async () => {
  for (let i = 0; i < 900; i++) writeFileSync(at(`f${(i * 7) % 900}`), '')
  const first = await list('', { limit: '100' })
  const rest = await list('', { offset: '100', limit: '20000' })
  const all = [...first.body.entries, ...rest.body.entries].map(({ name }) => name)
  expect(all).toEqual(Array.from({ length: 900 }, (_, index) => `f${index}`))
})

it('takes every name that the file system takes', async () => {
  const odd = ['-rf', 'a\nb.txt', '\u202Egpj.exe', '😀.md', 'עברית.txt', '~', ' ', "it's $(x)", 'x'.repeat(255)]
  for (const name of odd)
    expect((await server.json('/ai/files', { body: { path: `${folder}/${name}`, kind: 'file' } })).status).toBe(201)
  expect((await names()).toSorted()).toEqual(odd.toSorted())
  for (const name of odd) {
    const { body } = await read(name)
    expect((await save(name, 'new', body.file.version ?? null)).status).toBe(200)
    const got = await server.request(`/ai/files/download?${query({ path: `${folder}/${name}` })}`)
    expect(got.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''[\w.%~!-]+$/)
    expect(await got.text()).toBe('new')
    expect((await server.json(`/ai/files?${query({ path: `${folder}/${name}` })}`, { method: 'DELETE' })).status).toBe(
      200,
    )
  }
  expect(await names()).toEqual([])
  const long = await server.json('/ai/files', { body: { path: `${folder}/${'é'.repeat(128)}`, kind: 'file' } })
  expect(long).toMatchObject({ status: 400, body: { error: { name: 'BadFileName' } } })
})

it('never leaves the folder, by no spelling and by no link', async () => {
  writeFileSync(path.join(made, 'outside.txt'), 'secret')
  symlinkSync(made, at('up'))
  symlinkSync('/etc/hostname', at('host'))
  symlinkSync('loop', at('loop'))
  symlinkSync('nowhere', at('dangling'))
  write('in/file.txt', 'x')
  symlinkSync('in', at('alias'))
  expect((await list()).body.entries).toEqual([
    { name: 'in', kind: 'folder' },
    { name: 'alias', kind: 'link', target: 'folder' },
    { name: 'dangling', kind: 'link', target: 'missing' },
    { name: 'host', kind: 'link', target: 'outside' },
    { name: 'loop', kind: 'link', target: 'missing' },
    { name: 'up', kind: 'link', target: 'outside' },
  ])
  for (const name of ['up/outside.txt', 'host', 'loop', '../../outside.txt', '../../../etc/passwd']) {
    expect((await read(name)).status).toBeOneOf([403, 404])
    expect((await save(name, 'x', null)).status).toBe(403)
    expect((await server.json('/ai/files', { body: { path: `${folder}/${name}/new`, kind: 'file' } })).status).toBe(403)
  }
  for (const given of ['/etc/passwd', 'a\0b', '..', `${folder}/../..`])
    expect((await server.json(`/ai/files/content?${query({ path: given })}`)).status).toBe(403)
  const moved = await server.json('/ai/files/move', { body: { from: `${folder}/in`, to: `${folder}/up/in` } })
  expect(moved.status).toBe(403)
  expect((await read('alias/file.txt')).body.file.text).toBe('x')
  // A link is deleted itself, never what it leads to.
  expect((await server.json(`/ai/files?${query({ path: `${folder}/up` })}`, { method: 'DELETE' })).status).toBe(200)
  expect(readFileSync(path.join(made, 'outside.txt'), 'utf8')).toBe('secret')
})

it('lists pipes and sockets, and opens none of them', async () => {
  execFileSync('mkfifo', [at('pipe')])
  const socket = createServer().listen(at('socket'))
  await new Promise((resolve) => socket.once('listening', resolve))
  expect((await list()).body.entries.map(({ kind }) => kind)).toEqual(['other', 'other'])
  for (const name of ['pipe', 'socket']) {
    expect((await read(name)).status).toBe(403)
    expect((await server.request(`/ai/files/download?${query({ path: `${folder}/${name}` })}`)).status).toBe(403)
    expect((await save(name, 'x', null)).status).toBe(403)
  }
  socket.close()
})

it('saves only over the version that was read, and answers a conflict with the current text', async () => {
  write('a.txt', 'one\n')
  const { version = '' } = (await read('a.txt')).body.file
  const saved = await save('a.txt', 'two\n', version)
  expect(saved).toMatchObject({ status: 200, body: { file: { size: 4 } } })
  const late = await save('a.txt', 'three\n', version)
  expect(late).toMatchObject({
    status: 409,
    body: { error: { name: 'FileChanged', data: { current: { text: 'two\n', version: saved.body.file.version } } } },
  })
  // Two windows at once: one of them wins.
  const both = await Promise.all(['x', 'y'].map((text) => save('a.txt', text, saved.body.file.version)))
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  rmSync(at('a.txt'))
  expect((await save('a.txt', 'z', version)).body.error.data).toEqual({ current: null })
  expect((await save('a.txt', 'z', null)).status).toBe(200)
  expect((await save('a.txt', 'z', null)).status).toBe(409)
})

it('keeps encodings, and refuses what one cannot hold', async () => {
  write('latin.txt', Buffer.from('caf\xe9 na\xefve\n', 'latin1'))
  const { file } = (await read('latin.txt')).body
  expect(file).toMatchObject({ text: 'café naïve\n', encoding: 'latin1', bom: false })
  const { encoding, bom, version = '' } = file
  expect((await save('latin.txt', '日本', version, { encoding, bom })).body.error.name).toBe('CannotEncode')
  await save('latin.txt', 'été\n', version, { encoding, bom })
  expect(readFileSync(at('latin.txt'))).toEqual(Buffer.from('\xe9t\xe9\n', 'latin1'))
  write('wide.txt', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('hi', 'utf16le')]))
  expect((await read('wide.txt')).body.file).toMatchObject({ text: 'hi', encoding: 'utf-16le', bom: true })
})

it('bounds what it reads: secrets ask first, binaries and pictures have no text, long texts are cut', async () => {
  write('.env', 'KEY=1')
  expect((await read('.env')).body.error.name).toBe('SecretFile')
  expect((await read('.env', { secret: '1' })).body.file.text).toBe('KEY=1')
  write('a.bin', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]))
  expect((await read('a.bin')).body.file).toMatchObject({ kind: 'binary', about: 'an ELF program or library' })
  write('a.png', 'not even a picture')
  expect((await read('a.png')).body.file.kind).toBe('image')
  write('line.json', 'x'.repeat(5 * 2 ** 20))
  expect((await read('line.json')).body.file).toMatchObject({ size: 5 * 2 ** 20, version: expect.any(String) })
  write('long.txt', 'y'.repeat(9 * 2 ** 20))
  const long = (await read('long.txt')).body.file
  expect(long).toMatchObject({ isCut: true, size: 9 * 2 ** 20 })
  expect([long.text?.length, long.version]).toEqual([2 ** 20, undefined])
  write('fixed.txt', 'x')
  chmodSync(at('fixed.txt'), 0o444)
  const fixed = (await read('fixed.txt')).body.file
  expect(fixed.isReadOnly).toBe(true)
  expect((await save('fixed.txt', 'y', fixed.version ?? '')).body.error.name).toBe('FileReadOnly')
})

it('renames and moves without ever replacing', async () => {
  write('a.txt', 'a')
  write('b.txt', 'b')
  write('dir/c.txt', 'c')
  const move = (from: string, to: string) =>
    server.json<{ error: { name: string } }>('/ai/files/move', {
      body: { from: `${folder}/${from}`, to: `${folder}/${to}` },
    })
  expect((await move('a.txt', 'b.txt')).body.error.name).toBe('FileExists')
  expect((await move('dir', 'dir/inside')).body.error.name).toBe('MoveIntoItself')
  expect((await move('none', 'x')).body.error.name).toBe('FileNotFound')
  expect((await move('a.txt', 'new/deep/a.txt')).status).toBe(200)
  expect((await move('dir', 'new/dir')).status).toBe(200)
  expect((await move('b.txt', 'B.txt')).status).toBe(200)
  expect(readFileSync(at('new/deep/a.txt'), 'utf8')).toBe('a')
  expect(readFileSync(at('new/dir/c.txt'), 'utf8')).toBe('c')
  expect(await names()).toEqual(['new', 'B.txt'])
})

it('deletes to a trash from which everything comes back', async () => {
  write('dir/a.txt', 'a')
  symlinkSync('a.txt', at('dir/link'))
  const gone = await server.json<{ trashed: TrashedEntry }>(`/ai/files?${query({ path: `${folder}/dir` })}`, {
    method: 'DELETE',
  })
  expect(gone.body.trashed).toMatchObject({ path: `${folder}/dir`, kind: 'folder' })
  expect(existsSync(at('dir'))).toBe(false)
  const { id } = gone.body.trashed
  const trash = async () => (await server.json<{ trashed: TrashedEntry[] }>('/ai/files/trash')).body.trashed
  expect(await trash()).toContainEqual(gone.body.trashed)
  mkdirSync(at('dir'))
  expect((await server.json(`/ai/files/trash/${id}/restore`, { method: 'POST' })).status).toBe(409)
  rmSync(at('dir'), { recursive: true })
  expect((await server.json(`/ai/files/trash/${id}/restore`, { method: 'POST' })).status).toBe(200)
  expect([readFileSync(at('dir/a.txt'), 'utf8'), lstatSync(at('dir/link')).isSymbolicLink()]).toEqual(['a', true])
  expect((await server.json(`/ai/files/trash/${id}/restore`, { method: 'POST' })).status).toBe(404)
  expect((await server.json(`/ai/files?path=`, { method: 'DELETE' })).status).toBe(403)
  await server.json(`/ai/files?${query({ path: `${folder}/dir`, forever: '1' })}`, { method: 'DELETE' })
  expect(await names()).toEqual([])
  await server.json('/ai/files/trash', { method: 'DELETE' })
  expect(await trash()).toEqual([])
})

it('stores uploads whole or not at all', async () => {
  const upload = (name: string, bytes: Uint8Array, more: Record<string, string> = {}) =>
    server.json(`/ai/files/upload?${query({ path: `${folder}/${name}`, ...more })}`, { method: 'POST', body: bytes })
  const bytes = Buffer.alloc(300_000, 7)
  expect(await upload('in/x.bin', bytes)).toEqual({ status: 201, body: { path: `${folder}/in/x.bin`, size: 300_000 } })
  expect((await upload('in/x.bin', Buffer.from('other'))).status).toBe(409)
  expect(readFileSync(at('in/x.bin'))).toEqual(bytes)
  expect((await upload('in/x.bin', Buffer.from('other'), { replace: '1' })).status).toBe(201)
  expect(await names('in')).toEqual(['x.bin'])
})

it('finds files of the whole tree by a few letters, without the ignored', async () => {
  write('.gitignore', 'dist/')
  write('src/panels/panel-view.tsx')
  write('dist/panel-view.js')
  const search = (q: string) =>
    server.json<{ matches: { path: string; kind: string }[] }>(`/ai/files/search?${query({ q })}`)
  await expect
    .poll(async () => (await search(`${folder}/src/pview`)).body.matches)
    .toEqual([{ path: `${folder}/src/panels/panel-view.tsx`, kind: 'file' }])
  expect((await search(`${folder}/panel-view`)).body.matches).toHaveLength(1)
})

it('tells pages which watched folders changed, and stops with the page', async () => {
  write('seen/a.txt')
  const stop = new AbortController()
  const stream = await server.request('/ai/files/events', { signal: stop.signal })
  const events = readStream(stream)
  const first = await events.next()
  expect(first).toMatchObject({ type: 'open' })
  const { id } = first as { id: string }
  const watch = (folders: string[]) => server.json(`/ai/files/events/${id}`, { body: { folders } })
  expect((await watch([`${folder}/seen`, `${folder}/none`])).body).toEqual({ watched: 1 })
  write('seen/b.txt', 'new')
  expect(await events.next()).toEqual({ type: 'changed', folders: [{ path: `${folder}/seen`, names: ['b.txt'] }] })
  for (let i = 0; i < 300; i++) writeFileSync(at(`seen/n${i}`), '')
  await expect
    .poll(async () => ((await events.next()) as { folders: { names?: string[] }[] }).folders[0]?.names)
    .toBeUndefined()
  await events.cancel()
  stop.abort()
  await expect.poll(async () => (await watch([])).status).toBe(404)
})

/** Reads one event at a time. */
function readStream(response: Response): { next(): Promise<FileEvent>; cancel(): Promise<void> } {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  return {
    async next() {
      for (;;) {
        const end = rest.indexOf('\n\n')
        if (end >= 0) {
          const text = rest.slice(0, end)
          rest = rest.slice(end + 2)
          if (text.startsWith('data: ')) return JSON.parse(text.slice(6)) as FileEvent
          continue
        }
        const { value, done } = await reader.read()
        if (done) throw new Error('the stream ended')
        rest += value
      }
    },
    cancel: () => reader.cancel(),
  }
}
