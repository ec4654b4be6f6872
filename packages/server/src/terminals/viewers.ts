import type { Task } from '@troupe/core'
import type { TaskInfo, TerminalEvent } from '@troupe/protocol'
import type { WebSocket } from 'ws'
import { taskInfo } from '../agents/agent-states.ts'
import type { Place } from './history.ts'
import type { Source } from './sources.ts'

/** Characters a page may still be working on. More would only make it slow to react. */
const windowCharacters = 256 << 10
const mostBuffered = 2 << 20
/** An echo is sent immediately. Output that follows closely is sent together. */
const togetherMs = 8
const frameCharacters = 64 << 10

/** One page that watches one source. It is sent output only as fast as it confirms that it is done with it. */
export class Viewer {
  readonly source: Source
  readonly #channel: number
  readonly #socket: WebSocket
  readonly #unsubscribe: () => void
  #place: Place = { position: 0, alternate: false }
  #open = 0
  #state = ''
  #sentAt = -Infinity
  #timer: NodeJS.Timeout | undefined

  constructor(source: Source, channel: number, socket: WebSocket) {
    this.source = source
    this.#channel = channel
    this.#socket = socket
    this.#unsubscribe = source.subscribe(() => this.#pumpSoon())
    this.#pump()
  }

  done(characters: number): void {
    this.#open = Math.max(0, this.#open - characters)
    this.#pump()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#unsubscribe()
  }

  #pumpSoon(): void {
    if (this.#timer !== undefined) return
    const wait = this.#sentAt + togetherMs - performance.now()
    if (wait <= 0) return this.#pump()
    this.#timer = setTimeout(() => this.#pump(), wait)
  }

  #pump(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#open < windowCharacters && this.#socket.bufferedAmount < mostBuffered && this.#sendFrame());
    this.#sendState()
  }

  /** Returns false at the end of the output. */
  #sendFrame(): boolean {
    let text = ''
    let skipped = 0
    let next = this.source.read(this.#place)
    for (; next !== undefined; next = this.source.read(this.#place)) {
      this.#place = { position: next.position, alternate: next.alternate }
      text += next.text
      skipped += next.skipped
      if (text.length >= frameCharacters) break
    }
    if (text === '') return false
    this.#open += text.length
    this.#sentAt = performance.now()
    this.#send({ type: 'output', channel: this.#channel, text, skipped })
    return next !== undefined
  }

  /** After the output that led to it. */
  #sendState(): void {
    const state = this.source.state()
    const text = JSON.stringify(state)
    if (text === this.#state) return
    this.#state = text
    this.#send({ type: 'state', channel: this.#channel, ...state })
  }

  #send(event: TerminalEvent): void {
    this.#socket.send(JSON.stringify(event))
  }
}

const lookMs = 1000

/** Sends the commands of a chat whenever one starts or ends. They report no events, but are in memory. */
export class TaskListViewer {
  readonly #timer: NodeJS.Timeout
  #sent = ''

  constructor(list: () => Task[], send: (tasks: TaskInfo[]) => void) {
    const look = (): void => {
      const tasks = list().map(taskInfo)
      const text = JSON.stringify(tasks)
      if (text === this.#sent) return
      this.#sent = text
      send(tasks)
    }
    this.#timer = setInterval(look, lookMs).unref()
    look()
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
