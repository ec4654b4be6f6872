import { chromium } from 'playwright-core'
import { builtPage } from '../../../scripts/lib/web-build.mjs'
import { chromiumArguments } from './chromium-arguments.ts'

/** Runs once for all browser tests: builds the page and starts one Chromium, in which each file opens contexts. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const executablePath = process.env['CHROMIUM_PATH']
  if (executablePath === undefined) return undefined
  process.env['TROUPE_TEST_PAGE'] = await builtPage()
  const browser = await chromium.launchServer({ executablePath, args: chromiumArguments })
  process.env['TROUPE_TEST_BROWSER'] = browser.wsEndpoint()
  return () => browser.close()
}
