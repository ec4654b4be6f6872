import { fork } from 'node:child_process'
import http from 'node:http'
import path from 'node:path'
import { reply, tell } from './measure.ts'

export type Variant = 'minimal' | 'troupe' | 'sdk'

export interface StreamProcess {
  /** CPU microseconds per delta while this many streams run concurrently to their end. */
  cpuPerDelta(streams: number): Promise<number>
  /** Heap bytes per paused stream: for the first `streams`, and for as many more. */
  heapPerStream(streams: number): Promise<{ first: number; next: number }>
  close(): void
}

export async function openStreams(variant: Variant, deltas: number, pauseAfter?: number): Promise<StreamProcess> {
  const child = fork(
    path.join(import.meta.dirname, 'stream-child.ts'),
    [variant, String(deltas), ...(pauseAfter === undefined ? [] : [String(pauseAfter)])],
    {
      execArgv: ['--conditions=troupe-source', '--expose-gc', '--disable-warning=ExperimentalWarning'],
      env: { ...process.env, NODE_ENV: 'production' },
    },
  )
  const { port, token } = (await reply(child)) as { port: number; token: string }
  const agent = new http.Agent({ keepAlive: false, maxSockets: Infinity })
  let turn = 0

  return {
    async cpuPerDelta(streams) {
      await tell(child, 'begin')
      await Promise.all(Array.from({ length: streams }, () => read(true)))
      const { cpuMicros } = (await tell(child, 'end')) as { cpuMicros: number }
      return cpuMicros / (streams * deltas)
    },
    async heapPerStream(streams) {
      const start = async (count: number, standing: number): Promise<number> => {
        for (let i = 0; i < count; i++) void read(false).catch(() => undefined)
        return ((await tell(child, `paused ${standing}`)) as { heapBytes: number }).heapBytes
      }
      // The first requests load modules.
      const early = 50
      await tell(child, 'begin')
      const before = await start(early, early)
      const after = await start(streams, early + streams)
      const later = await start(streams, early + 2 * streams)
      return { first: (after - before) / streams, next: (later - after) / streams }
    },
    close() {
      agent.destroy()
      child.kill('SIGKILL')
    },
  }

  function read(toTheEnd: boolean): Promise<void> {
    turn++
    const body = JSON.stringify({
      sessionId: `bench-${turn}`,
      model: 'bench/paced',
      message: { id: `m-${turn}`, role: 'user', parts: [{ type: 'text', text: 'go' }] },
    })
    return new Promise((resolve, reject) => {
      const request = http.request(
        {
          agent,
          port,
          host: '127.0.0.1',
          path: '/ai/chat',
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        },
        (response) => {
          if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`))
          let bytes = 0
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length
          })
          response.on('end', () =>
            toTheEnd && bytes < deltas ? reject(new Error('the stream was too short')) : resolve(),
          )
          response.on('error', reject)
        },
      )
      request.on('error', reject)
      request.end(body)
    })
  }
}
