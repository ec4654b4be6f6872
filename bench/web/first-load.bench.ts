import { gzipSync } from 'node:zlib'
import { fillSession, lastWords } from './fill-session.ts'
import { withWorkspace } from './open-bench.ts'

const limit = 220

export const name = 'first load: JavaScript until the first message is shown'
export const bar = `<= ${limit} KB gzip`

/** Everything that is asked for counts, also what would not have been needed. */
export async function run() {
  return withWorkspace({}, async (workspace) => {
    await fillSession(workspace.server(), 'some', 20)
    const page = await workspace.newPage()
    const scripts: Promise<{ name: string; bytes: number }>[] = []
    page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (!pathname.endsWith('.js')) return
      scripts.push(response.body().then((body) => ({ name: pathname, bytes: gzipSync(body, { level: 9 }).length })))
    })
    await page.goto(`${workspace.server().newUrl()}&s=some`)
    await page.getByText(lastWords).waitFor()
    const loaded = await Promise.all(scripts)
    const kilobytes = loaded.reduce((sum, { bytes }) => sum + bytes, 0) / 1000
    return {
      value: `${kilobytes.toFixed(0)} KB`,
      ok: kilobytes <= limit,
      detail: `${loaded.length} files`,
    }
  })
}
