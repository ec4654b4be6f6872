import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { full } from '../../../protocol/testing/test-effort.ts'

/** The script to run in a page before the first look. */
export const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const usual = { width: 1200, height: 800 }
const phone = { width: 390, height: 844 }
const light = { colorScheme: 'light', contrast: 'no-preference' } as const
const dark = { colorScheme: 'dark', contrast: 'no-preference' } as const
const darkAndMore = { colorScheme: 'dark', contrast: 'more' } as const
const themes = [dark, darkAndMore, { colorScheme: 'light', contrast: 'more' }] as const

let looks = 0

/**
 * Returns accessibility problems in light and dark themes, with more contrast, and on a phone. `within`: an overlay on
 * a page that was already checked.
 *
 * All themes have the same elements, the colors of a theme come from one file, and a phone shows the same elements
 * again. So outside full runs, which take minutes, screens take turns: the first has a dark theme, the third has more
 * contrast, the fifth is on a phone, and the others have only the first look.
 */
export async function everyLook(page: Page, within?: string): Promise<string[]> {
  if (full) return allLooks(page, within)
  const found = await oneLook(page, { within })
  const turn = looks++ % 6
  if (turn === 0 || turn === 2) {
    await page.emulateMedia(turn === 0 ? dark : darkAndMore)
    found.push(...(await oneLook(page, { rule: 'color-contrast', within })))
    await page.emulateMedia(light)
  }
  if (turn === 4) {
    await page.setViewportSize(phone)
    // On a phone the colors are those of the first look. Reading them takes most of the time.
    found.push(...(await oneLook(page, { within, without: 'color-contrast' })), ...(await tooWide(page)))
    await page.setViewportSize(usual)
  }
  return found
}

/** Returns accessibility problems of a part of the page in each theme, in every run. */
export async function everyTheme(page: Page, within: string): Promise<string[]> {
  const found = await oneLook(page, { within })
  for (const theme of themes) {
    await page.emulateMedia(theme)
    const problems = await oneLook(page, { rule: 'color-contrast', within })
    found.push(...problems.map((problem) => `${theme.colorScheme}, ${theme.contrast}: ${problem}`))
  }
  await page.emulateMedia(light)
  return found
}

async function allLooks(page: Page, within: string | undefined): Promise<string[]> {
  const found: string[] = []
  for (const size of [
    { width: 1440, height: 900 },
    { width: 1920, height: 1080 },
    { width: 1024, height: 768 },
    phone,
  ]) {
    await page.setViewportSize(size)
    const problems = [...(await oneLook(page, { within })), ...(await tooWide(page))]
    for (const theme of themes) {
      await page.emulateMedia(theme)
      problems.push(...(await oneLook(page, { rule: 'color-contrast', within })))
    }
    await page.emulateMedia(light)
    found.push(...problems.map((problem) => `${size.width} px: ${problem}`))
  }
  await page.setViewportSize(usual)
  return found
}

async function tooWide(page: Page): Promise<string[]> {
  const pixels = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  return pixels > 0 ? [`${pixels} px wider than the window`] : []
}

interface Look {
  rule?: string
  without?: string | undefined
  within?: string | undefined
}

export async function oneLook(page: Page, { rule, without, within }: Look = {}): Promise<string[]> {
  const results = await page.evaluate(
    async ({ options, root }) => {
      const { axe: found } = window as unknown as {
        axe: { run(root: Document | string, options: RunOptions): Promise<AxeResults> }
      }
      // Wait until color transitions end. Another theme is drawn with the next frame.
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined)))
      const { violations } = await found.run(root ?? document, options)
      // Headings in a conversation come from its texts and have their own order. A popup belongs to its button,
      // wherever it is in the document.
      const isFine = (id: string, element: Element | null): boolean =>
        (id === 'heading-order' && element?.closest('.list') != null) ||
        // A link to a section that is scrolled out of view is taken for one that skips content.
        (id === 'skip-link' && element?.closest('.settings-nav') != null) ||
        (id === 'region' && element?.closest('[data-radix-popper-content-wrapper]') != null)
      return violations.map(({ id, nodes }) => ({
        id,
        nodes: nodes.filter(({ target }) => !isFine(id, document.querySelector(String(target[0])))),
      }))
    },
    {
      root: within,
      options: {
        resultTypes: ['violations'],
        // The content of frames is not ours.
        iframes: false,
        ...(rule !== undefined && { runOnly: { type: 'rule', values: [rule] } }),
        ...(without !== undefined && { rules: { [without]: { enabled: false } } }),
      } satisfies RunOptions as RunOptions,
    },
  )
  return results.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary?.split('\n').slice(1).join(' ')}`),
  )
}
