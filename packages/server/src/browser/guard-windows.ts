import type { CDPSession, Page } from 'playwright-core'

export interface WindowGuard {
  /** From now on this tab may ask for documents, and hears of windows that it wanted to open. */
  own(page: Page, onRefused: (url: string) => void): Promise<void>
}

/**
 * Keeps every window that a page opens beside our tabs from asking for anything: a document is asked for by a frame, and
 * the main frame of a window bears the id of its target. `system` is a session with the whole browser, which hears of
 * such a request before it is sent, however the window came about.
 */
export async function guardWindows(system: CDPSession): Promise<WindowGuard> {
  const tabs = new Map<string, (url: string) => void>()
  system.on('Fetch.requestPaused', ({ requestId, frameId, request }) => {
    void decide(requestId, frameId, request.url).catch(() => undefined)
  })
  await system.send('Fetch.enable', { patterns: [{ urlPattern: '*', resourceType: 'Document' }] })
  return {
    async own(page, onRefused) {
      const session = await page.context().newCDPSession(page)
      const { targetInfo } = await session.send('Target.getTargetInfo')
      await session.detach()
      tabs.set(targetInfo.targetId, onRefused)
      page.once('close', () => tabs.delete(targetInfo.targetId))
    },
  }

  async function decide(requestId: string, frameId: string, url: string): Promise<void> {
    const window = tabs.has(frameId) ? undefined : await windowOf(frameId)
    if (window === undefined) return void (await system.send('Fetch.continueRequest', { requestId }))
    await system.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
    tabs.get(window.openerId ?? '')?.(url)
    // One that is made ready beforehand is the tab's own to end.
    if (window.subtype === undefined) await system.send('Target.closeTarget', { targetId: window.targetId })
  }

  /** The window whose main frame it is; frames within a page are none. */
  async function windowOf(
    frameId: string,
  ): Promise<{ targetId: string; openerId?: string; subtype?: string } | undefined> {
    const { targetInfos } = await system.send('Target.getTargets')
    return targetInfos.find(({ targetId, type }) => targetId === frameId && type === 'page')
  }
}
