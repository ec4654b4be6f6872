import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Ask } from '@troupe/core'
import type { DiffDisplay } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shown, testServer, type TestServer } from '../testing/test-server.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'troupe-hunks-'))
const places = { home: path.join(folder, 'home'), workspace: path.join(folder, 'work') }
const file = (): string => path.join(places.workspace, 'a.txt')
const before = 'a\nb\nc\nd\n'
const change = [
  [{ call: { name: 'Read', input: { file_path: 'a.txt' } } }],
  [{ call: { name: 'Write', input: { file_path: 'a.txt', content: 'A\nb\nC\nd\n' }, id: 'w1' } }],
  [{ text: 'Done.' }],
]

let server: TestServer
const start = async (): Promise<void> => {
  server = await testServer(places)
  server.script('change', change)
}
beforeAll(start)
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

async function waiting(sessionId: string): Promise<{ ask: Ask; ids: string[] }> {
  writeFileSync(file(), before)
  await server.chat(sessionId, 'change')
  return openAsk(sessionId)
}

async function openAsk(sessionId: string): Promise<{ ask: Ask; ids: string[] }> {
  const [ask] = (await server.json<{ asks: Ask[] }>(`/ai/asks?sessionId=${sessionId}`)).body.asks
  return { ask: ask!, ids: ((ask?.content as DiffDisplay | undefined)?.hunks ?? []).map(({ id }) => id) }
}

async function answer(sessionId: string, { id }: Ask, given: object): Promise<number> {
  const ended = server.runs.get(sessionId)!.done
  const { status } = await server.json(`/ai/asks/${id}`, { body: { answer: { type: 'approve', ...given } } })
  if (status === 200) await ended
  return status
}

const lastCall = async (sessionId: string) =>
  shown((await server.messages(sessionId)).at(-1)!).parts.findLast((part) => 'toolCallId' in part)

describe('accepting some hunks', () => {
  it('writes only those, and stores what was rejected', async () => {
    const { ask, ids } = await waiting('some')
    expect(ids).toHaveLength(2)
    expect(await answer('some', ask, { hunks: [ids[1]], remark: 'Keep the first line.' })).toBe(200)
    expect(readFileSync(file(), 'utf8')).toBe('a\nb\nC\nd\n')
    expect(await lastCall('some')).toMatchObject({
      state: 'output-available',
      input: { content: 'A\nb\nC\nd\n' },
      toolMetadata: {
        troupe: {
          executedInput: { file_path: 'a.txt', content: 'a\nb\nC\nd\n' },
          modelText: expect.stringContaining('The user said: Keep the first line.') as string,
          partly: { accepted: 1, total: 2, rejected: '--- a.txt\n@@ -1,1 +1,1 @@\n-a\n+A' },
        },
      },
    })
    const exported = await (await server.request('/ai/sessions/some/export?format=md')).text()
    expect(exported).toContain('Accepted 1 of 2 changes. Rejected:')
  })

  it('survives a restart while waiting', async () => {
    const { ids } = await waiting('restarted')
    await server.close()
    await start()
    await expect.poll(async () => (await openAsk('restarted')).ask?.id).toBeDefined()
    const { ask } = await openAsk('restarted')
    expect(await answer('restarted', ask, { hunks: [ids[0]] })).toBe(200)
    expect(readFileSync(file(), 'utf8')).toBe('A\nb\nc\nd\n')
  })

  it('changes nothing if the file changed while it waited, or the hunks are not those shown', async () => {
    const { ask, ids } = await waiting('stale')
    writeFileSync(file(), 'a\nb\nc\nd\nmine\n')
    expect(await answer('stale', ask, { hunks: [ids[0]] })).toBe(200)
    expect(readFileSync(file(), 'utf8')).toBe('a\nb\nc\nd\nmine\n')
    expect(await lastCall('stale')).toMatchObject({
      state: 'output-denied',
      approval: { reason: expect.stringContaining('The user accepted only part of this change, but') as string },
    })
    const other = await waiting('invented')
    expect(await answer('invented', other.ask, { hunks: ['0123456789abcdef'] })).toBe(200)
    expect(readFileSync(file(), 'utf8')).toBe(before)
  })

  it('of none denies the call', async () => {
    const { ask } = await waiting('none')
    expect(await answer('none', ask, { hunks: [] })).toBe(200)
    expect(readFileSync(file(), 'utf8')).toBe(before)
    expect(await lastCall('none')).toMatchObject({ state: 'output-denied' })
  })

  it('is refused with an edited input or a rule to remember, and where there are no hunks', async () => {
    const { ask, ids } = await waiting('refused')
    expect(await answer('refused', ask, { hunks: ids, input: {} })).toBe(422)
    expect(await answer('refused', ask, { hunks: ids, remember: 'session' })).toBe(422)
    await server.json(`/ai/asks/${ask.id}`, { body: { answer: { type: 'deny' } } })
    server.script('ask', [[{ call: { name: 'TestApproval', input: { message: 'Go?' } } }], [{ text: 'Done.' }]])
    await server.chat('plain', 'ask')
    const [plain] = (await server.json<{ asks: Ask[] }>('/ai/asks?sessionId=plain')).body.asks
    expect(await answer('plain', plain!, { hunks: ids })).toBe(422)
  })
})
