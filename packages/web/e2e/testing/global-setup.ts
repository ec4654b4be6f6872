import { builtPage } from '../../../../scripts/lib/web-build.mjs'

/** Runs once for all browser tests: builds the page. */
export async function setup(): Promise<void> {
  if (process.env['CHROMIUM_PATH'] === undefined) return
  process.env['TROUPE_TEST_PAGE'] = await builtPage()
}
