import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'
import { showChat, storeChat } from './testing/store-chat.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'the page (skipped: no Chromium, CHROMIUM_PATH is not set)' : 'the page'

describe.skipIf(chromium === undefined)(name, () => {
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '')
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  test('the printed URL works once, and the key disappears from the address bar', async () => {
    const url = workspace.server().newUrl()
    const page = await workspace.newPage()
    await page.goto(url)
    await page.getByRole('heading', { name: 'What are we working on?' }).waitFor()
    expect(page.url()).not.toContain('k=')
    const stranger = await workspace.newPage()
    await stranger.goto(url)
    await stranger.getByRole('heading', { name: 'This page is locked' }).waitFor()
    await stranger.getByRole('textbox').fill(workspace.server().newUrl())
    await stranger.getByRole('button', { name: 'Open' }).click()
    await stranger.getByRole('heading', { name: 'What are we working on?' }).waitFor()
    // The rejected key and the requests before it are expected errors in the browser console.
    expect(workspace.complaints.splice(0).every((complaint) => complaint.includes('401'))).toBe(true)
  })

  test('everything can be done with the keyboard', async () => {
    const { page, ...chat } = chatPage(await workspace.sharedPage())
    const tabTo = async (label: RegExp, keys = 'Tab') => {
      for (let press = 0; press < 150; press++) {
        await page.keyboard.press(keys)
        const focused = await page.evaluate(() => {
          const { activeElement } = document
          const ring = activeElement === null ? '' : getComputedStyle(activeElement).outlineStyle
          return { name: activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? '', ring }
        })
        if (label.test(focused.name)) return focused.ring
      }
      throw new Error(`${keys} never reaches ${label}`)
    }
    await page.keyboard.insertText('Ask me for approval')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Allow once' }).waitFor()
    expect(await tabTo(/^Allow once$/, 'Shift+Tab')).toBe('solid')
    await page.keyboard.press('Space')
    await chat.finished()
    await tabTo(/^Model:/)
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Search models' }).waitFor()
    await page.keyboard.type('tour')
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Search models' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Shift+O')
    await page.getByRole('heading', { name: 'What are we working on?' }).waitFor()
    await page.keyboard.type('typed at once')
    await expect.poll(() => chat.field.inputValue()).toBe('typed at once')
  })

  test('an example is answered in a stream, and the chat is in the list', async () => {
    const chat = chatPage(await workspace.sharedPage())
    const listed = chat.page.getByRole('navigation').getByRole('button', { name: /^Explore this folder/ })
    const before = await listed.count()
    const suggestions = chat.page.getByRole('list', { name: 'Suggestions' })
    await suggestions.getByRole('button', { name: 'Explore this folder' }).click()
    await chat.finished()
    await expect.poll(() => chat.lastAnswer.textContent()).toContain('folder')
    await expect.poll(() => suggestions.count()).toBe(0)
    await expect.poll(() => listed.count()).toBe(before + 1)
    await expect.poll(() => chat.page.getByTestId('announcer').textContent()).toContain('Answer finished.')
  })

  test('a reload during a run continues with the same answer, and so does a second tab', async () => {
    const chat = chatPage(await workspace.sharedPage())
    vi.stubEnv('TROUPE_DEMO_SPEED', '1')
    await chat.send('Count slowly to 12')
    await chat.lastAnswer.getByText('3,').waitFor()
    await chat.page.reload()
    await chat.lastAnswer.getByText('3,').waitFor()
    const second = chatPage(await chat.page.context().newPage())
    await second.page.goto(chat.page.url())
    await second.lastAnswer.getByText('5,').waitFor()
    await Promise.all([chat.finished(), second.finished()])
    const shown = await chat.lastAnswer.locator('.prose').innerText()
    expect(shown).toBe('1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12. Done.')
    await expect.poll(() => second.lastAnswer.locator('.prose').innerText()).toBe(shown)
    await expect.poll(() => second.own.count()).toBe(1)
  })

  test('stop ends the run and shows its duration, now and later; the text so far is kept', async () => {
    const chat = chatPage(await workspace.sharedPage())
    vi.stubEnv('TROUPE_DEMO_SPEED', '1')
    await chat.send('Count slowly to 100')
    await chat.lastAnswer.getByText('2,').waitFor()
    await chat.page.keyboard.press('Escape')
    await chat.lastAnswer.getByText(/Stopped by you after [\d.]+ m?s/).waitFor()
    await chat.finished()
    const mark = await chat.lastAnswer.locator('.mark').innerText()
    const stopTook = /^Stopping took [\d.]+ m?s\.$/
    await expect.poll(() => chat.lastAnswer.getByText('Stopped by you').getAttribute('title')).toMatch(stopTook)
    await expect.poll(() => chat.page.getByTestId('announcer').textContent()).toBe('Answer stopped.')
    await expect.poll(() => chat.lastAnswer.locator('.prose').innerText()).toMatch(/^1, 2,/)
    await chat.page.reload()
    await chat.lastAnswer.getByText('Stopped by you').waitFor()
    await expect.poll(() => chat.lastAnswer.locator('.mark').innerText()).toBe(mark)
    await expect.poll(() => chat.lastAnswer.getByText('Stopped by you').getAttribute('title')).toMatch(stopTook)
  })

  test('an approval waits through a reload and a restart of the server, and then the call runs', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('Ask me for approval')
    const approve = chat.page.getByRole('button', { name: 'Allow once' })
    await approve.waitFor()
    await chat.waiting(1)
    await chat.page.reload()
    await approve.waitFor()
    await workspace.restart(() => chat.page.getByText(/^Reconnecting…/).waitFor({ timeout: 40_000 }))
    await chat.page.getByText(/^Reconnecting…/).waitFor({ state: 'detached' })
    await approve.click()
    await chat.finished()
    await expect.poll(() => chat.answers.count()).toBe(1)
    await expect.poll(() => chat.lastAnswer.textContent()).toContain('You approved, so the tool call ran.')
    await chat.waiting(0)
    const lost = workspace.complaints.splice(0)
    expect(
      lost.filter(
        (complaint) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY|ERR_CONNECTION_RESET/.test(complaint),
      ),
    ).toEqual([])
  })

  test('the folder that is worked in is named; another one opens without a reload, with its own address and back', async () => {
    const page = await workspace.sharedPage()
    const name = page.getByRole('button', { name: `Working in ${workspace.folder}` })
    await expect.poll(() => name.getAttribute('title')).toBe(workspace.folder)
    const other = join(workspace.folder, 'inner')
    mkdirSync(other, { recursive: true })
    await page.evaluate(() => Object.assign(window, { isSame: true }))
    await name.click()
    await page.getByRole('menuitem', { name: 'Open folder…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Open folder' })
    await dialog.getByRole('textbox').fill(`${workspace.folder}/in`)
    await dialog.getByRole('button', { name: 'Open inner' }).waitFor()
    await dialog.getByRole('textbox').press('Tab')
    await expect.poll(() => dialog.getByRole('textbox').inputValue()).toBe(`${other}/`)
    await dialog.getByRole('textbox').press('Enter')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: `Working in ${other}` }).waitFor()
    expect(new URL(page.url()).hash).toMatch(/^#w=w_/)
    await page.goBack()
    await name.waitFor()
    expect(await page.evaluate(() => 'isSame' in window)).toBe(true)
    await name.click()
    await page.getByRole('menuitem', { name: 'Show chats of all folders' }).click()
    await page.getByRole('region', { name: 'inner' }).getByText('No chats').waitFor()
    await page.getByRole('button', { name: 'Show only this folder' }).click()
  })

  test.runIf(full)('an unreachable server is announced without a run, and so is its return', async () => {
    const page = await workspace.sharedPage()
    await workspace.restart(async () => {
      await page.evaluate(() => window.dispatchEvent(new Event('focus')))
      await page.getByText(/^Reconnecting…/).waitFor()
    })
    await page.getByText(/^Reconnecting…/).waitFor({ state: 'detached' })
    expect(workspace.complaints.splice(0).filter((complaint) => !complaint.includes('ERR_CONNECTION'))).toEqual([])
  })

  test.runIf(full)('a message, a rename and a deletion reach another tab; a message there continues as a new chat', async () => {
    const chat = chatPage(await workspace.sharedPage())
    const texts = ['Hello', 'Good day.']
    await showChat(chat.page, await storeChat(workspace.server(), { title: 'Shared by two tabs', texts }))
    await chat.finished()
    const second = chatPage(await chat.page.context().newPage())
    await second.page.goto(chat.page.url())
    await second.finished()
    // Only the tab in front renders at full speed.
    await chat.page.bringToFront()
    await chat.send('Repeat after me: from the first tab')
    await second.own.getByText('from the first tab').waitFor()
    await second.lastAnswer.getByText('from the first tab').waitFor()
    await second.finished()
    await expect
      .poll(() => second.own.last().locator('.bubble').innerText())
      .toBe('Repeat after me: from the first tab')
    const list = chat.page.getByRole('navigation')
    await list.getByRole('button', { name: 'Options for Shared by two tabs' }).click()
    await chat.page.getByRole('menuitem', { name: 'Rename' }).click()
    await chat.page.getByRole('textbox', { name: 'Chat title' }).fill('Of two tabs')
    await chat.page.keyboard.press('Enter')
    await chat.page.getByRole('heading', { name: 'Of two tabs', level: 1 }).waitFor()
    await second.page.getByRole('heading', { name: 'Of two tabs', level: 1 }).waitFor()
    await list.getByRole('button', { name: 'Options for Of two tabs' }).click()
    await chat.page.getByRole('menuitem', { name: 'Delete' }).click()
    await chat.page.getByRole('heading', { name: 'What are we working on?' }).waitFor()
    await list.getByRole('button', { name: 'Of two tabs', exact: true }).waitFor({ state: 'detached' })
    await list.getByRole('button', { name: 'Archive, trash, import' }).click()
    await chat.page.getByRole('menuitem', { name: 'Trash' }).click()
    await list.getByRole('button', { name: 'Options for Of two tabs' }).click()
    await chat.page.getByRole('menuitem', { name: 'Delete permanently' }).click()
    await chat.page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
    await list.getByRole('button', { name: 'Back to chats' }).click()
    await second.page.getByText('This chat was deleted elsewhere.').waitFor()
    await expect.poll(() => second.page.getByRole('button', { name: 'Options for Of two tabs' }).count()).toBe(0)
    await second.page.bringToFront()
    await second.field.fill('Repeat after me: anew')
    await second.page.getByRole('button', { name: 'Send as new chat' }).click()
    await second.lastAnswer.getByText('anew', { exact: true }).waitFor()
    await second.finished()
    await expect.poll(() => second.own.count()).toBe(1)
    // The browser console logs the request for a deleted session.
    expect(workspace.complaints.splice(0).filter((complaint) => !complaint.includes('404'))).toEqual([])
  })

  test.runIf(full)('it follows the system’s theme until one is chosen, and remembers the choice', async () => {
    const page = await workspace.sharedPage()
    await page.emulateMedia({ colorScheme: 'dark' })
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const dark = await ground()
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(ground).not.toBe(dark)
    const light = await ground()
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    await page.getByRole('link', { name: 'Appearance' }).click()
    await page.getByRole('radio', { name: 'Dark' }).check({ force: true })
    await expect.poll(ground).toBe(dark)
    await page.reload()
    await page.getByRole('radio', { name: 'Dark', checked: true }).waitFor({ state: 'attached' })
    expect(await ground()).toBe(dark)
    await page.getByRole('radio', { name: 'System' }).first().check({ force: true })
    await expect.poll(ground).toBe(light)
  })

  test.runIf(full)(
    'on a phone the title has space, views are in one menu, and no label stays after a tap',
    async () => {
      const page = await workspace.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
      const chat = chatPage(page)
      await chat.ask('Repeat after me: one thing[^1].\n\n[^1]: A note.')
      const title = page.getByRole('heading', { level: 1 })
      expect((await title.boundingBox())?.width).toBeGreaterThan(180)
      await page.getByRole('button', { name: 'Chat options' }).tap()
      for (const name of ['Find in this chat', 'Branch map', /^Context/, 'Open panels', 'Rename', 'Export', 'New chat'])
        await page.getByRole('menuitem', { name }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Show chats' }).tap()
      await page.getByRole('navigation').getByRole('button', { name: 'Repeat after me' }).first().tap()
      await expect.poll(() => page.getByRole('navigation').isVisible()).toBe(false)
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).not.toBeNull()
      expect(await page.locator('.tooltip').count()).toBe(0)
      await chat.lastAnswer.getByRole('button', { name: 'Footnote 1', exact: true }).tap()
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
      await expect.poll(focused).toBe('Back to footnote 1 in the text')
      await chat.lastAnswer.getByRole('button', { name: 'Back to footnote 1 in the text' }).tap()
      await expect.poll(focused).toBe('Footnote 1')
    },
  )

  test('on a phone the chats are a drawer and nothing is too wide; the end stays visible until the user scrolls up', async () => {
    const { page, ...chat } = chatPage(await workspace.sharedPage({ width: 390, height: 844 }))
    await chat.ask('Show me Markdown')
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await expect.poll(() => page.getByRole('navigation').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Show chats' }).click()
    await page.getByRole('navigation').getByRole('button', { name: 'New chat' }).click()
    await page.getByRole('heading', { name: 'What are we working on?' }).waitFor()
    await expect.poll(() => page.getByRole('navigation').isVisible()).toBe(false)
    await page.goBack()
    await page.setViewportSize({ width: 1000, height: 500 })
    await chat.finished()
    const distance = () =>
      page.evaluate(() => {
        const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.list-scroller') ?? document.body
        return scrollHeight - scrollTop - clientHeight
      })
    await expect.poll(distance).toBeLessThan(4)
    vi.stubEnv('TROUPE_DEMO_SPEED', '1')
    await chat.send('Count slowly to 100')
    await chat.lastAnswer.getByText('2,').waitFor()
    const reachable = await page.evaluate(() => {
      document.querySelector('.list-scroller')?.scrollBy(0, -1)
      return document.elementFromPoint(600, 200)?.closest('article') !== null
    })
    expect(reachable).toBe(true)
    await page.mouse.move(500, 250)
    await page.mouse.wheel(0, -600)
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor()
    const before = await page.evaluate(() => document.querySelector('.list-scroller')?.scrollTop)
    await page.waitForFunction(() => document.querySelector('.session-running') !== null)
    expect(await page.evaluate(() => document.querySelector('.list-scroller')?.scrollTop)).toBe(before)
    await page.getByRole('button', { name: 'Jump to latest' }).click()
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'detached' })
    await expect.poll(distance).toBeLessThan(4)
    await chat.stopButton.click()
    await chat.finished()
  })

  test('there were no errors, policy violations or external requests', () => {
    expect(workspace.complaints).toEqual([])
  })
})
