import type { PageAct } from '@troupe/core'
import type { Locator, Page } from 'playwright-core'

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
      return element === undefined ? page.keyboard.press(text) : element.press(text, timeout)
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
  const frameUrl = URL.parse(frame?.url() ?? '')
  const isForeign =
    frameUrl !== null && /^https?:$/.test(frameUrl.protocol) && frameUrl.origin !== new URL(page.url()).origin
  if (isForeign)
    throw new Error(
      `${ref} belongs to a frame of another host. Open that page with BrowserSnapshot to act in it: ${frameUrl.href}`,
    )
  return found
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
