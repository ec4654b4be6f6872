import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTeamNode, type TestNode, whyNoNode } from './testing/start-node.ts'

const why = whyNoNode()
const limits = { memoryMb: 128, processes: 40, diskMb: 32, seconds: 1, cpus: 1 }

const offenders: Record<string, [command: string, reason: string]> = {
  memory: [
    `node -e "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))"`,
    'The command was stopped: it used more than 128 MB of memory.',
  ],
  processes: [
    'bomb() { bomb | bomb & }; bomb; sleep 60',
    'The command was stopped: it started more than 40 processes at once.',
  ],
  time: ['while :; do :; done', 'The command was stopped: it used more than 1 seconds of CPU time.'],
  'one long file': [
    'head -c 100M /dev/zero > long; exit $?',
    'The command was stopped: it wrote more than 32 MB to disk.',
  ],
  'many files': [
    'for i in $(seq 40); do head -c 4M /dev/zero > file-$i; done; sleep 60',
    'The command was stopped: it wrote more than 32 MB to disk.',
  ],
  'a deleted file': [
    'exec 9> gone; rm gone; head -c 30M /dev/zero >&9; exec 8> gone2; rm gone2; head -c 30M /dev/zero >&8; sleep 60',
    'The command was stopped: it wrote more than 32 MB to disk.',
  ],
}

describe.skipIf(why !== undefined)(`limits of a member${why ? ` (skipped: ${why})` : ''}`, () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTeamNode(limits)
    // The first command of a chat looks for secrets in the folder.
    await node.bash('bob', 'true')
  }, 30_000)
  afterAll(() => node?.close())

  test.for(Object.entries(offenders))('stop a command and nobody else: %s', async ([, [command, reason]]) => {
    const offender = node.bash('alice', command, { timeout: 20_000 })
    let isOver = false
    void offender.then(() => (isOver = true))
    const waits: number[] = []
    do {
      const { text, ms } = await node.bash('bob', 'echo fine')
      expect(text).toContain('fine')
      waits.push(ms)
    } while (!isOver)
    const { text } = await offender
    expect(text).toContain(reason)
    expect(text).not.toContain('timed-out')
    expect(waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)]).toBeLessThan(1000)
    await node.bash('alice', 'rm -f long file-*')
  })

  test('stop a background command with the reason in its output', async () => {
    const started = await node.ask({
      kind: 'tool',
      person: 'alice',
      folder: 'alice',
      tool: 'Bash',
      input: { command: 'while :; do :; done', run_in_background: true },
    })
    const task_id = /task-[0-9a-f]+/.exec(started.text)?.[0]
    const input = { task_id, from: 0, wait_ms: 20_000 }
    const { text } = await node.ask({ kind: 'tool', person: 'alice', folder: 'alice', tool: 'TaskOutput', input })
    expect(text).toContain('The command was stopped: it used more than 1 seconds of CPU time.')
  })
})
