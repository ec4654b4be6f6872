import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Message } from '@troupe/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readChat, shown, testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let home: string
let workspace: string
let server: TestServer | undefined
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'troupe-home-'))
  workspace = mkdtempSync(path.join(tmpdir(), 'troupe-workspace-'))
})
afterEach(async () => {
  await server?.close()
  for (const folder of [home, workspace]) rmSync(folder, { recursive: true, force: true })
})

async function start(): Promise<TestServer> {
  server = await testServer({ home, workspace, listen: true, port: 0 })
  server.script('ask', [[{ text: 'May I?' }, { call: { name: 'TestApproval', input: {} } }], [{ text: 'Thanks.' }]])
  server.script('long', [[{ text: 'half' }, { gate: 'long' }, { text: ' whole' }]])
  return server
}

describe('closing the server', () => {
  it('ends runs at a safe point: readers see the end, the message is marked, and nothing resumes', async () => {
    const first = await start()
    const reading = first.chat('s', userMessage('long', 'u1'))
    await first.model.reached('long')
    await first.close()
    const { types, message } = await reading
    expect(types.slice(-2)).toEqual(['abort', 'finish'])
    expect(message.metadata).toMatchObject({ interrupted: true })
    const second = await start()
    expect(second.runs.get('s')).toBeUndefined()
    expect(shown((await second.messages('s'))[1]!)).toEqual(message)
    expect((await second.chat('s', 'next')).message.parts.at(-1)).toMatchObject({ text: 'You said: next' })
  })

  it('keeps a waiting run: it waits after the start, with the same ids', async () => {
    const first = await start()
    const { message } = await first.chat('s', userMessage('ask', 'u1'))
    const followed = await first.request('/ai/chat/s/stream')
    await first.close()
    expect((await readChat(followed)).types).not.toContain('finish')
    const second = await start()
    await second.runs.get('s')!.settled()
    const { asks } = (await second.json<{ asks: { id: string }[] }>('/ai/asks')).body
    expect(asks).toHaveLength(1)
    expect(shown((await second.messages('s'))[1]!).parts).toEqual(message.parts)
    const answered = {
      ...message,
      parts: message.parts.map((part) =>
        'approval' in part
          ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
          : part,
      ),
    } as Message
    const tail = await readChat(await second.request('/ai/chat', { body: { id: 's', messages: [answered] } }))
    expect(tail.types).toContain('tool-output-available')
    expect(tail.types.at(-1)).toBe('finish')
    expect((await second.messages('s'))[1]?.parts.at(-1)).toMatchObject({ text: 'Thanks.' })
  })

  it('keeps the token, but not the one-time key', async () => {
    const first = await start()
    const key = new URL(first.newUrl()).hash.slice('#k='.length)
    await first.close()
    const second = await start()
    expect(await second.json('/ai/auth', { body: { key } })).toMatchObject({
      status: 401,
      body: { error: { name: 'WrongKey' } },
    })
    expect(second.token).toBe(first.token)
  })
})
