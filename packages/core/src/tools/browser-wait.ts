import { z } from 'zod'
import { elementRef } from '../browser/outline.ts'
import { agentPage } from '../browser/page-result.ts'
import { defineTool, type PageCondition } from '../tool/tool.ts'

const input = z.object({
  text: z.string().min(1).max(500).describe('Wait until this text is visible').optional(),
  gone: z.string().min(1).max(500).describe('Wait until this text is gone').optional(),
  ref: elementRef.describe('Wait until this element is visible').optional(),
  url: z.string().min(1).max(2000).describe('Wait until the URL contains this').optional(),
  seconds: z
    .number()
    .min(0.1)
    .max(60)
    .describe('Maximum wait. Without a condition, wait exactly this long')
    .default(10),
})

export default defineTool({
  description:
    'Waits on the page that is open in the browser: for a text, an element or a URL to appear, for a text to disappear, or for a fixed time.',
  input,
  readOnly: true,
  polls: true,
  deferred: true,
  group: 'browser',
  timeout: 90_000,
  validate: (given) => (conditionsOf(given).length > 1 ? 'Give only one condition to wait for.' : undefined),
  title: (given) => `Wait for ${wordsFor(conditionOf(given))}`,
  async execute(given, ctx): Promise<{ met: boolean; waitedMs: number }> {
    const begun = performance.now()
    const met = await agentPage(ctx).wait(conditionOf(given), given.seconds * 1000, ctx)
    return { met, waitedMs: Math.round(performance.now() - begun) }
  },
  toModel({ met, waitedMs }, given) {
    const condition = conditionOf(given)
    const seconds = `${(waitedMs / 1000).toFixed(1)} s`
    if (condition.kind === 'time') return `Waited ${seconds}.`
    if (met) return `Done after ${seconds}: waited for ${wordsFor(condition)}.`
    return `Timed out after ${seconds}: waited for ${wordsFor(condition)}. Look at the page with BrowserSnapshot.`
  },
  display: ({ met, waitedMs }, given) => ({
    title: `Waited for ${wordsFor(conditionOf(given))}`,
    summary: `${met ? 'done' : 'timed out'}, ${(waitedMs / 1000).toFixed(1)} s`,
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
      return `the text "${condition.text}" to disappear`
    case 'ref':
      return `the element ${condition.ref}`
    case 'url':
      return `the URL ${condition.url}`
    case 'time':
      return 'some time'
  }
}
