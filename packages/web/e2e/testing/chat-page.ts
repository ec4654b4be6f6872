import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

export function chatPage(page: Page) {
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  return {
    page,
    field,
    answers: page.getByRole('article', { name: 'Answer' }),
    lastAnswer: page.getByRole('article', { name: 'Answer' }).last(),
    own: page.getByRole('article', { name: 'You' }),
    stopButton: page.getByRole('button', { name: 'Stop', exact: true }),

    async send(text: string): Promise<void> {
      await field.fill(text)
      await field.press('Enter')
    },
    /** Waits until the answer is complete and stored. */
    async finished(): Promise<void> {
      await field.waitFor()
      await page
        .getByRole('article', { name: 'Answer' })
        .last()
        .getByRole('button', { name: /^(Regenerate$|Try again)/ })
        .waitFor()
    },
    async ask(text: string): Promise<Locator> {
      // Messages far above are not in the document, so they cannot be counted.
      const own = page.getByRole('article', { name: 'You' })
      await own.evaluateAll((articles) => articles.forEach((article) => article.setAttribute('data-seen', '')))
      await this.send(text)
      await page.locator('article[aria-label="You"]:not([data-seen])').last().waitFor()
      await this.finished()
      return page.getByRole('article', { name: 'Answer' }).last()
    },
    /** Opens the lines that finished tool calls are folded into. */
    async openGroups(): Promise<void> {
      const closed = page.locator('.tool-group-head[aria-expanded="false"]')
      await closed.first().waitFor()
      while ((await closed.count()) > 0) await closed.first().click()
    },
    /** Chooses an entry of the menu in the header. */
    async option(name: string | RegExp): Promise<void> {
      await page.getByRole('button', { name: 'Chat options' }).click()
      await page.getByRole('menuitem', { name }).click()
    },
    /** Waits until this many requests of all chats wait for the user. */
    async waiting(count: number): Promise<void> {
      await expect.poll(() => page.title()).toMatch(count === 0 ? /^[^(]/ : new RegExp(`^\\(${count}\\) `))
    },
    newSession: () => page.getByRole('button', { name: 'New chat' }).first().click(),
  }
}
