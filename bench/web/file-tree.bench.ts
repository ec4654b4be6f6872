import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import type { TestWorkspace } from '../../packages/web/e2e/testing/open-workspace.ts'
import { median } from '../measure.ts'
import { withWorkspace } from './open-bench.ts'

const count = 100_000

/** One folder with all files is the worst case for a list, many folders for a search. */
function fill(folder: string): void {
  const flat = path.join(folder, 'flat')
  mkdirSync(flat)
  for (let i = 0; i < count / 2; i++) writeFileSync(path.join(flat, `component-${(i * 7919) % count}.test.ts`), '')
  for (let i = 0; i < count / 200; i++) {
    const nested = path.join(folder, `package-${i % 20}`, 'src', `module-${i}`)
    mkdirSync(nested, { recursive: true })
    for (let k = 0; k < 100; k++) writeFileSync(path.join(nested, `part-${k}.ts`), '')
  }
}

export const benches = [
  {
    name: `tree of ${count} files: first rows of a folder with half of them`,
    bar: '<= 150 ms',
    run: () =>
      withTree(async (page) => {
        const times: number[] = []
        for (let round = 0; round < 5; round++) {
          times.push(await openFolder(page))
          await page.keyboard.press('ArrowLeft')
          await page.getByRole('treeitem', { name: 'component-0.test.ts' }).waitFor({ state: 'detached' })
        }
        const ms = median(times)
        return { value: `${ms.toFixed(0)} ms`, ok: ms <= 150, detail: times.map((one) => one.toFixed(0)).join(', ') }
      }),
  },
  {
    name: `tree of ${count} files: frames without rows while scrolling`,
    bar: '0 frames',
    run: () =>
      withTree(async (page) => {
        await openFolder(page)
        const { frames, blank } = await scrollThrough(page)
        return { value: `${blank} frames`, ok: blank === 0, detail: `of ${frames}` }
      }),
  },
  {
    name: `tree of ${count} files: filter, from a letter to its rows`,
    bar: '<= 100 ms median',
    run: () =>
      withTree(async (page) => {
        const times = await filter(page, ['module-77', 'part-5', 'comp', 'pkg1src', 'component-4242'])
        const ms = median(times)
        return { value: `${ms.toFixed(0)} ms`, ok: ms <= 100, detail: times.map((one) => one.toFixed(0)).join(', ') }
      }),
  },
  {
    name: `tree of ${count} files: memory of the page`,
    bar: '<= +30 MB',
    run: () =>
      withTree(async (page) => {
        const before = await heap(page)
        await openFolder(page)
        await page.waitForFunction(
          (half) => document.querySelector('[role=treeitem][aria-setsize="' + half + '"]') !== null,
          count / 2,
        )
        await scrollThrough(page)
        const grown = (await heap(page)) - before
        return { value: `+${grown.toFixed(1)} MB`, ok: grown <= 30 }
      }),
  },
]

async function withTree<Result>(work: (page: Page, workspace: TestWorkspace) => Promise<Result>): Promise<Result> {
  return withWorkspace({}, async (workspace) => {
    fill(workspace.folder)
    const page = await workspace.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(workspace.server().newUrl())
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
    await page.keyboard.press('Control+Shift+E')
    await page.getByRole('treeitem', { name: 'flat' }).waitFor()
    await page.waitForLoadState('networkidle').catch(() => undefined)
    return work(page, workspace)
  })
}

/** From the key to the first frame with rows of the folder. */
async function openFolder(page: Page): Promise<number> {
  await page.getByRole('treeitem', { name: 'flat' }).waitFor()
  await page.getByRole('tree').focus()
  await page.keyboard.press('Home')
  return page.evaluate(async () => {
    const tree = document.querySelector('[role=tree]')
    const start = performance.now()
    tree?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }))
    while (document.querySelector('[role=treeitem][aria-level="2"]') === null)
      await new Promise((resolve) => requestAnimationFrame(resolve))
    return performance.now() - start
  })
}

function scrollThrough(page: Page): Promise<{ frames: number; blank: number }> {
  return page.evaluate(async () => {
    const scroller = document.querySelector<HTMLElement>('[role=tree]')
    if (scroller === null) throw new Error('no tree')
    const box = scroller.getBoundingClientRect()
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    let [frames, blank] = [0, 0]
    const look = async () => {
      await frame()
      frames++
      const isFilled = [0.1, 0.5, 0.9].every(
        (part) =>
          document
            .elementFromPoint(box.left + box.width / 2, box.top + box.height * part)
            ?.closest('[role=treeitem]') != null,
      )
      if (!isFilled) blank++
    }
    for (let step = 0; step < 120; step++) {
      scroller.scrollTop += box.height * 3
      await look()
    }
    for (let step = 0; step < 40; step++) {
      scroller.scrollTop = (scroller.scrollHeight - box.height) * ((step * 0.37) % 1)
      await look()
    }
    return { frames, blank }
  })
}

async function filter(page: Page, queries: readonly string[]): Promise<number[]> {
  // The list of names is read when the panel opens.
  await page.getByRole('searchbox').fill('part')
  await page.getByRole('treeitem', { name: /part/ }).first().waitFor()
  const times: number[] = []
  for (const query of queries)
    times.push(
      await page.evaluate(async (text) => {
        const field = document.querySelector<HTMLInputElement>('.files-filter input')
        if (field === null) throw new Error('no filter')
        const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {}
        const rows = () => [...document.querySelectorAll('[role=treeitem]')].map((row) => row.textContent).join()
        const before = rows()
        const start = performance.now()
        set?.call(field, text)
        field.dispatchEvent(new Event('input', { bubbles: true }))
        while (rows() === before) await new Promise((resolve) => requestAnimationFrame(resolve))
        return performance.now() - start
      }, query),
    )
  return times
}

async function heap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number }
  await session.detach()
  return usedSize / 1e6
}
