import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool, processMark } from '@troupe/core'
import { z } from 'zod'

/** Starts a long-lived process group. With `orphaned`, the leader exits at once and its child stays. */
export default defineTool({
  description: 'Starts processes.',
  input: z.object({ key: z.string(), beforeMs: z.number(), afterMs: z.number(), orphaned: z.boolean() }),
  readOnly: false,
  needsApproval: false,
  group: 'crash',
  async execute({ beforeMs, afterMs, orphaned }, ctx) {
    const child = spawn('sh', ['-c', orphaned ? 'sleep 600 & exit 0' : 'sleep 600 & sleep 600'], {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, ...processMark(ctx.run.id, ctx.toolCallId) },
    })
    await once(child, 'spawn')
    const pid = child.pid as number
    const end = (): void => void process.kill(-pid, 'SIGKILL')
    try {
      await ctx.process(pid)
      await sleep(beforeMs + afterMs, undefined, { signal: ctx.signal })
    } finally {
      end()
    }
    return { pid }
  },
})
