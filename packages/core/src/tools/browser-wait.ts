import { z } from 'zod'
import { elementRef } from '../browser/outline.ts'
import { agentPage } from '../browser/page-result.ts'
import { defineTool, type PageCondition } from '../tool/tool.ts'

const input = z.object({
  text: z.string().min(1).max(500).describe('Until this text is to be seen').optional(),
  gone: z.string().min(1).max(500).describe('Until this text is no longer to be seen').optional(),
  ref: elementRef.describe('Until this element is to be seen').optional(),
  url: z.string().min(1).max(2000).describe('Until the address has this in it').optional(),
  seconds: z.number().min(0.1).max(60).describe('At most so long; without anything else just so long').default(10),
})

export default defineTool({
  description:
    'Waits in the page that is open in the browser: for a text, an element or an address to come, for a text to go, or for some time.',
  input,
  readOnly: true,
  polls: true,
  deferred: true,
  group: 'browser',
  timeout: 90_000,
  validate: (given) => (conditionsOf(given).length > 1 ? 'Wait for one thing at a time.' : undefined),
  title: (given) => `Wait for ${wordsFor(conditionOf(given))}`,
  async execute(given, ctx): Promise<{ met: boolean; waitedMs: number }> {
    const begun = performance.now()
    const met = await agentPage(ctx).wait(conditionOf(given), given.seconds * 1000, ctx)
    return { met, waitedMs: Math.round(performance.now() - begun) }
  },
  toModel({ met, waitedMs }, given) {
    const condition = conditionOf(given)
    const seconds = `${(waitedMs / 1000).toFixed(1)} s`
    if (condition.kind === 'time') return `${seconds} have passed.`
    if (met) return `It came about after ${seconds}: ${wordsFor(condition)}.`
    return `It has not come about within ${seconds}: ${wordsFor(condition)}. Look at the page with BrowserSnapshot.`
  },
  display: ({ met, waitedMs }, given) => ({
    title: `Waited for ${wordsFor(conditionOf(given))}`,
    summary: `${met ? 'came' : 'did not come'}, ${(waitedMs / 1000).toFixed(1)} s`,
  }),
})

function conditionsOf({ text, gone, ref, url }: z.infer<typeof input>): PageCondition[] {
  return [
    ...(text === undefined ? [] : [{ kind: 'text' as const, text }]),
    ...(gone === undefined ? [] : [{ kind: 'gone' as const, text: gone }]),
    ...(ref === undefined ? [] : [{ kind: 'ref' as const, ref }]),
    ...(url === undefined ? [] : [{ kind: 'url' as const, url }]),
  ]
}

function conditionOf(given: z.infer<typeof input>): PageCondition {
  return conditionsOf(given)[0] ?? { kind: 'time' }
}

function wordsFor(condition: PageCondition): string {
  switch (condition.kind) {
    case 'text':
      return `the text "${condition.text}"`
    case 'gone':
      return `the text "${condition.text}" to go`
    case 'ref':
      return `the element ${condition.ref}`
    case 'url':
      return `the address ${condition.url}`
    case 'time':
      return 'some time'
  }
}
