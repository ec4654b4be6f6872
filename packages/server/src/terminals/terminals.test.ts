import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TerminalEvent, TerminalInfo, TerminalMessage } from '@troupe/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
let page: Record<string, string>
const secret = 'sk-test-0123456789'

beforeAll(async () => {
  // The person's startup files could print anything.
  server = await testServer({
    listen: true,
    allowBypass: true,
    port: 0,
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      SHELL: '/bin/bash',
      OPENAI_API_KEY: secret,
      LANG: 'C.UTF-8',
    },
  })
  page = await signIn()
})
afterAll(() => server.close())

async function signIn(): Promise<Record<string, string>> {
  const key = new URL(server.newUrl()).hash.slice('#k='.length)
  const { body } = await server.json<{ credential: string }>('/ai/auth', { body: { key } })
  return { authorization: `Page ${body.credential}` }
}

async function start(): Promise<TerminalInfo> {
  const { status, body } = await server.json<{ terminal: TerminalInfo }>('/ai/terminals', { body: {}, headers: page })
  expect(status).toBe(201)
  return body.terminal
}

async function end(id: string): Promise<number> {
  return (await server.json(`/ai/terminals/${id}`, { method: 'DELETE', headers: page })).status
}

interface Opened {
  send(message: TerminalMessage): void
  events: TerminalEvent[]
  /** The end of a channel's output. */
  text(channel?: number): string
  readonly characters: number
  until(check: () => unknown): Promise<void>
  close(): void
}

async function ticket(): Promise<string> {
  return (await server.json<{ ticket: string }>('/ai/terminals/ticket', { body: {}, headers: page })).body.ticket
}

