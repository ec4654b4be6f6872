import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { reply } from './measure.ts'

export interface Figures {
  files: number
  processes: number
  heap: number
  rss: number
  /** Bytes of the write-ahead log. */
  journal: number
}

export interface SoakProcess {
  figures(): Promise<Figures>
  /** Sends a message and reads the answer to its end. Throws if a tool call failed. */
  turn(sessionId: string, model: string): Promise<void>
  /** Does the same over a connection that is cut repeatedly. */
  restlessTurn(sessionId: string, model: string): Promise<void>
  remove(sessionId: string): Promise<void>
  close(): Promise<void>
}

export async function openSoak({ files, idleMs }: { files?: number; idleMs?: number } = {}): Promise<SoakProcess> {
  const program = [
    process.execPath,
    '--conditions=troupe-source',
    '--expose-gc',
    '--disable-warning=ExperimentalWarning',
    path.join(import.meta.dirname, 'soak-child.ts'),
    ...(idleMs === undefined ? [] : [String(idleMs)]),
  ]
  const limit = files === undefined ? '' : `ulimit -n ${files}; `
  const child = spawn('bash', ['-c', `${limit}exec "$@"`, 'bash', ...program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const { port, token } = (await reply(child)) as { port: number; token: string }
  const request = (target: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${target}`, {
      ...init,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    })

  return {
    async figures() {
      const answer = reply(child)
      child.send('figures')
      return (await answer) as Figures
    },
    async turn(sessionId, model) {
      check(await (await send(sessionId, model)).text())
    },
    async restlessTurn(sessionId, model) {
      const response = await send(sessionId, model)
      await readSome(response, 1)
      for (let look = 0; look < 1000; look++) {
        const again = await request(`/ai/chat/${sessionId}/stream`)
        if (again.status === 204) return
        await readSome(again, 1 + (look % 5))
      }
      throw new Error(`The answer in ${sessionId} did not end.`)
    },
    async remove(sessionId) {
      await (await request(`/ai/sessions/${sessionId}`, { method: 'DELETE' })).text()
    },
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await ended
    },
  }

  async function send(sessionId: string, model: string): Promise<Response> {
    const message = { id: randomUUID(), role: 'user', parts: [{ type: 'text', text: 'go on' }] }
    const response = await request('/ai/chat', {
      method: 'POST',
      body: JSON.stringify({ sessionId, model, mode: 'bypass', message }),
    })
    if (response.status !== 200) throw new Error(await response.text())
    return response
  }
}

function check(answer: string): void {
  const failure = /"(?:errorText|isError)":[^,}]*/.exec(answer)?.[0]
  if (failure !== undefined) throw new Error(failure)
  if (!answer.includes('"type":"finish"')) throw new Error(`The answer has no end: ${answer.slice(-300)}`)
}

async function readSome(response: Response, pieces: number): Promise<void> {
  const reader = response.body?.getReader()
  for (let i = 0; i < pieces; i++) if ((await reader?.read())?.done !== false) return
  await reader?.cancel()
}
