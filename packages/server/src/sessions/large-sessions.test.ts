import { longestPause, pauseLimitMs } from '@troupe/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { full } from '../../../protocol/testing/test-effort.ts'
import { jsonOf, largeExports } from '../testing/large-exports.ts'
import { makeZip } from '../../../documents/src/testing/make-zip.ts'
import { testServer, type TestServer } from '../testing/test-server.ts'

/** Large enough that quadratic or blocking work exceeds the time limit. */
const count = 3000

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

/** Sends a request and reads its whole response. Nothing may block the event loop. */
async function unhurried(target: string, options?: Parameters<TestServer['request']>[1]): Promise<string> {
  const { result, pauseMs } = await longestPause(async () => {
    const response = await server.request(target, options)
    expect(response.ok ? '' : `${target}: ${response.status}`).toBe('')
    return response.text()
  })
  expect({ target, isShort: pauseMs < pauseLimitMs }).toEqual({ target, isShort: true })
  return result
}

async function importBytes(body: Buffer): Promise<{ sessions: { added: number }[]; problems: unknown[] }> {
  const lines = (await unhurried('/ai/sessions/import', { method: 'POST', body })).trim().split('\n')
  return (JSON.parse(lines.at(-1)!) as { report: Awaited<ReturnType<typeof importBytes>> }).report
}

describe('a long conversation', () => {
  for (const [program, make] of Object.entries(largeExports))
    it(`of ${program} is imported without a pause`, async () => {
      // The others are flat lists of messages, too.
      const length = full || ['ChatGPT', 'LibreChat', 'Troupe'].includes(program) ? count : count / 10
      const body = Buffer.from(jsonOf(make(length), length))
      expect(await importBytes(body)).toMatchObject({ sessions: [{ added: length }], problems: [] })
    })

  it('is exported, opened, searched and viewed without a pause', async () => {
    const at = '/ai/sessions/long'
    expect(await unhurried(`${at}/export?format=md`)).toContain(`Message ${count - 1} says`)
    expect(await unhurried(`${at}/export?format=html`)).toContain(`Message ${count - 1} says`)
    const exported = JSON.parse(await unhurried(`${at}/export?format=json`)) as { messages: unknown[] }
    expect(exported.messages).toHaveLength(count)
    const { page } = JSON.parse(await unhurried(`${at}/messages?limit=50`)) as { page: { before: string } }
    await unhurried(`${at}/messages?limit=50&before=${page.before}`)
    await unhurried(`${at}/tree`)
    await unhurried(`${at}/matches?text=fox`)
    await unhurried('/ai/sessions?q=fox')
    await unhurried('/ai/debug/long')
    await unhurried(`${at}/context`)
  })

  it('runs a turn without a pause', async () => {
    const { result, pauseMs } = await longestPause(() => server.chat('long', 'And now?'))
    expect(result.types).toContain('finish')
    expect(pauseMs).toBeLessThan(pauseLimitMs)
  })

  it('is forked, cut, restored and deleted without a pause', async () => {
    const at = '/ai/sessions/long'
    const leaf = `m${count - 1}`
    const { session } = JSON.parse(await unhurried(`${at}/fork`, { body: { messageId: leaf } })) as {
      session: { id: string; messageCount: number }
    }
    expect(session.messageCount).toBe(count)
    const removed = JSON.parse(await unhurried(`${at}/messages/m2`, { method: 'DELETE' })) as { removalId: string }
    await unhurried(`${at}/removals/${removed.removalId}/undo`, { method: 'POST', body: {} })
    expect(await server.json(at)).toMatchObject({ body: { session: { messageCount: count + 2 } } })
    await unhurried(at, { method: 'DELETE' })
    expect(await server.json(at)).toMatchObject({ status: 404 })
  }, 90_000)
})

it('a message of 8 MB is exported without a pause', async () => {
  const text = 'Some **words** & a line.\n'.repeat(330_000)
  const messages = [{ id: 'm', parentMessageId: null, role: 'user', parts: [{ type: 'text', text }], createdAt: 1 }]
  const given = { format: 'troupe-session', version: 1, session: { id: 'large', title: 'Large' }, messages }
  expect(await importBytes(Buffer.from(JSON.stringify(given)))).toMatchObject({ sessions: [{ added: 1 }] })
  for (const format of ['md', 'html', 'json'])
    expect((await unhurried(`/ai/sessions/large/export?format=${format}`)).length).toBeGreaterThan(text.length)
})

it('a zip of many small entries is imported without a pause', async () => {
  const entries = Array.from({ length: 300 }, (_, i) => [
    `many/${i}.json`,
    JSON.stringify({ uuid: `many-${i}`, name: `Chat ${i}`, chat_messages: [{ sender: 'human', text: `Hello ${i}` }] }),
  ])
  const { sessions, problems } = await importBytes(makeZip(Object.fromEntries(entries) as Record<string, string>))
  expect(sessions).toHaveLength(300)
  expect(problems).toEqual([])
})
