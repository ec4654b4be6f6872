import type { CDPSession, Frame, Page } from 'playwright-core'

/**
 * The origin of what a frame holds, `null` where it has none of its own or cannot be told. A blank document is of
 * whoever led the frame there, which is not always the one around it: only the browser knows.
 */
export async function frameOrigin(page: Page, frame: Frame): Promise<string | null> {
  const url = URL.parse(frame.url())
  if (url !== null && url.origin !== 'null') return url.origin
  const parent = frame.parentFrame()
  // Nobody but the document around it gives a frame its `srcdoc`.
  if (frame.url() === 'about:srcdoc' && parent !== null) return frameOrigin(page, parent)
  const origins = new Set(await blankOrigins(page, frame))
  const [origin] = origins
  return origins.size === 1 && origin !== undefined && origin !== 'null' ? origin : null
}

interface FrameTree {
  frame: { id: string; url: string }
  childFrames?: FrameTree[]
}

/** Those of all frames that have the frame's address and lie as it lies: it is one of them. */
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

/** Frames share a session with those around them unless they have a process of their own. */
async function cdpSession(page: Page, frame: Frame): Promise<CDPSession | undefined> {
  if (frame.parentFrame() === null) return page.context().newCDPSession(page)
  return page
    .context()
    .newCDPSession(frame)
    .catch(() => undefined)
}

/** In a world of our own, where scripts of the page have changed nothing. */
async function askOrigin(session: CDPSession, frameId: string): Promise<string> {
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId })
  const { result } = await session.send('Runtime.evaluate', { expression: 'origin', contextId })
  return String(result.value)
}
