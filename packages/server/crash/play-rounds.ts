import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Ask } from '@troupe/core'
import { createRandom, type Random } from './model-server.ts'
import { type CrashHome, createReader, type Reader, type ServerProcess } from './open-home.ts'

export interface PlayedTurn {
  sessionId: string
  userMessageId: string
  seed: number
  /** Two tabs, each with its own connections and event numbers. */
  readers: Reader[]
  steered: string[]
  stopped: boolean
}

export interface Played {
  turns: PlayedTurn[]
  answered: Map<string, Answer>
  kills: number
  starts: { startMs: number; wholeStartMs: number }[]
  lines: string[]
}

interface PlayOptions {
  kills: number
  sessions: number
  seed: number
  /** No user stops a run. */
  calm?: boolean
  /** Clients try again after status 503, as for a database that cannot be reached. */
  patient?: boolean
}

/** Kills and restarts the server at random moments while sessions use it, then lets everything finish. */
export async function playRounds(home: CrashHome, options: PlayOptions): Promise<Played> {
  const random = createRandom(options.seed)
  const played: Played = { turns: [], answered: new Map(), kills: 0, starts: [], lines: [] }
  let stopping = false
  let questions = 0
  let current = start()

  const sessions = Array.from({ length: options.sessions }, (_, i) =>
    talk(`session-${i}`, createRandom(options.seed + i + 1)),
  )
  const playing = Promise.all(sessions)
  const answering = answerAsks(createRandom(options.seed + 1000))
  // A failure is reported once the rounds are over.
  for (const work of [playing, answering]) work.catch(() => undefined)
  while (played.kills < options.kills) {
    const server = await current
    await sleep(random.between(10, 600))
    await server.kill('SIGKILL')
    played.kills++
    current = start()
  }
  stopping = true
  await playing
  await answering
  const server = await current
  const code = await server.kill('SIGTERM')
  if (code !== 0) throw new Error(`SIGTERM ended the server with ${code}: ${server.lines.join('\n')}`)
  return played

  async function start(): Promise<ServerProcess> {
    const server = await home.start()
    const { startMs, wholeStartMs } = server
    played.starts.push({ startMs, wholeStartMs })
    void server.exited.then(() => played.lines.push(...server.lines))
    return server
  }

  async function talk(sessionId: string, own: Random): Promise<void> {
    for (let i = 0; !stopping; i++) {
      const readers = [createReader(), createReader()]
      const turn: PlayedTurn = {
        sessionId,
        userMessageId: `${sessionId}-${i}`,
        seed: options.seed * 1000 + questions++,
        readers,
        steered: [],
        stopped: false,
      }
      const response = await send(turn)
      played.turns.push(turn)
      await Promise.all([
        ...readers.map((reader, tab) => follow(turn, reader, own, tab === 0 ? response : undefined)),
        disturb(turn, own),
      ])
    }
  }

  /** A message counts as acknowledged once the response headers arrive. Until then the client resends it. */
  async function send(turn: PlayedTurn): Promise<Response> {
    for (;;) {
      const response = await attempt(() => post('/ai/chat?hold=1', question(turn)))
      if (response?.ok === true) return response
      if (response !== undefined && !mayRetry(response))
        throw new Error(`the message was refused: ${response.status} ${await response.text()}`)
    }
  }

  function mayRetry({ status }: Response): boolean {
    return options.patient === true && status === 503
  }

  /** Reads one answer to its end over as many connections as needed. The client drops some of them itself. */
  async function follow(turn: PlayedTurn, reader: Reader, own: Random, first?: Response): Promise<void> {
    if (first !== undefined) await read(reader, first)
    while (!reader.finished()) {
      if (own.chance(0.5)) reader.forgetAfter(own.between(0, reader.events.length))
      const after = reader.after()
      const dropped = new AbortController()
      const dropping = own.chance(0.5) ? setTimeout(() => dropped.abort(), own.between(5, 300)) : undefined
      const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': String(after) }
      const response = await attempt(() => get(`/ai/chat/${turn.sessionId}/stream`, headers, dropped.signal))
      // The run is over. Sending the question again returns the missed events.
      if (response?.status === 204) await read(reader, await send(turn))
      else if (response !== undefined && !mayRetry(response)) await read(reader, response)
      clearTimeout(dropping)
    }
  }

  async function read(reader: Reader, response: Response): Promise<void> {
    if (response.body === null) throw new Error(`no body: ${response.status}`)
    await reader.read(response.body).catch(() => undefined)
  }

  async function disturb(turn: PlayedTurn, own: Random): Promise<void> {
    for (let i = 0; i < 3 && own.chance(0.5); i++) {
      await sleep(own.between(0, 500))
      const id = `${turn.userMessageId}-steer-${i}`
      const response = await attempt(() => post(`/ai/chat/${turn.sessionId}/steer`, { id, text: `hint ${i}` }))
      if (response?.ok === true) turn.steered.push(id)
      else if (response !== undefined && response.status !== 409 && !mayRetry(response))
        throw new Error(`steering was refused: ${response.status} ${await response.text()}`)
    }
    if (options.calm === true || !own.chance(0.1)) return
    const response = await attempt(() => post(`/ai/chat/${turn.sessionId}/stop`, {}))
    turn.stopped = response?.ok === true
  }

  async function answerAsks(own: Random): Promise<void> {
    const over = playing.then(() => true)
    // A list of all asks is longer with more sessions.
    const pause = (): number => own.between(5, 60) * Math.max(1, options.sessions / 10)
    while (!(await Promise.race([over, sleep(pause()).then(() => false)]))) {
      const asks = await attempt(async () => ((await (await get('/ai/asks')).json()) as { asks?: Ask[] }).asks)
      for (const ask of asks ?? []) {
        if (own.chance(0.4)) continue
        const answer: Answer = own.chance(0.75) ? { type: 'approve' } : { type: 'deny', remark: 'rather not' }
        const given = await attempt(() => post(`/ai/asks/${ask.id}`, { answer }))
        if (given?.ok === true) played.answered.set(ask.id, answer)
      }
    }
  }

  function question(turn: PlayedTurn): object {
    const message = { id: turn.userMessageId, role: 'user', parts: [{ type: 'text', text: `seed:${turn.seed}.` }] }
    return { sessionId: turn.sessionId, message }
  }

  async function post(target: string, body: object): Promise<Response> {
    return (await current).request(target, { method: 'POST', body: JSON.stringify(body) })
  }

  async function get(target: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    return (await current).request(target, { headers, signal })
  }

  /** Returns undefined if the server went away during the request. */
  async function attempt<T>(request: () => Promise<T>): Promise<T | undefined> {
    try {
      return await request()
    } catch {
      await sleep(5)
      return undefined
    }
  }
}
