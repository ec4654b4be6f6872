import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { median } from '../measure.ts'
import { withWorkspace } from './open-bench.ts'

const chatsEach = 300
/** The menu has this many folders, and the own one. */
const rounds = 7

const switching = {
  name: `switch to a folder with ${chatsEach} chats: its chats are listed and the message box is ready`,
  bar: '< 300 ms, first and again',
  async run() {
    return withWorkspace({}, async (workspace) => {
      const { store } = workspace.server()
      const names = Array.from({ length: rounds }, (_, i) => `other-${i}`)
      for (const name of names) {
        const folder = path.join(workspace.folder, name)
        mkdirSync(folder)
        const { id } = await store.workspaces.open(folder)
        for (let i = 0; i < chatsEach; i++)
          await store.sessions.create({ id: `${name}-${i}`, workspaceId: id, title: `${name} chat ${i}` })
      }
      const page = await workspace.open()
      const own = path.basename(workspace.folder)
      const first: number[] = []
      const again: number[] = []
      for (const name of names) {
        first.push(await switchTime(page, name))
        await switchTime(page, own)
        again.push(await switchTime(page, name))
        await switchTime(page, own)
      }
      const [one, two] = [median(first), median(again)]
      return {
        value: `${one.toFixed(0)} ms, ${two.toFixed(0)} ms`,
        ok: one < 300 && two < 300,
        detail: `slowest ${Math.max(...first, ...again).toFixed(0)} ms`,
      }
    })
  },
}

export const benches = [switching]

/** Milliseconds from the choice in the menu to the frame that shows the folder. */
async function switchTime(page: Page, name: string): Promise<number> {
  await page.locator('.folder-switcher').click()
  await page.getByRole('menuitem', { name: new RegExp(`^${name}`) }).waitFor()
  return page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')]
        const item = items.find(({ textContent }) => textContent.startsWith(wanted))
        const start = performance.now()
        item?.click()
        const look = () => {
          const shown = document.querySelector('.folder-switcher')?.getAttribute('title')?.endsWith(`/${wanted}`)
          const titles = [...document.querySelectorAll('.session-title')].map(({ textContent }) => textContent)
          const isListed = !wanted.startsWith('other-') || titles.some((title) => title.startsWith(`${wanted} chat`))
          const isReady = document.querySelector<HTMLTextAreaElement>('.composer textarea')?.disabled === false
          if (shown === true && isListed && isReady)
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)))
          else requestAnimationFrame(look)
        }
        look()
      }),
    name,
  )
}
