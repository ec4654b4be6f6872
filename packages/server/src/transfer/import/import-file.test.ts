import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FileImportReport, Part } from '@troupe/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBlobFiles } from '../../blobs/blob-files.ts'
import { openSqliteStore, type SqliteStore } from '../../stores/sqlite.ts'
import { makeZip } from '../../../../documents/src/testing/make-zip.ts'
import { importFile } from './import-file.ts'

const fixture = (name: string): string => path.join(import.meta.dirname, 'fixtures', name)
const png = Buffer.from('iVBORw0KGgo=', 'base64')

let home: string
let store: SqliteStore
let workspaceId: string
beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'troupe-imports-'))
  store = await openSqliteStore({ home })
  workspaceId = (await store.workspaces.open('/tmp/one')).id
})
afterEach(async () => {
  await store.close()
  rmSync(home, { recursive: true })
})

const take = (file: string): Promise<FileImportReport> =>
  importFile(file, { store, blobs: createBlobFiles(path.join(home, 'blobs')), workspaceId })
function write(name: string, content: string | Buffer): string {
  const file = path.join(home, name)
  writeFileSync(file, content)
  return file
}

/** Formats the tree as lines: `id < parent role: parts`. */
async function tree(sessionId: string): Promise<string[]> {
  const { messages } = await store.messages.page({ sessionId }, { limit: 1000 })
  return messages.map(
    ({ id, parentMessageId, role, parts }) =>
      `${id} < ${parentMessageId ?? '-'} ${role}: ${parts
        .map(shown)
        .filter((piece) => piece !== '')
        .join(' | ')}`,
  )
}
function shown(part: Part): string {
  if (part.type === 'text') return part.text
  if (part.type === 'reasoning') return `(${part.text.replaceAll(/\s+/g, ' ')})`
  if (part.type === 'dynamic-tool')
    return `${part.toolName}${JSON.stringify(part.input)} = ${part.state === 'output-error' ? `! ${part.errorText}` : String(part.output)}`
  if (part.type === 'file') return `[${part.filename} ${part.mediaType}]`
  if (part.type === 'data-mention')
    return `[${Object.values(part.data as object)
      .slice(1)
      .join(': ')}]`
  if (part.type === 'source-url') return `{${part.title} ${part.url}}`
  return ''
}

