import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@troupe/core'
import { z } from 'zod'

export default defineTool({
  description: 'Looks for a while.',
  input: z.object({ key: z.string(), beforeMs: z.number(), afterMs: z.number() }),
  readOnly: true,
  group: 'crash',
  async *execute({ key, beforeMs, afterMs }) {
    await sleep(beforeMs)
    yield `${key}: half-way`
    await sleep(afterMs)
    return { seen: key }
  },
})