function connect(protocols: string[], origin = `http://127.0.0.1:${server.port}`): Promise<WebSocket> {
  // Node's client takes headers, browsers set this one themselves.
  const options = { protocols, headers: { origin } } as unknown as string[]
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ai/terminals/socket`, options)
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socket))
    socket.addEventListener('error', () => reject(new Error('refused')))
  })
}

async function open({ confirms = true } = {}): Promise<Opened> {
  const socket = await connect(['troupe.terminals', await ticket()])
  const events: TerminalEvent[] = []
  const texts = new Map<number, string>()
  let characters = 0
  let news = Promise.withResolvers<void>()
  const send = (message: TerminalMessage): void => socket.send(JSON.stringify(message))
  socket.addEventListener('message', ({ data }) => {
    const event = JSON.parse(String(data)) as TerminalEvent
    events.push(event)
    if (event.type === 'output') {
      texts.set(event.channel, ((texts.get(event.channel) ?? '') + event.text).slice(-20_000))
      characters += event.text.length
      if (confirms) send({ type: 'done', channel: event.channel, characters: event.text.length })
    }
    news.resolve()
    news = Promise.withResolvers()
  })
  return {
    send,
    events,
    text: (channel = 1) => texts.get(channel) ?? '',
    get characters() {
      return characters
    },
    async until(check) {
      while (!check()) await news.promise
    },
    close: () => socket.close(),
  }
}

test('only the page reaches the terminals: not the token, not another origin, not a used ticket', async () => {
  for (const [target, body] of [
    ['/ai/terminals', undefined],
    ['/ai/terminals', {}],
    ['/ai/terminals/ticket', {}],
  ] as const)
    expect(await server.json(target, { body })).toMatchObject({ status: 403, body: { error: { name: 'PageOnly' } } })
  await expect(connect(['troupe.terminals', server.token])).rejects.toThrow('refused')
  await expect(connect(['troupe.terminals', 'none'])).rejects.toThrow('refused')
  await expect(connect(['troupe.terminals', await ticket()], 'http://127.0.0.1:1')).rejects.toThrow('refused')
  await expect(connect(['troupe.terminals', await ticket()], 'https://example.com')).rejects.toThrow('refused')
  const used = await ticket()
  const socket = await connect(['troupe.terminals', used])
  expect(socket.protocol).toBe('troupe.terminals')
  socket.close()
  await expect(connect(['troupe.terminals', used])).rejects.toThrow('refused')
})

test('a shell runs in the folder, without the keys of the server, and a second window sees the same', async () => {
  const { id } = await start()
  const one = await open()
  one.send({ type: 'watch', channel: 1, terminalId: id })
  one.send({ type: 'input', channel: 1, text: 'pwd; env | grep -c sk-test; echo "$TERM" d""one\n' })
  await one.until(() => one.text().includes('xterm-256color done'))
  expect(one.text()).toContain(server.workspace.path)
  expect(one.text()).not.toContain(secret)
  expect(one.text()).toMatch(/\n0\r\n/)
  const two = await open()
  await two.until(() => two.events.length > 0)
  expect(two.events[0]).toMatchObject({ type: 'terminals', terminals: [{ id, program: 'bash' }] })
  two.send({ type: 'watch', channel: 7, terminalId: id })
  await two.until(() => two.text(7).includes('xterm-256color done'))
  two.send({ type: 'resize', channel: 7, columns: 91, rows: 33 })
  two.send({ type: 'input', channel: 7, text: 'stty size\n' })
  await one.until(() => one.text().includes('33 91'))
  expect(one.events.findLast(({ type }) => type === 'state')).toMatchObject({ columns: 91, rows: 33, running: true })
  const other = await start()
  await two.until(() => two.events.some((event) => event.type === 'terminals' && event.terminals.length === 2))
  expect(await end(other.id)).toBe(204)
  expect(await end(id)).toBe(204)
  expect(await end(id)).toBe(404)
  await one.until(() => one.events.some((event) => event.type === 'terminals' && event.terminals.length === 0))
  one.close()
  two.close()
})

test('a flood neither fills a slow page nor the memory, and the prompt is there at its end', async () => {
  const { id } = await start()
  const slow = await open({ confirms: false })
  const fast = await open()
  slow.send({ type: 'watch', channel: 1, terminalId: id })
  fast.send({ type: 'watch', channel: 1, terminalId: id })
  fast.send({
    type: 'input',
    channel: 1,
    text: 'yes 0123456789012345678901234567890123456789 | head -c 8000000; echo th""eend\n',
  })
  await fast.until(() => fast.text().includes('theend'))
  expect(slow.characters).toBeLessThan(600_000)
  const late = await open()
  late.send({ type: 'watch', channel: 1, terminalId: id })
  await late.until(() => late.text().includes('theend'))
  expect(late.characters).toBeLessThan(2_300_000)
  await end(id)
  for (const one of [slow, fast, late]) one.close()
})

test('a program that reads keys learns the position of the cursor, but a printed file types nothing', async () => {
  const { id } = await start()
  const one = await open()
  one.send({ type: 'watch', channel: 1, terminalId: id })
  const files = server.workspace.path
  writeFileSync(path.join(files, 'printed'), 'x\x1b[6n\x1b[c\x1b[5n')
  writeFileSync(
    path.join(files, 'asks.sh'),
    `stty -icanon -echo; printf 'ask\\e[6n'; read -d R p; printf '\\e[c'; read -d c i; stty sane; printf '%q %q ok\\n' "$p" "$i"\n`,
  )
  one.send({ type: 'input', channel: 1, text: 'cat printed; read -r; echo pri""nted\n' })
  await one.until(() => one.text().includes('x\x1b[6;1n'))
  one.send({ type: 'position', channel: 1, query: 1, row: 3, column: 4 })
  one.send({ type: 'input', channel: 1, text: '\n' })
  await one.until(() => one.text().includes('printed\r\n'))
  one.send({ type: 'input', channel: 1, text: 'bash asks.sh\n' })
  await one.until(() => one.text().includes('ask\x1b[6;2n'))
  one.send({ type: 'position', channel: 1, query: 1, row: 9, column: 9 })
  one.send({ type: 'position', channel: 1, query: 2, row: 7, column: 5 })
  one.send({ type: 'position', channel: 1, query: 2, row: 9, column: 9 })
  await one.until(() => one.text().includes(' ok\r\n'))
  expect(one.text()).toContain(String.raw`$'\E[7;5' $'\E[?62;22' ok`)
  expect(one.text()).not.toMatch(/3;4|9;9/)
  await end(id)
  one.close()
})

test('a shell that ignores SIGHUP is killed with its children', async () => {
  const { id } = await start()
  const one = await open()
  const file = path.join(server.workspace.path, 'pids')
  one.send({ type: 'watch', channel: 1, terminalId: id })
  const script = `trap '' HUP TERM; (trap '' HUP TERM; sleep 1000) & echo $$ $! > pids; echo re""ady\n`
  one.send({ type: 'input', channel: 1, text: script })
  await one.until(() => one.text().includes('ready'))
  const pids = readFileSync(file, 'utf8').trim().split(' ')
  expect(pids.map(runs)).toEqual([true, true])
  await end(id)
  expect(pids.map(runs)).toEqual([false, false])
  one.close()
})

function runs(pid: string): boolean {
  const file = `/proc/${pid}/stat`
  return existsSync(file) && !readFileSync(file, 'utf8').includes(') Z ')
}

test('a terminal of an agent is read-only until the person takes it over, and the chat is told', async () => {
  writeFileSync(path.join(server.workspace.path, 'ask.sh'), 'read -p "name? " n; echo "hello $n"; read -p "more? " m\n')
  server.script('run it', [[{ call: { name: 'ExecCommand', input: { cmd: 'bash ask.sh' } } }], [{ text: 'It asks.' }]])
  await server.chat('taken', 'run it', { mode: 'bypass' })
  const { tasks } = (await server.json<{ tasks: { id: string }[] }>('/ai/sessions/taken/tasks')).body
  const target = { sessionId: 'taken', taskId: tasks[0]?.id ?? '' }
  const one = await open()
  one.send({ type: 'watch', channel: 1, ...target })
  await one.until(() => one.text().includes('name? '))
  expect(one.events.find(({ type }) => type === 'state')).toMatchObject({ typing: false, takeable: true, columns: 120 })
  one.send({ type: 'input', channel: 1, text: 'nobody\n' })
  one.send({ type: 'hold', channel: 1, held: true, note: 'I took over ask.sh.' })
  one.send({ type: 'input', channel: 1, text: 'Ada\n' })
  await one.until(() => one.text().includes('more? '))
  expect(one.text()).toContain('hello Ada')
  expect(one.text()).not.toContain('nobody')
  const typing = { name: 'WriteStdin', input: { session_id: target.taskId, chars: 'x\n' } }
  server.script('type', [[{ call: typing }], [{ text: 'Understood.' }]])
  await server.chat('taken', 'type', { mode: 'bypass' })
  const seen = JSON.stringify(server.model.calls.at(-1))
  expect(seen).toContain('I took over ask.sh.')
  expect(seen).toContain('The user has taken over this terminal')
  expect(JSON.stringify(await server.messages('taken'))).toContain('I took over ask.sh.')
  one.close()
})

test('what a page sends is checked', async () => {
  const one = await open()
  one.send({ type: 'watch', channel: 1, terminalId: 'pt-none' })
  await one.until(() => one.events.some((event) => event.type === 'gone' && event.channel === 1))
  one.send({ type: 'watch', channel: 2, sessionId: 'none', taskId: 'none' })
  await one.until(() => one.events.some((event) => event.type === 'gone' && event.channel === 2))
  const socket = await connect(['troupe.terminals', await ticket()])
  const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
  socket.send('{"type":"input"}')
  expect(await closed).toBe(1008)
  for (const folder of ['..', '/etc', 'none', 'a\0b'])
    expect((await server.json('/ai/terminals', { body: { folder }, headers: page })).status).toBe(400)
  one.close()
})
