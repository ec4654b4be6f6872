import { Session as Inspector, type Profiler } from 'node:inspector/promises'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { scriptedModel } from '@troupe/core/testing'
import { startServer, type Server } from '@troupe/server'

export const name = 'server source files run by one chat message with an approved Write'
export const bar = 'at most 90'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Counts the second such turn of a chat over HTTP, so that what is loaded or opened once is left out. */
export async function run() {
  const home = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
  let calls = 0
  const model = scriptedModel(() =>
    calls++ % 2 === 0
      ? [{ call: { name: 'Write', input: { file_path: path.join(home, `note-${calls}.txt`), content: 'a\n' } } }]
      : [{ text: 'done' }],
  )
  const server = await startServer({
    home,
    workspace: home,
    port: 0,
    probe: false,
    models: { 'bench/write': model },
  })
  const inspector = new Inspector()
  inspector.connect()
  try {
    await approvedWrite(server, 1)
    // The start checks exported files in the background. That is no part of a message.
    await delay(1000)
    await inspector.post('Profiler.enable')
    await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    await inspector.post('Profiler.takePreciseCoverage')
    await approvedWrite(server, 2)
    const { result } = await inspector.post('Profiler.takePreciseCoverage')
    const files = result.flatMap((script) => {
      const functions = functionsRun(script)
      const file = sourceFile(script.url)
      return file === undefined || functions.length === 0 ? [] : [{ file, functions }]
    })
    if (process.env['TROUPE_BENCH_LIST'] !== undefined)
      for (const { file, functions } of files) console.log(`${file}: ${functions.join(', ')}`)
    const functions = files.reduce((sum, each) => sum + each.functions.length, 0)
    return { value: `${files.length} files`, ok: files.length <= 90, detail: `${functions} named functions` }
  } finally {
    inspector.disconnect()
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
}

function sourceFile(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined
  const file = path.relative(root, fileURLToPath(url))
  return /^packages\/[^/]+\/src\/(?!testing\/)/.test(file) ? file : undefined
}

function functionsRun({ functions }: Profiler.ScriptCoverage): string[] {
  return functions.flatMap(({ functionName, ranges }) =>
    functionName !== '' && (ranges[0]?.count ?? 0) > 0 ? [functionName] : [],
  )
}

/** Sends a message, approves the Write it leads to, and waits for the end of the answer. */
async function approvedWrite(server: Server, turn: number): Promise<void> {
  const sessionId = 'notes'
  const post = async (url: string, body: unknown): Promise<Response> => {
    const response = await fetch(`http://127.0.0.1:${server.port}${url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${server.token}` },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${url}: ${await response.text()}`)
    return response
  }
  const message = { id: `message-${turn}`, role: 'user', parts: [{ type: 'text', text: 'Write a note.' }] }
  const stream = await post('/ai/chat', { sessionId, model: 'bench/write', message })
  const run = server.runs.get(sessionId)
  await stream.text()
  const [ask] = await server.store.asks.list({ sessionId, open: true })
  if (ask === undefined) throw new Error('the Write was not asked about')
  await post(`/ai/asks/${ask.id}`, { answer: { type: 'approve' } })
  const answer = await run?.done
  if (answer?.parts.at(-1)?.type !== 'text') throw new Error('the turn did not end with a text')
}