const expected: Record<string, { sessions: Record<string, string[]>; problems: string[]; first: object }> = {
  'chatgpt.json': {
    first: { title: 'Sour dough', archived: true, renamed: true, createdAt: 1717236000250, updatedAt: 1717239600500 },
    sessions: {
      'chatgpt-66a1b2c3-0001-4000-8000-00000000aaaa': [
        'n3 < - user: [loaf.png is not in the export.] | [A file is not in the export.] | Why is my loaf so flat? <b>40</b> % water',
        'n8 < n3 assistant: Another answer: proof it longer.',
        'n4 < n3 assistant: (Weighing The dough is dry.) | python{"code":"print(500 * 0.4)"} = 200.0 | Take more water. See Altamura. | {Hydration https://bread.example/water}',
        'n9 < n4 user: 谢谢！ Thanks',
      ],
      'chatgpt-66a1b2c3-0002-4000-8000-00000000bbbb': ['a < - user: Round and round', 'b < - assistant: we go'],
    },
    problems: ['entry 2 (No id at all): not imported: it has no id', 'entry 3: it is not a supported chat format'],
  },
  'claude.json': {
    first: { title: 'Bike repair', createdAt: Date.UTC(2025, 2, 1, 9) },
    sessions: {
      'claude-0f0e0d0c-1111-4222-8333-444455556666': [
        'm1 < - user: My chain slips | [parts.csv: part,worn\nchain,yes] | [photo.jpg is not in the export.]',
        'm2 < m1 assistant: (Worn chain.) | Let me look. | web_search{"query":"chain wear"} = 0.75 % | repl{"code":"1/0"} = ! boom | Change it.',
        'm3 < m1 assistant: Change it soon.',
      ],
      'claude-0f0e0d0c-2222-4222-8333-444455556666': ['x1 < - user: An older export', 'x2 < x1 assistant: in a row'],
    },
    problems: ['entry 3 (Empty): not imported: it has no messages'],
  },
  'librechat-recursive.json': {
    first: { title: 'Star signs', createdAt: Date.UTC(2024, 10, 2, 12) },
    sessions: {
      'librechat-5e5e5e5e-0000-4000-8000-121212121212': [
        'l1 < - user: Which star is that?',
        'l3 < l1 assistant: (Ask the chart.) | sky{"at":"west"} = Arcturus | Arcturus.',
        'l2 < l1 assistant: (Bright and low.) | Vega.',
        'l4 < l2 user: How far?',
      ],
    },
    problems: [],
  },
  'librechat-flat.json': {
    first: { title: 'Flat' },
    sessions: {
      'librechat-6f6f6f6f-0000-4000-8000-121212121212': [
        'f1 < - user: One',
        'f2 < f1 assistant: Two',
        'f3 < f1 assistant: Two again',
        'f4 < - user: Lost',
      ],
    },
    problems: [],
  },
  'open-webui.json': {
    first: { title: 'Tea', pinned: true, createdAt: 1735689600000, updatedAt: 1735689720000 },
    sessions: {
      'openwebui-77777777-aaaa-4bbb-8ccc-dddddddddddd': [
        'w1 < - user: How hot for green tea? | [file image/png] | [teas.txt: sencha 70]',
        'w2 < w1 assistant: (Green & delicate. Not boiling.) | kettle{"celsius":70} = warm | 70 °C. <details><summary>Why</summary>Bitter.</details> | {Tea book https://tea.example/green}',
        'w4 < w2 user: Thanks',
      ],
    },
    problems: [],
  },
}

