import type { ToolContext } from '../tool.ts'
import type { BrowserPage } from './browser.ts'

const stateKey = 'browser'

/** The page of the agent that calls; made when it is first asked for. */
export function agentPage(ctx: ToolContext): BrowserPage {
  const { kept } = ctx.state
  const known = kept.get(stateKey) as BrowserPage | undefined
  if (known !== undefined) return known
  if (ctx.browser === undefined) throw new Error('Nothing here can drive a browser. Read pages with WebFetch instead.')
  const page = ctx.browser.newPage(ctx.session.id)
  kept.set(stateKey, page)
  return page
}
