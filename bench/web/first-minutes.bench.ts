import type { Page } from 'playwright-core'
import { wireServer } from '../../packages/server/src/testing/wire-server.ts'
import { openWorkspace } from '../../packages/web/e2e/testing/open-workspace.ts'

const chromium = () => process.env['CHROMIUM_PATH'] ?? ''

export const benches = [
  { name: 'fresh home, no key: clicks to the first useful answer', bar: '<= 1', run: withoutKey },
  { name: 'a key in the clipboard: clicks to the first real answer', bar: '<= 3', run: withKey },
]

async function withoutKey() {
  const workspace = await openWorkspace(chromium(), { files: { 'README.md': '# Harbor\n' } })
  try {
    const page = await workspace.newPage()
    const clicks = await countClicks(page)
    await page.goto(workspace.server().newUrl())
    await page.getByRole('button', { name: /^Explore this folder/ }).click()
    await page.getByRole('article', { name: 'Answer' }).getByText('README.md').first().waitFor()
    return verdict(await clicks(), 1)
  } finally {
    await workspace.close()
  }
}

async function withKey() {
  const wire = await wireServer()
  // A provider on this machine needs no key, so the demo is named as the model of new chats.
  const config = { model: 'demo/tour', providers: { anthropic: { baseURL: wire.baseURL('anthropic') } } }
  const workspace = await openWorkspace(chromium(), { home: { 'config.json': JSON.stringify(config) } })
  try {
    const page = await workspace.newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
    const clicks = await countClicks(page)
    await page.goto(workspace.server().newUrl())
    await page.getByRole('button', { name: 'Connect a model' }).waitFor()
    await page.evaluate(() => navigator.clipboard.writeText('sk-ant-from-the-clipboard-0001'))
    await page.getByRole('button', { name: 'Connect a model' }).click()
    const field = page.locator('.connect-key input')
    await field.waitFor()
    // Clicks only if the field does not have the focus already.
    if (!(await field.evaluate((element) => element === document.activeElement))) await field.click()
    await page.keyboard.press('Control+V')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Start chatting' }).click()
    wire.play({ turn: { text: 'The first real answer.' } })
    const message = page.getByRole('textbox', { name: 'Message', exact: true })
    if (!(await message.evaluate((element) => element === document.activeElement))) await message.click()
    await page.keyboard.type('Hello')
    await page.keyboard.press('Enter')
    await page.getByRole('article', { name: 'Answer' }).getByText('The first real answer.').waitFor()
    return verdict(await clicks(), 3)
  } finally {
    await workspace.close()
    await wire.close()
  }
}

/** Counts the clicks of a person on the page, from now on. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  page.setDefaultTimeout(60_000)
  await page.addInitScript(() => {
    const counted = window as unknown as { clicks: number }
    counted.clicks = 0
    window.addEventListener('pointerdown', ({ isTrusted }) => void (counted.clicks += isTrusted ? 1 : 0), true)
  })
  return () => page.evaluate(() => (window as unknown as { clicks: number }).clicks)
}

function verdict(clicks: number, most: number) {
  return { value: String(clicks), ok: clicks <= most }
}
