import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { scriptedModel } from '@troupe/core/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'picks (skipped: no Chromium)' : 'picks'
const shots = process.env['TROUPE_SHOTS']

/** Echoes its input without the text every model gets. */
const echo = scriptedModel(
  (prompt) => {
    const said = prompt.findLast(({ role }) => role === 'user')?.content as { text?: string }[]
    return [{ text: said.map(({ text }) => text ?? '').join(' + ') }]
  },
  { provider: 'test', modelId: 'echo' },
)

describe.skipIf(chromium === undefined || !full)(name, () => {
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', {
      models: { 'test/echo': echo },
      files: { 'src/composer.tsx': 'export {}\n', 'src/chat/answer.ts': 'one\ntwo\n', '.env': 'KEY=secret\n' },
      home: {
        'config.json': JSON.stringify({ model: 'test/echo' }),
        'skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Reads and writes PDF files.\n---\nUse the tool.',
        'commands/review.md': '---\ndescription: Reviews a file.\nargument-hint: <file>\n---\nReview $1 well.',
      },
      server: { env: { HOME: '/nonexistent' } },
    })
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  test('a slash suggests commands and skills, and the keyboard selects one', async () => {
    const page = await workspace.sharedPage()
    const { field } = chatPage(page)
    const list = page.getByRole('listbox', { name: 'Suggestions' })
    await field.pressSequentially('/')
    await list.waitFor()
    await expect
      .poll(() => list.getByRole('option').allInnerTexts())
      .toEqual(
        expect.arrayContaining([
          expect.stringContaining('/help'),
          expect.stringContaining('/review <file>'),
          expect.stringContaining('/skill/pdf'),
        ]),
      )
    if (shots !== undefined) await shoot('slash')
    await field.press('ArrowDown')
    await expect
      .poll(() => field.getAttribute('aria-activedescendant'))
      .toBe(await list.getByRole('option', { selected: true }).getAttribute('id'))
    await field.pressSequentially('pd')
    await expect.poll(() => list.getByRole('option').count()).toBe(1)
    await field.press('Enter')
    await expect.poll(() => field.inputValue()).toBe('/skill/pdf ')
    await list.waitFor({ state: 'detached' })
    await field.pressSequentially('read it')
    await field.press('Enter')
    await chatPage(page).finished()
    await expect.poll(() => chatPage(page).lastAnswer.innerText()).toContain('Use the tool.')
    const own = chatPage(page).own.last()
    await expect.poll(() => own.getByRole('list', { name: 'Included' }).innerText()).toBe('skill pdf')
    if (shots !== undefined) await shoot('skill')

    async function shoot(what: string): Promise<void> {
      mkdirSync(shots ?? '', { recursive: true })
      await page.screenshot({ path: path.join(shots ?? '', `picks-${what}.png`) })
    }
  })

  test('a command is sent by one Enter when it is written in full, and its answer is a message', async () => {
    const page = await workspace.sharedPage()
    const { field } = chatPage(page)
    await field.pressSequentially('/help')
    await page.getByRole('listbox').waitFor()
    await field.press('Enter')
    await chatPage(page).finished()
    await expect.poll(() => chatPage(page).lastAnswer.innerText()).toContain('/summary-history')
    await expect.poll(() => chatPage(page).own.count()).toBe(1)
  })

  test('an at sign suggests agents, files and folders, and lists those that cannot be included', async () => {
    const page = await workspace.sharedPage()
    const { field } = chatPage(page)
    const list = page.getByRole('listbox')
    await field.pressSequentially('let @expl')
    const agent = list.getByRole('option').filter({ hasText: '@explore' })
    await agent.waitFor()
    await expect.poll(() => agent.innerText()).toMatch(/^@explore\s+\S/)
    await field.press('Enter')
    await expect.poll(() => field.inputValue()).toBe('let @explore ')
    await field.pressSequentially('see @ans')
    await list.getByRole('option').filter({ hasText: 'src/chat/answer.ts' }).waitFor()
    if (shots !== undefined) await page.screenshot({ path: path.join(shots, 'picks-at.png') })
    await field.press('Tab')
    await expect.poll(() => field.inputValue()).toBe('let @explore see @src/chat/answer.ts ')
    await field.pressSequentially('and @src')
    await list.getByRole('option').first().waitFor()
    await field.press('Enter')
    await expect.poll(() => field.inputValue()).toBe('let @explore see @src/chat/answer.ts and @src/')
    await list.getByRole('option').filter({ hasText: 'src/chat/' }).first().waitFor()
    await field.press('Escape')
    await list.waitFor({ state: 'detached' })
    await field.pressSequentially(' and @.env')
    await list.getByRole('option').first().waitFor()
    await field.press('Escape')
    await field.press('Enter')
    await chatPage(page).finished()
    const brought = chatPage(page).own.last().getByRole('list', { name: 'Included' })
    await expect
      .poll(() => brought.getByRole('listitem').allInnerTexts())
      .toEqual(['explore', 'src/chat/answer.ts', 'src/', expect.stringContaining('.env was not included.')])
    await expect
      .poll(() => chatPage(page).lastAnswer.innerText())
      .toContain('The user wants the agent explore for this')
    expect(await chatPage(page).lastAnswer.innerText()).not.toContain('secret')
    if (shots !== undefined) await page.screenshot({ path: path.join(shots, 'picks-brought.png') })
  })

  test('Escape closes the list for that word, and does not stop the run', async () => {
    const page = await workspace.sharedPage()
    const { field } = chatPage(page)
    const list = page.getByRole('listbox')
    await field.pressSequentially('/he')
    await list.waitFor()
    await field.press('Escape')
    await list.waitFor({ state: 'detached' })
    await field.pressSequentially('l')
    await expect.poll(() => list.count()).toBe(0)
    await field.fill('')
    await field.pressSequentially('x @')
    await list.waitFor()
    expect(workspace.complaints).toEqual([])
  })
})
