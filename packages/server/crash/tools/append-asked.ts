import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@troupe/core'
import { z } from 'zod'

export default defineTool({
  description: 'Appends a line after approval.',
  input: z.object({ key: z.string(), beforeMs: z.number(), afterMs: z.number() }),
  readOnly: false,
  needsApproval: true,
  group: 'crash',
  async execute({ key, beforeMs, afterMs }, ctx) {
    await sleep(beforeMs)
    appendFileSync(path.join(ctx.workspace.path, 'writes.txt'), `${key}\n`)
    await sleep(afterMs)
    return { key }
  },
})
