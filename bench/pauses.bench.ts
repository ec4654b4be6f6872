import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { getTools, type Tool } from '@troupe/core'
import { longestPause, scriptedModel } from '@troupe/core/testing'
import { startServer, type Server } from '@troupe/server'
import { openTestWorkspace } from '../packages/core/src/testing/test-workspace.ts'
import { jsonOf, largeExports } from '../packages/server/src/testing/large-exports.ts'
import { makeZip } from '../packages/documents/src/testing/make-zip.ts'

export const name = 'longest pause of the event loop: 50,000 messages, 60,000 zip entries, 32 MiB of JSON, 50,000 lines'
export const bar = 'at most 100 ms of CPU time'

const count = 50_000

export async function run() {
  const home = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
  const server = await startServer({
    home,
    workspace: home,
    listen: false,
    probe: false,
    models: { 'bench/ok': scriptedModel(() => [{ text: 'ok' }], { record: false }) },
  })
  const pauses: [string, number][] = []
  const watch = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const { pauseMs } = await longestPause(work)
    pauses.push([what, pauseMs])
  }
  try {
    await watch('near-miss edit', nearMissEdit)
    for (const [program, make] of Object.entries(largeExports)) {
      const body = Buffer.from(jsonOf(make(count), count))
      await watch(`import from ${program}`, () => request(server, '/ai/sessions/import', body))
    }
    for (const format of ['md', 'html', 'json'])
      await watch(`export as ${format}`, () => request(server, `/ai/sessions/long/export?format=${format}`))
    await watch('search', () => request(server, '/ai/sessions?q=fox'))
    await watch('turn', () => request(server, '/ai/chat', Buffer.from(JSON.stringify(question))))
    const archive = zip()
    await watch('zip', () => request(server, '/ai/sessions/import', archive))
    const large = jsonBody()
    await watch('JSON body', () => request(server, '/ai/chat', large, 'POST', false))
  } finally {
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
  const longest = Math.max(...pauses.map(([, ms]) => ms))
  return {
    value: `${longest.toFixed(0)} ms`,
    ok: longest <= 100,
    detail: pauses.map(([what, ms]) => `${what} ${ms.toFixed(0)}`).join(', '),
  }
}

const question = {
  sessionId: 'long',
  model: 'bench/ok',
  message: { id: 'question', role: 'user', parts: [{ type: 'text', text: 'And now?' }] },
}

/** Reads the response in chunks, so that the client does not block the event loop itself. */
async function request(
  server: Server,
  target: string,
  body?: Buffer<ArrayBuffer>,
  method = body === undefined ? 'GET' : 'POST',
  mustSucceed = true,
): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await server.fetch(target, { method, headers, ...(body !== undefined && { body }) })
  let end = ''
  for await (const piece of response.body ?? []) end = (end + Buffer.from(piece).toString('latin1')).slice(-500)
  if (mustSucceed && (!response.ok || end.includes('"problems":[{'))) throw new Error(`${target}: ${end}`)
}

async function nearMissEdit(): Promise<void> {
  const place = openTestWorkspace()
  try {
    const [read, edit] = getTools(['Read', 'Edit']) as [Tool, Tool]
    place.put('f', Array.from({ length: 50_000 }, (_, n) => `line ${n} of the file says something`).join('\n'))
    await place.call(read, { file_path: 'f' })
    const old = Array.from({ length: 40 }, (_, n) => `line ${n + 30_000} of the file says nothing`).join('\n')
    await place.call(edit, { file_path: 'f', old_string: old, new_string: 'x' }).catch(() => undefined)
  } finally {
    place.close()
  }
}

function zip(): Buffer<ArrayBuffer> {
  const entries = Array.from({ length: 60_000 }, (_, i) => [`many/${i}.txt`, `note ${i}`])
  const chat = { uuid: 'zipped', name: 'Zipped', chat_messages: [{ sender: 'human', text: 'Hello' }] }
  return Buffer.from(makeZip({ ...Object.fromEntries(entries), 'conversations.json': JSON.stringify([chat]) }))
}

function jsonBody(): Buffer<ArrayBuffer> {
  const parts = Array.from({ length: 300_000 }, (_, i) => ({
    type: 'text',
    text: `part ${i} ${'of a large body '.repeat(4)}`,
  }))
  const message = { id: 'large', role: 'user', parts }
  return Buffer.from(JSON.stringify({ ...question, sessionId: 'large', message }).slice(0, 32 * 1024 * 1024))
}
