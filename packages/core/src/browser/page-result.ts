import type { ImageDisplay, PageDisplay } from '@troupe/protocol'
import { hostOf } from '../permission/rule-patterns.ts'
import { formatCount } from '../text/format.ts'
import type { BrowserPage, PageLook, ToolContext } from '../tool/tool.ts'
import { outlineOf, showOutline } from './outline.ts'

/** Result of a call that looked at a page. If `kind` is set, models with vision are shown the screenshot. */
export interface PageResult {
  url: string
  title: string
  status?: number
  elements: number
  /** Start of the outline, for the card. */
  text: string
  characters: number
  notes: string[]
  picture?: { sha256: string; mediaType: string; size: number }
  kind?: 'image'
  path?: string
  blob?: string
  mediaType?: string
  size?: number
  width?: number
  height?: number
}

const cardText = 2000

export async function pageResult(
  {
    look,
    page,
    room,
    ref,
    shown = false,
  }: { look: PageLook; page: BrowserPage; room: number; ref?: string | undefined; shown?: boolean },
  ctx: ToolContext,
): Promise<{ output: PageResult; text: string }> {
  const { url, title, status, notes } = look
  const part = ref === undefined ? undefined : outlineOf(look.outline, ref)
  if (ref !== undefined && part === undefined) throw new Error(noElement(ref))
  const outline = showOutline(part === undefined ? look.outline : [part], room)
  const picture = await screenshotDisplay(page, ctx)
  const output: PageResult = {
    url,
    title,
    status,
    elements: outline.elements,
    text: outline.text.slice(0, cardText).toWellFormed(),
    characters: outline.text.length,
    notes: [...notes],
    picture: picture && { sha256: picture.sha256, mediaType: picture.mediaType, size: picture.size },
    ...(shown &&
      picture !== undefined && {
        kind: 'image' as const,
        path: url,
        blob: picture.sha256,
        mediaType: picture.mediaType,
        size: picture.size,
        width: picture.width,
        height: picture.height,
      }),
  }
  return { output, text: [...pageHeading(look), '', outline.text || 'The page is empty.'].join('\n') }
}

function noElement(ref: string): string {
  return `The page no longer has an element ${ref.slice(0, 20)}. Take a new BrowserSnapshot and use a ref from it.`
}

function pageHeading({ url, title, status, notes }: PageLook): string[] {
  return [
    `URL: ${url}`,
    ...(status === undefined ? [] : [`Status: ${status}`]),
    ...(title === '' ? [] : [`Title: ${title}`]),
    ...notes.map((note) => `Note: ${note}`),
  ]
}

/** Takes a screenshot for the card. Returns undefined on failure, since the card works without one. */
async function screenshotDisplay(
  page: BrowserPage,
  ctx: ToolContext,
): Promise<{ sha256: string; mediaType: string; size: number; width: number; height: number } | undefined> {
  if (ctx.blobs === undefined) return undefined
  try {
    const { bytes, mediaType, width, height } = await page.picture(ctx)
    const { sha256 } = await ctx.blobs.put(bytes, mediaType)
    return { sha256, mediaType, size: bytes.length, width, height }
  } catch {
    ctx.signal.throwIfAborted()
    return undefined
  }
}

export function pageDisplay(output: PageResult): { summary: string; content: ImageDisplay | PageDisplay } {
  const { url, title, status, text, characters, picture } = output
  return {
    summary: `${hostOf(url) ?? url}, ${formatCount(output.elements, 'element')}`,
    content:
      picture === undefined
        ? { kind: 'page', url, title, status: status ?? 200, mediaType: 'text/html', text, characters }
        : { kind: 'image', path: url, ...picture },
  }
}

const stateKey = 'browser'

/** Returns the calling agent's page and creates it on first use. */
export function agentPage(ctx: ToolContext): BrowserPage {
  const { resources: kept } = ctx.state
  const known = kept.get(stateKey) as BrowserPage | undefined
  if (known !== undefined) return known
  if (ctx.browser === undefined) throw new Error('No browser is available. Read pages with WebFetch instead.')
  const page = ctx.browser.newPage(ctx.session.id, ctx.state.isolation)
  kept.set(stateKey, page)
  return page
}
