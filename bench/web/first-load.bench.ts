import { gzipSync } from 'node:zlib'
import { fillSession } from './fill-session.ts'
import { withWorkspace } from './open-bench.ts'

const limit = 220

export const name = 'first load: JavaScript until the first message is shown'
export const bar = `<= ${limit} KB gzip`

/** All requests count, even unnecessary ones. */
export async function run() {
  return withWorkspace({}, async (workspace) => {
    await fillSession(workspace.server(), 'some', 20)
    const page = await workspace.newPage()
    await page.goto(`${workspace.server().newUrl()}&s=some`, { waitUntil: 'commit' })
    const scripts = await page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const look = () => {
            if (document.querySelector('article') === null) return requestAnimationFrame(look)
            const asked = performance.getEntriesByType('resource').map(({ name: address }) => new URL(address).pathname)
            return resolve(asked.filter((path) => path.endsWith('.js')))
          }
          look()
        }),
    )
    const sizes = await Promise.all(
      scripts.map(async (path) => {
        const answer = await page.request.get(new URL(path, page.url()).href)
        return gzipSync(await answer.body(), { level: 9 }).length
      }),
    )
    const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1000
    return { value: `${kilobytes.toFixed(0)} KB`, ok: kilobytes <= limit, detail: `${scripts.length} files` }
  })
}