describe('importing a file', () => {
  for (const [name, { sessions, problems, first }] of Object.entries(expected)) {
    it(`reads ${name} as a tree with all its branches, and recognizes it again`, async () => {
      const report = await take(fixture(name))
      expect(report.problems.map(({ where, message }) => `${where}: ${message}`)).toEqual(problems)
      expect(report.sessions.map(({ sessionId, state }) => [sessionId, state])).toEqual(
        Object.keys(sessions).map((id) => [id, 'added']),
      )
      for (const [id, lines] of Object.entries(sessions)) {
        expect(await tree(id)).toEqual(lines)
        expect(lines.at(-1)).toMatch(new RegExp(`^${(await store.messages.branch({ sessionId: id })).leafMessageId} `))
      }
      expect(await store.sessions.get(Object.keys(sessions)[0]!)).toMatchObject(first)
      const again = await take(fixture(name))
      expect(again.sessions.map(({ state, added, conflicts }) => ({ state, added, conflicts }))).toEqual(
        Object.keys(sessions).map(() => ({ state: 'known', added: 0, conflicts: 0 })),
      )
    })
  }

  it('detects a zip by its contents, imports its images, and ignores other files', async () => {
    const zip = write(
      'export.zip',
      makeZip({
        'out/anything.json': readFileSync(fixture('chatgpt.json')),
        'out/user.json': '{"id":"user-1","email":"me@example.org"}',
        'out/message_feedback.json': '[{"id":"x","rating":"thumbs_up"}]',
        'out/file-Loaf01-photo.png': png,
        'out/chat.html': '<html></html>',
        'out/conversations/one.json': JSON.stringify(
          (JSON.parse(readFileSync(fixture('chatgpt.json'), 'utf8')) as object[])[0],
        ),
      }),
    )
    const report = await take(zip)
    expect(report.sessions).toHaveLength(2)
    expect(report.problems.map(({ where }) => where)).toEqual([
      'out/anything.json, entry 2 (No id at all)',
      'out/anything.json, entry 3',
    ])
    const [first] = await tree(report.sessions[0]!.sessionId)
    expect(first).toContain('[loaf.png image/png]')
    expect(first).not.toContain('loaf.png is not')
  })

  it('reads zipped folders of sessions, and unpacks nothing else', async () => {
    const line = (id: string, parent: string | null): string =>
      `${JSON.stringify({ id, parentMessageId: parent, role: 'user', parts: [{ type: 'text', text: id }], createdAt: 1 })}\n`
    const zip = makeZip({
      'sessions/one/session.json': JSON.stringify({ id: 'one', title: 'One', folder: ['Kept'] }),
      'sessions/one/messages.jsonl': line('u1', null) + line('u2', 'u1'),
      'sessions/one/agents/g1/messages.jsonl': line('t', null),
      'sessions/one/agents/g1/session.json': '{"name":"explore"}',
      'sessions/../../evil/messages.jsonl': line('x', null),
      'sessions/one/output/secret.txt': 'x',
    })
    const report = await take(write('sessions.zip', zip))
    expect(report.problems.filter(({ where }) => !where.startsWith('evil'))).toEqual([])
    expect(report.sessions.find(({ sessionId }) => sessionId === 'one')).toMatchObject({ state: 'added', added: 3 })
    expect(await tree('one')).toEqual(['u1 < - user: u1', 'u2 < u1 user: u2'])
    expect(await store.folders.list(workspaceId)).toMatchObject([{ name: 'Kept', sessionCount: 1 }])
  })

  it('adds new messages of a later export, and keeps messages written here', async () => {
    const [before, after] = [chat(3), chat(5)].map((value) => JSON.stringify(value))
    await take(write('before.json', before!))
    const sessionId = 'claude-grown'
    await store.messages.add(
      { sessionId },
      {
        id: 'mine',
        parentMessageId: 'm2',
        role: 'user',
        parts: [{ type: 'text', text: 'said here' }],
        createdAt: 5,
      },
    )
    expect((await take(write('after.json', after!))).sessions).toMatchObject([
      { state: 'grown', added: 2, conflicts: 0 },
    ])
    expect((await tree(sessionId)).map((line) => line.split(' ')[0])).toEqual(['m0', 'm1', 'm2', 'mine', 'm3', 'm4'])
  })

  const chat = (count: number): object => ({
    uuid: 'grown',
    name: 'Grown',
    created_at: '2025-01-01T00:00:00Z',
    chat_messages: Array.from({ length: count }, (_, i) => ({
      uuid: `m${i}`,
      text: `text ${i}`,
      sender: i % 2 === 0 ? 'human' : 'assistant',
    })),
  })

  const refused: Record<string, [string | Buffer, string]> = {
    'an empty file': ['', 'neither JSON nor a zip'],
    'some text': ['hello', 'neither JSON nor a zip'],
    'other JSON': ['{"a":1}', 'no chats found'],
    'a list of others': ['[1, "two", {"three": []}]', 'no chats found'],
    'a torn zip': [makeZip({ 'a.json': '[]' }).subarray(0, 40), 'zip is damaged'],
    'a zip of others': [makeZip({ 'a.json': '{"b":1}' }), 'no chats found'],
    'a zip whose bytes are others': [
      makeZip({ 'a.json': JSON.stringify(chat(3)) }, { crc: 1 }),
      'does not match its entry',
    ],
    'a zip that grows without end': [makeZip({ 'a.json': Buffer.alloc(4 << 20, 0x20) }), 'times its size'],
  }
  for (const [name, [content, message]] of Object.entries(refused)) {
    it(`rejects ${name} and changes nothing`, async () => {
      await expect(take(write('file', content))).rejects.toThrow(message)
      expect((await store.sessions.list({ workspaceId })).sessions).toEqual([])
    })
  }

  it('imports the complete part of a truncated file, and reports it', async () => {
    const json = JSON.stringify([chat(3), { ...chat(3), uuid: 'cut' }])
    const report = await take(write('cut.json', json.slice(0, -20)))
    expect(report.sessions.map(({ sessionId }) => sessionId)).toEqual(['claude-grown'])
    expect(report.problems).toEqual([{ where: 'entry 2', message: 'the file ends in the middle of it' }])
  })

  const ours = (more: object, messages: object[] = []): string =>
    JSON.stringify({ format: 'troupe-session', version: 1, session: { id: 's', title: 'x', ...more }, messages })
  const said = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'hi' }], createdAt: 1 }

  it.each([1e17, -1e300, 8.64e15 + 1])(
    'an invalid time (%d) is not stored, because it could not be read again',
    async (time) => {
      expect(await take(write('s.json', ours({ createdAt: time })))).toMatchObject({ sessions: [] })
      expect(await take(write('u.json', ours({ updatedAt: time })))).toMatchObject({ sessions: [] })
      const { problems } = await take(write('m.json', ours({}, [said, { ...said, id: 'n', createdAt: time }])))
      expect(problems).toMatchObject([{ message: 'message n: createdAt: it is not a valid time' }])
      const node = { message: { author: { role: 'user' }, create_time: time, content: { parts: ['hi'] } } }
      const theirs = { id: 'c', create_time: time, update_time: time, mapping: { a: node } }
      expect(await take(write('c.json', JSON.stringify([theirs])))).toMatchObject({ problems: [] })
      const { sessions } = await store.sessions.list({ workspaceId })
      expect(sessions.map(({ id }) => id).toSorted()).toEqual(['chatgpt-c', 's'])
      expect(sessions.every(({ createdAt, updatedAt }) => createdAt < 8.64e15 && updatedAt < 8.64e15)).toBe(true)
    },
  )

  it('invalid parts and metadata are dropped, and no file is downloaded', async () => {
    const parts = [
      { type: 'text' },
      { type: 'tool-Bash', toolCallId: 5, state: 'output-available' },
      { type: 'dynamic-tool', toolCallId: 'a', state: 'output-error' },
      { type: 'data-command', data: null },
      { type: 'file', mediaType: 'image/png', url: 'http://127.0.0.1/x.png' },
      {
        type: 'steering-message',
        id: 'i',
        parts: [{ type: 'file', mediaType: 'image/png', url: 'https://a.example/' }],
      },
      { type: 'data-own', data: null },
    ]
    const odd = { error: null, usage: null, subAgents: 7, model: 5 }
    const answer = { ...said, role: 'assistant', parts, metadata: { ...odd, own: 1 } }
    await take(write('s.json', ours({}, [answer])))
    const stored = await store.messages.get({ sessionId: 's' }, 'm')
    const lost = (what: string) => ({ type: 'text', text: `[${what} is not in the export.]` })
    expect(stored?.parts).toEqual([
      ...['text', 'tool-Bash', 'dynamic-tool', 'data-command'].map((kind) => lost(`A part of type "${kind}"`)),
      lost('A file'),
      { type: 'steering-message', id: 'i', parts: [lost('A file')] },
      { type: 'data-own', data: null },
    ])
    expect(stored?.metadata).toEqual({ own: 1 })
  })

  it('zipped folders contain no open asks, and reveal nothing of sessions in other workspaces', async () => {
    const other = (await store.workspaces.open('/tmp/two')).id
    await store.sessions.create({ id: 'theirs', workspaceId: other, title: 'Confidential' })
    const ask = { id: 'k', kind: 'approval', runId: 'r', toolCallId: 'c', toolName: 'Bash', title: 'Fine', input: {} }
    const line = JSON.stringify({ ...ask, content: '', remember: ['Bash'], createdAt: 7, closedAt: null })
    const zip = makeZip({
      'own/messages.jsonl': JSON.stringify(said),
      'own/asks.jsonl': line,
      'theirs/messages.jsonl': JSON.stringify(said),
    })
    const report = await take(write('folders.zip', zip))
    expect(report.sessions).toMatchObject([{ sessionId: 'own', state: 'added' }])
    expect(JSON.stringify(report)).not.toContain('Confidential')
    expect(report.problems).toContainEqual({
      where: 'theirs',
      message: 'not imported: it already exists in another workspace',
    })
    expect(await store.asks.list({ sessionId: 'own' })).toMatchObject([{ id: 'k', closedAt: 7 }])
    expect(await store.asks.list({ open: true })).toEqual([])
  })
})
