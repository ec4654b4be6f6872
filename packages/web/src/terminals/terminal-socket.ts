import type { TaskInfo, TerminalEvent, TerminalInfo, TerminalMessage, WatchedState } from '@troupe/protocol'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Api } from '../api/api.ts'
import { isRecord } from '../api/read-fields.ts'

/** A terminal of the person, or a command of a chat. */
export type WatchTarget = { terminalId: string } | { sessionId: string; taskId: string }

interface WatchHandlers {
  onOutput: (text: string, skipped: number) => void
  onState: (state: WatchedState) => void
  /** The server does not know it. */
  onGone: () => void
  /** The connection was lost and is back. All output comes again. */
  onAgain: () => void
}

export interface Watch {
  /** Confirms output, so that more is sent. */
  done: (characters: number) => void
  input: (text: string) => void
  /** Answers a query for the cursor position. */
  position: (query: number, row: number, column: number) => void
  resize: (columns: number, rows: number) => void
  /** Takes over a terminal of an agent, or gives it back. The note tells the chat. */
  hold: (held: boolean, note: string) => void
  close: () => void
}

interface SocketState {
  connection: 'connecting' | 'open' | 'lost'
  /** Undefined until the server has listed them. */
  terminals: readonly TerminalInfo[] | undefined
}

/** One WebSocket for all terminals of this page. Open while something uses it. */
export interface TerminalSocket extends StoreApi<SocketState> {
  watch: (target: WatchTarget, handlers: WatchHandlers) => Watch
  watchTasks: (sessionId: string, onTasks: (tasks: TaskInfo[]) => void) => () => void
  /** Keeps the list of terminals current. Returns a release function. */
  retain: () => () => void
}

interface Channel {
  number: number
  opening: () => TerminalMessage
  onEvent: (event: TerminalEvent) => void
  onAgain: () => void
}

type ApiPart = Pick<Api, 'terminalTicket'>

const longestInput = 60_000
const retryMs = [300, 1000, 2000, 5000]
const lingerMs = 2000

export function createTerminalSocket(
  api: ApiPart,
  connect = (protocols: string[]) => new WebSocket(socketAddress(), protocols),
): TerminalSocket {
  const store = createStore<SocketState>(() => ({ connection: 'connecting', terminals: undefined }))
  const channels = new Map<number, Channel>()
  let users = 0
  let lastChannel = 0
  let tries = 0
  let socket: WebSocket | undefined
  let isOpening = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let linger: ReturnType<typeof setTimeout> | undefined

  return {
    ...store,
    retain() {
      hold()
      return once(release)
    },
    watch(target, { onOutput, onState, onGone, onAgain }) {
      const channel = openChannel({
        opening: () => ({ type: 'watch', channel: channel.number, ...target }),
        onAgain,
        onEvent(event) {
          if (event.type === 'output') onOutput(event.text, event.skipped)
          else if (event.type === 'state') onState(event)
          else if (event.type === 'gone') onGone()
        },
      })
      return {
        done: (characters) => send({ type: 'done', channel: channel.number, characters }),
        input(text) {
          for (let at = 0; at < text.length; at += longestInput)
            send({ type: 'input', channel: channel.number, text: text.slice(at, at + longestInput) })
        },
        position: (query, row, column) => send({ type: 'position', channel: channel.number, query, row, column }),
        resize: (columns, rows) => send({ type: 'resize', channel: channel.number, columns, rows }),
        hold: (held, note) => send({ type: 'hold', channel: channel.number, held, note: note.slice(0, 1000) }),
        close: once(() => closeChannel(channel)),
      }
    },
    watchTasks(sessionId, onTasks) {
      const channel = openChannel({
        opening: () => ({ type: 'tasks', channel: channel.number, sessionId }),
        onAgain: () => undefined,
        onEvent: (event) => {
          if (event.type === 'tasks') onTasks(event.tasks)
        },
      })
      return once(() => closeChannel(channel))
    },
  }

  function openChannel(given: Omit<Channel, 'number'>): Channel {
    const channel = { ...given, number: ++lastChannel }
    channels.set(channel.number, channel)
    hold()
    // `opening` needs the channel, which the caller does not have yet.
    queueMicrotask(() => {
      if (channels.has(channel.number)) send(channel.opening())
    })
    return channel
  }

  function closeChannel({ number }: Channel): void {
    send({ type: 'unwatch', channel: number })
    channels.delete(number)
    release()
  }

  function hold(): void {
    users++
    clearTimeout(linger)
    if (socket === undefined && !isOpening && retry === undefined) void open()
  }

  function release(): void {
    users--
    clearTimeout(linger)
    if (users === 0) linger = setTimeout(shut, lingerMs)
  }

  function shut(): void {
    clearTimeout(retry)
    retry = undefined
    const last = socket
    socket = undefined
    last?.close()
    store.setState({ connection: 'connecting', terminals: undefined })
  }

  function send(message: TerminalMessage): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }

  async function open(): Promise<void> {
    isOpening = true
    try {
      const { ticket } = await api.terminalTicket()
      if (users === 0) return
      follow(connect(['troupe.terminals', ticket]))
    } catch {
      // The page reports a lost server elsewhere.
      retryLater()
    } finally {
      isOpening = false
    }
  }

  function follow(opened: WebSocket): void {
    socket = opened
    opened.addEventListener('open', () => {
      const isAgain = tries > 0
      tries = 0
      store.setState({ connection: 'open' })
      for (const channel of channels.values()) {
        // The server knows none of the earlier channels.
        if (isAgain) channel.onAgain()
        send(channel.opening())
      }
    })
    opened.addEventListener('message', ({ data }) => {
      const event = readEvent(data)
      if (event === undefined || socket !== opened) return
      if (event.type === 'terminals') store.setState({ terminals: event.terminals })
      else channels.get(event.channel)?.onEvent(event)
    })
    opened.addEventListener('close', () => {
      if (socket !== opened) return
      socket = undefined
      if (users > 0) retryLater()
    })
  }

  function retryLater(): void {
    store.setState({ connection: 'lost' })
    const wait = retryMs[Math.min(tries++, retryMs.length - 1)]
    retry = setTimeout(() => {
      retry = undefined
      if (users > 0) void open()
    }, wait)
  }
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

function socketAddress(): string {
  const address = new URL('/ai/terminals/socket', window.location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  return address.href
}

function readEvent(data: unknown): TerminalEvent | undefined {
  try {
    const event: unknown = JSON.parse(String(data))
    return isRecord(event) && typeof event['type'] === 'string' ? (event as unknown as TerminalEvent) : undefined
  } catch {
    return undefined
  }
}

const sockets = new WeakMap<object, TerminalSocket>()

export function terminalSocketOf(api: Api): TerminalSocket {
  const known = sockets.get(api) ?? createTerminalSocket(api)
  sockets.set(api, known)
  return known
}
