import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pacedModel, type PacedModel } from '@troupe/core/testing'

/** One measured server. A separate process, so that its CPU is its own. Controlled over IPC and HTTP. */
const [variant, deltas, pauseAfter] = process.argv.slice(2) as [keyof typeof variants, string, string | undefined]
const model = pacedModel({
  deltas: Number(deltas),
  ...(pauseAfter !== undefined && { pauseAfter: Number(pauseAfter) }),
})

const variants = { minimal, troupe, sdk }
const server = await variants[variant](model)
let before = process.cpuUsage()
let heapBefore = 0

process.on('disconnect', () => process.exit())
process.on('message', (message: string) => void answer(message))
process.send?.(server)

async function answer(message: string): Promise<void> {
  if (message === 'begin') {
    globalThis.gc?.()
    heapBefore = process.memoryUsage().heapUsed
    before = process.cpuUsage()
    process.send?.({})
  } else if (message === 'end') {
    const { user, system } = process.cpuUsage(before)
    process.send?.({ cpuMicros: user + system })
  } else if (message.startsWith('paused')) {
    await model.paused(Number(message.split(' ')[1]))
    // The journal writes within 250 ms. A stream is idle only after that.
    await new Promise((resolve) => setTimeout(resolve, 600))
    globalThis.gc?.()
    globalThis.gc?.()
    process.send?.({ heapBytes: process.memoryUsage().heapUsed - heapBefore })
  }
}

/** Baseline: a minimal handler that only forwards the bytes. */
async function minimal(source: PacedModel) {
  return listen(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const { stream } = await source.doStream({ prompt: [] })
    for await (const part of stream) {
      if (part.type === 'text-delta')
        response.write(`data: ${JSON.stringify({ type: 'text-delta', id: part.id, delta: part.delta })}\n\n`)
    }
    response.end('data: [DONE]\n\n')
  })
}

async function sdk(source: PacedModel) {
  const { ToolLoopAgent, pipeAgentUIStreamToResponse } = await import('ai')
  const agent = new ToolLoopAgent({ model: source })
  return listen(async (_request, response) => {
    await pipeAgentUIStreamToResponse({
      response,
      agent,
      uiMessages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
    })
  })
}

async function troupe(source: PacedModel) {
  const { startServer } = await import('@troupe/server')
  const home = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
  process.on('exit', () => rmSync(home, { recursive: true, force: true }))
  const started = await startServer({ home, workspace: home, port: 0, probe: false, models: { 'bench/paced': source } })
  return { port: started.port, token: started.token }
}

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<{ port: number; token: string }> {
  const http = createServer((request, response) => {
    request.resume()
    void handle(request, response)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return { port: (http.address() as AddressInfo).port, token: '' }
}
