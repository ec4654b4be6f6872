import type { TerminalEvent, TerminalMessage } from '@troupe/protocol'
import { expect, test, vi } from 'vitest'
import { createTerminalSocket } from './terminal-socket.ts'

class FakeSocket extends EventTarget {
  readyState = 0
  sent: TerminalMessage[] = []
  send(text: string): void {
    this.sent.push(JSON.parse(text) as TerminalMessage)
  }
  open(): void {
    this.readyState = 1
    this.dispatchEvent(new Event('open'))
  }
  close(): void {
    this.readyState = 3
    this.dispatchEvent(new Event('close'))
  }
  say(event: TerminalEvent): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(event) }))
  }
}

function open() {
  const sockets: FakeSocket[] = []
  const protocols: string[][] = []
  const socket = createTerminalSocket(
    { terminalTicket: () => Promise.resolve({ ticket: `ticket-${sockets.length}` }) },
    (given) => {
      protocols.push(given)
      const made = new FakeSocket()
      sockets.push(made)
      return made as unknown as WebSocket
    },
  )
  return { socket, sockets, protocols }
}

const handlers = () => ({
  onOutput: vi.fn<(text: string, skipped: number) => void>(),
  onState: vi.fn<() => void>(),
  onGone: vi.fn<() => void>(),
  onAgain: vi.fn<() => void>(),
})

test('a lost connection comes back with a new ticket, and everything is watched again', async () => {
  vi.useFakeTimers()
  const { socket, sockets, protocols } = open()
  const one = handlers()
  const watch = socket.watch({ terminalId: 'pt-1' }, one)
  await vi.advanceTimersByTimeAsync(0)
  sockets[0]?.open()
  expect(sockets[0]?.sent).toEqual([{ type: 'watch', channel: 1, terminalId: 'pt-1' }])
  sockets[0]?.say({ type: 'output', channel: 1, text: 'hi', skipped: 0 })
  expect(one.onOutput).toHaveBeenCalledWith('hi', 0)
  sockets[0]?.close()
  expect(socket.getState().connection).toBe('lost')
  // Input typed in the meantime is lost, not sent late.
  watch.input('rm -rf x\n')
  await vi.advanceTimersByTimeAsync(400)
  sockets[1]?.open()
  expect(protocols).toEqual([
    ['troupe.terminals', 'ticket-0'],
    ['troupe.terminals', 'ticket-1'],
  ])
  expect(one.onAgain).toHaveBeenCalledOnce()
  expect(sockets[1]?.sent).toEqual([{ type: 'watch', channel: 1, terminalId: 'pt-1' }])
  watch.close()
  watch.close()
  await vi.advanceTimersByTimeAsync(3000)
  expect(sockets[1]?.readyState).toBe(3)
  expect(sockets).toHaveLength(2)
  vi.useRealTimers()
})

test('long input goes in several messages, and lists reach the store', async () => {
  const { socket, sockets } = open()
  const release = socket.retain()
  const watch = socket.watch({ sessionId: 's', taskId: 'term-1' }, handlers())
  await vi.waitFor(() => expect(sockets).toHaveLength(1))
  sockets[0]?.open()
  watch.input('x'.repeat(130_000))
  const inputs = sockets[0]?.sent.flatMap((message) => (message.type === 'input' ? message.text.length : []))
  expect(inputs).toEqual([60_000, 60_000, 10_000])
  sockets[0]?.say({ type: 'terminals', terminals: [] })
  sockets[0]?.dispatchEvent(new MessageEvent('message', { data: 'not json' }))
  expect(socket.getState()).toEqual({ connection: 'open', terminals: [] })
  release()
  watch.close()
})
