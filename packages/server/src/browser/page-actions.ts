import type { PageAct } from '@troupe/core'
import type { CDPSession, ElementHandle, Frame, Locator, Page } from 'playwright-core'

const actMs = 10_000

export async function performAction(page: Page, { action, ref, text = '', submit, direction }: PageAct): Promise<void> {
  const element = ref === undefined ? undefined : await elementInPage(page, ref)
  const timeout = { timeout: actMs }
  switch (action) {
    case 'click':
      return requireElement(element).click(timeout)
    case 'type':
      await requireElement(element).fill(text, timeout)
      return submit === true ? requireElement(element).press('Enter', timeout) : undefined
    case 'select':
      await selectOption(requireElement(element), text)
      return
    case 'press':
      if (element !== undefined) return element.press(text, timeout)
      await assertSameOrigin(page, await focusedFrame(page), 'The focused element')
      return page.keyboard.press(text)
    case 'scroll':
      if (element !== undefined) return element.scrollIntoViewIfNeeded(timeout)
      return page.mouse.wheel(0, direction === 'up' ? -700 : 700)
    case 'back': {
      const response = await page.goBack({ ...timeout, waitUntil: 'domcontentloaded' })
      if (response === null && page.url() === 'about:blank') throw new Error('There is no page to go back to.')
      return
    }
  }
}

export function noElement(ref: string): string {
  return `The page no longer has an element ${ref}. Take a new BrowserSnapshot and use a ref from it.`
}

/** Permission covers only the page's host, so elements in frames of other hosts are refused. */
async function elementInPage(page: Page, ref: string): Promise<Locator> {
  const found = page.getByRef(ref)
  const handle = (await found.count()) === 0 ? null : await found.elementHandle({ timeout: actMs })
  if (handle === null) throw new Error(noElement(ref))
  const frame = await handle.ownerFrame()
  await handle.dispose()
  await assertSameOrigin(page, frame, ref)
  return found
}

async function assertSameOrigin(page: Page, frame: Frame | null, what: string): Promise<void> {
  if (frame === null) return
  const origin = await frameOrigin(page, frame)
  if (origin === new URL(page.url()).origin) return
  const place = openableUrl(frame)
  const way = place === undefined ? '' : ` To act on it, open that page with BrowserSnapshot: ${place.slice(0, 2000)}`
  throw new Error(`${what} belongs to a frame from another host.${way}`)
}

/** Returns a URL that opens the frame's content. A frame without its own URL uses that of an enclosing frame. */
function openableUrl(frame: Frame): string | undefined {
  for (let around: Frame | null = frame; around?.parentFrame() != null; around = around.parentFrame())
    if (/^https?:/.test(around.url())) return around.url()
  return undefined
}

async function focusedFrame(page: Page): Promise<Frame> {
  let frame = page.mainFrame()
  for (;;) {
    const handle = await frame.evaluateHandle('document.activeElement')
    const inner = await (handle.asElement() as ElementHandle | null)?.contentFrame()
    await handle.dispose()
    if (inner == null) return frame
    frame = inner
  }
}

/** Matches the visible label first, then the value. */
async function selectOption(element: Locator, text: string): Promise<void> {
  try {
    await element.selectOption({ label: text }, { timeout: 2000 })
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') throw error
    await element.selectOption({ value: text }, { timeout: 2000 })
  }
}

function requireElement(element: Locator | undefined): Locator {
  if (element === undefined) throw new Error('Give the ref of an element from the outline.')
  return element
}

/**
 * Returns the origin of a frame's content, or `null` if it is opaque or unknown. A blank document has the origin of its
 * navigation's initiator, not always its parent, so ask the browser.
 */
async function frameOrigin(page: Page, frame: Frame): Promise<string | null> {
  const url = URL.parse(frame.url())
  if (url !== null && url.origin !== 'null') return url.origin
  const parent = frame.parentFrame()
  // Only the parent document can set a frame's `srcdoc`.
  if (frame.url() === 'about:srcdoc' && parent !== null) return frameOrigin(page, parent)
  const origins = new Set(await blankOrigins(page, frame))
  const [origin] = origins
  return origins.size === 1 && origin !== undefined && origin !== 'null' ? origin : null
}

interface FrameTree {
  frame: { id: string; url: string }
  childFrames?: FrameTree[]
}

/** Returns the origins of all frames with the same URL and position. The frame is one of them. */
async function blankOrigins(page: Page, frame: Frame): Promise<string[]> {
  const path: string[] = []
  let root = frame
  let session = await cdpSession(page, root)
  while (session === undefined) {
    path.unshift(root.url())
    root = root.parentFrame() as Frame
    session = await cdpSession(page, root)
  }
  try {
    const { frameTree } = await session.send('Page.getFrameTree')
    let found: FrameTree[] = [frameTree]
    for (const url of path)
      found = found.flatMap(({ childFrames = [] }) => childFrames.filter((child) => child.frame.url === url))
    return await Promise.all(found.map(({ frame: { id } }) => askOrigin(session, id)))
  } finally {
    await session.detach()
  }
}

/** Frames share the parent's CDP session unless they run in their own process. */
async function cdpSession(page: Page, frame: Frame): Promise<CDPSession | undefined> {
  if (frame.parentFrame() === null) return page.context().newCDPSession(page)
  return page
    .context()
    .newCDPSession(frame)
    .catch(() => undefined)
}

/** Evaluates in an isolated world, which page scripts cannot modify. */
async function askOrigin(session: CDPSession, frameId: string): Promise<string> {
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId })
  const { result } = await session.send('Runtime.evaluate', { expression: 'origin', contextId })
  return String(result.value)
}
