import type { PageAct } from '@troupe/core'
import type { ElementHandle, Frame, Locator, Page } from 'playwright-core'

const actMs = 10_000

/** Does one thing in a page, as a person would. */
export async function carryOut(page: Page, { action, ref, text = '', submit, direction }: PageAct): Promise<void> {
  const element = ref === undefined ? undefined : await ownElement(page, ref)
  const timeout = { timeout: actMs }
  switch (action) {
    case 'click':
      return needed(element).click(timeout)
    case 'type':
      await needed(element).fill(text, timeout)
      return submit === true ? needed(element).press('Enter', timeout) : undefined
    case 'select':
      await selectOption(needed(element), text)
      return
    case 'press':
      if (element !== undefined) return element.press(text, timeout)
      mustBeOwn(page, await focusedFrame(page), 'What has the focus')
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
async function ownElement(page: Page, ref: string): Promise<Locator> {
  const found = page.getByRef(ref)
  const handle = (await found.count()) === 0 ? null : await found.elementHandle({ timeout: actMs })
  if (handle === null) throw new Error(noElement(ref))
  const frame = await handle.ownerFrame()
  await handle.dispose()
  mustBeOwn(page, frame, ref)
  return found
}

function mustBeOwn(page: Page, frame: Frame | null, what: string): void {
  const url = placeOf(frame)
  if (url === null || url.origin === new URL(page.url()).origin) return
  throw new Error(
    `${what} belongs to a frame of another host. Open that page with BrowserSnapshot to act in it: ${url.href.slice(0, 2000)}`,
  )
}

/** What a frame without a place of its own (`about:srcdoc`, `data:`) holds is of the one that it stands in. */
function placeOf(frame: Frame | null): URL | null {
  for (let around = frame; around !== null; around = around.parentFrame()) {
    const url = URL.parse(around.url())
    if (url !== null && url.origin !== 'null') return url
  }
  return null
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

function needed(element: Locator | undefined): Locator {
  if (element === undefined) throw new Error('Give the ref of an element from the outline.')
  return element
}
