import { type JoinRequest, NamedError, type NodeMessage, nodeMessageSchema, type ServerMessage } from '@troupe/protocol'
import type { WebSocket } from 'ws'

/** What a call reports before its result. */
export interface CallEvents {
  onProgress?(delta: unknown): void
  onEmit?(event: Extract<NodeMessage, { type: 'emit' }>): void
}

export type CallResult = Pick<Extract<NodeMessage, { type: 'result' }>, 'value' | 'blobs'>

/** Sends calls to a computer over its socket, or over the socket of the node that has it. */
export interface NodeConnection {
  /**
   * Rejects with the reason of the signal, with `NodeGone` if the connection ends, or with the error of the computer.
   * A call is sent once and never again.
   */
  call(call: JoinRequest, signal: AbortSignal, events?: CallEvents): Promise<CallResult>
  drop(sessionId: string, agentId?: string): void
  close(): void
}

interface PendingCall {
  resolve(result: CallResult): void
  reject(error: Error): void
  events: CallEvents
}

/** `onOther` gets the messages that answer no call. Messages that break the protocol end the connection. */
export function createConnection(
  socket: WebSocket,
  { name, onOther, onClose }: { name: string; onOther?: (message: NodeMessage) => void; onClose?: () => void },
): NodeConnection {
  const pending = new Map<number, PendingCall>()
  let last = 0
  socket.on('message', (data, isBinary) => {
    const message = isBinary ? undefined : readMessage(String(data as Buffer))
    if (message === undefined) return socket.close(1008, 'bad message')
    handle(message)
  })
  socket.on('close', () => {
    for (const { reject } of pending.values()) reject(nodeGone(name))
    pending.clear()
    onClose?.()
  })
  return {
    call(call, signal, events = {}) {
      if (socket.readyState !== socket.OPEN) return Promise.reject(notConnected(name))
      if (signal.aborted) return Promise.reject(signal.reason as Error)
      const id = ++last
      const { promise, resolve, reject } = Promise.withResolvers<CallResult>()
      const onAbort = (): void => {
        send({ type: 'abort', id })
        // A tool may still return what it has. The caller decides how long it waits.
        if (call.op !== 'execute') reject(signal.reason as Error)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      pending.set(id, { resolve, reject, events })
      send({ type: 'call', id, call })
      return promise.finally(() => {
        pending.delete(id)
        signal.removeEventListener('abort', onAbort)
      })
    },
    drop: (sessionId, agentId) => send({ type: 'drop', sessionId, ...(agentId !== undefined && { agentId }) }),
    close: () => socket.terminate(),
  }

  function send(message: ServerMessage): void {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
  }

  function handle(message: NodeMessage): void {
    if (!('id' in message)) return onOther?.(message)
    const call = pending.get(message.id)
    if (message.type === 'progress') call?.events.onProgress?.(message.delta)
    else if (message.type === 'emit') call?.events.onEmit?.(message)
    else if (message.type === 'result') call?.resolve(message)
    else call?.reject(withCode(new Error(message.message), message.code))
  }
}

export function readMessage(text: string): NodeMessage | undefined {
  try {
    return nodeMessageSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function withCode(error: Error, code: string | undefined): Error {
  return code === undefined ? error : Object.assign(error, { data: { errorCode: code } })
}

/** The call was sent, and nobody knows how far it got. */
export function nodeGone(name: string): NamedError {
  const text = `The connection to the computer "${name}" was lost during this tool call, so its outcome is unknown. Check what it did before you try again.`
  return new NamedError('NodeGone', text, { status: 503 })
}

/** Nothing was sent. */
export function notConnected(name: string): NamedError {
  const text = `The computer "${name}" with this folder is not connected. Tell the user to start "troupe node" there, and try again later.`
  return new NamedError('NotConnected', text, { status: 503 })
}
