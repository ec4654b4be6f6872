import type { PageAct } from '@troupe/core'
import type { ElementHandle, Frame, Locator, Page } from 'playwright-core'
import { frameOrigin } from './origin-of.ts'

const actMs = 10_000

/** Does one thing in a page, as a person would. */
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
      await assertSameOrigin(page, await focusedFrame(page), 'What has the focus')
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
  return `There is no element ${ref} in the page now. Look at it again with BrowserSnapshot and use a ref from there.`
}

/** Leave was given for the host of the page: what a frame of another host holds is not touched. */
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
  const way = place === undefined ? '' : ` Open that page with BrowserSnapshot to act in it: ${place.slice(0, 2000)}`
  throw new Error(`${what} belongs to a frame of another host.${way}`)
}

/** Where what a frame holds can be opened, which a frame without an address of its own has from those around it. */
function openableUrl(frame: Frame): string | undefined {
  for (let around: Frame | null = frame; around?.parentFrame() != null; around = around.parentFrame())
    if (/^https?:/.test(around.url())) return around.url()
  return undefined
}

/** The frame that keys go to. */
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

/** By what a person reads, else by the value. */
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
