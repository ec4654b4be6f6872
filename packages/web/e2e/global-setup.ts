import { chromium } from 'playwright-core'
import { builtPage } from '../../../scripts/lib/web-build.mjs'
import { chromiumArguments } from './chromium-arguments.ts'

/** Once for all browser tests of a run: the page is built, and one Chromium is started that each file has contexts in. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const executablePath = process.env['CHROMIUM_PATH']
  if (executablePath === undefined) return undefined
  process.env['TROUPE_TEST_PAGE'] = await builtPage()
  const browser = await chromium.launchServer({ executablePath, args: chromiumArguments })
  process.env['TROUPE_TEST_BROWSER'] = browser.wsEndpoint()
  return () => browser.close()
}
