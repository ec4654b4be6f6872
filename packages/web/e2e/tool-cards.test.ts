import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { scriptedModel } from '@troupe/core/testing'
import type { ScriptTurn } from '@troupe/core/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name =
  chromium === undefined ? 'cards of tools (skipped: no Chromium, CHROMIUM_PATH is not set)' : 'cards of tools'

const greet = `export function greet(name: string) {
  // TODO: be polite
  return 'Hello ' + name
}

export const shouted = greet('you').toUpperCase()
`

/** A custom tool that shows a diff: a known kind, which needs no card. */
const renameTool = `
import { defineTool } from '@troupe/core'
import { z } from 'zod'
export default defineTool({
  description: 'Renames a word', input: z.object({ word: z.string() }), readOnly: true, group: 'testing',
  execute: ({ word }) => ({ word }),
  display: ({ word }) => ({
    title: 'Rename ' + word,
    content: { kind: 'diff', path: 'words.txt', diff: '@@ -4 +4 @@\\n-' + word + '\\n+' + word + 's\\n' },
  }),
})`

/** Prints in color, then waits for the file \`go\`. */
const liveCommand = `printf '\\033[32mgreen\\033[0m\\n'; seq 1 200; while [ ! -e go ]; do sleep 0.05; done; echo over; exit 3`

const patch = `*** Begin Patch
*** Update File: src/other.ts
*** Move to: src/another.ts
@@
-// nothing
+// something
*** Add File: src/third.ts
+export {}
*** Delete File: src/gone.ts
*** End Patch`

const several: ScriptTurn = [1, 2, 3].map((number) => ({
  call: { name: 'Write', input: { file_path: `new-${number}.txt`, content: `${number}\n` } },
}))

const scripts: Record<string, ScriptTurn[]> = {
  look: [
    [
      { call: { name: 'Read', input: { file_path: 'src/greet.ts' } } },
      { call: { name: 'Glob', input: { pattern: '**/*.ts' } } },
      { call: { name: 'Grep', input: { pattern: 'TODO', output_mode: 'content', '-C': 1 } } },
      { call: { name: 'ListDir', input: {} } },
      { call: { name: 'Read', input: { file_path: 'src/missing.ts' } } },
      { call: { name: 'WebSearch', input: { query: 'unified diff' } } },
      { call: { name: 'Rename', input: { word: 'card' } } },
      {
        call: {
          name: 'TodoWrite',
          input: {
            todos: [
              { content: 'Look', status: 'completed' },
              { content: 'Greet', status: 'in_progress', activeForm: 'Greeting' },
            ],
          },
        },
      },
    ],
    [{ text: 'Looked.' }],
  ],
  edit: [
    [{ call: { name: 'Read', input: { file_path: 'src/greet.ts' } } }],
    [
      {
        call: {
          name: 'Edit',
          input: {
            file_path: 'src/greet.ts',
            old_string: "  // TODO: be polite\n  return 'Hello ' + name\n}",
            new_string: '  return `Good day, ${name}\u202E!`\n}',
            actionName: 'Tidying up',
          },
        },
      },
      { call: { name: 'Write', input: { file_path: 'notes/new.md', content: '# New\n\nWritten\u00A0once.\n' } } },
    ],
    [{ text: 'Edited.' }],
  ],
  several: [several, [{ text: 'Done.' }]],
  'several again': [several, [{ text: 'Done.' }]],
  parts: [
    [{ call: { name: 'Read', input: { file_path: 'src/parts.ts' } } }],
    [
      {
        call: {
          name: 'Write',
          input: { file_path: 'src/parts.ts', content: 'const a = 10\nconst b = 2\nconst c = 30\n' },
        },
      },
    ],
    [{ text: 'Done.' }],
  ],
  run: [
    [{ call: { name: 'Bash', input: { command: liveCommand, description: 'Print and wait' } } }],
    [{ text: 'It ran.' }],
  ],
  patch: [
    [{ call: { name: 'ApplyPatch', input: { patch } } }],
    [{ call: { name: 'Bash', input: { command: 'echo more >> src/other.ts' } } }],
    [{ text: 'Patched.' }],
  ],
  undo: [[{ call: { name: 'Undo', input: { scope: 'turn' } } }], [{ text: 'Undone.' }]],
}

describe.skipIf(chromium === undefined)(name, () => {
  const model = scriptedModel(
    (prompt) => {
      const last = prompt.findLastIndex((message) => message.role === 'user')
      const text = prompt[last]?.content[0] as { text: string }
      const steps = prompt.slice(last).filter((message) => message.role === 'assistant').length
      return scripts[text.text]?.[steps] ?? [{ text: 'Yes.' }]
    },
    { provider: 'test', modelId: 'script' },
  )
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', {
      models: { 'test/script': model },
      home: {
        // A sandbox, if available, would let some of the commands run without approval.
        'config.json': '{"model": "test/script", "permissions": {"ask": ["Bash"]}}',
        'tools/rename.ts': renameTool,
      },
      files: { 'src/greet.ts': greet, 'src/other.ts': '// nothing\n', 'src/gone.ts': 'one\ntwo\n' },
    })
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  test('results have their own displays, words in folded ones are found, and on a phone nothing is too wide', async () => {
    const chat = chatPage(await workspace.sharedPage())
    const answer = await chat.ask('look')
    await chat.page.keyboard.press('Control+f')
    await chat.page.getByRole('textbox', { name: 'Find in this chat' }).fill('toUppercase')
    await expect.poll(() => chat.page.locator('.find-place').innerText(), { timeout: 10_000 }).toBe('1 of 1')
    const here = () =>
      chat.page.evaluate(() =>
        [...(CSS.highlights.get('found-here') ?? [])].map((range) => (range as Range).toString()).join(),
      )
    await expect.poll(here, { timeout: 10_000 }).toBe('toUpperCase')
    await expect
      .poll(() => answer.getByRole('button', { name: /^Read src\/greet.ts/ }).getAttribute('aria-expanded'))
      .toBe('true')
    await chat.page.keyboard.press('Escape')
    const open = async (title: RegExp) => {
      const head = answer.getByRole('button', { name: title })
      if ((await head.getAttribute('aria-expanded')) === 'false') await head.click()
      const button = chat.page.getByRole('button', { name: title })
      return answer.getByRole('group', { name: /./ }).filter({ has: button }).last()
    }
    const read = await open(/^Read src\/greet\.ts/)
    await expect.poll(() => read.getByRole('figure').innerText()).toContain('TypeScript')
    await expect.poll(() => read.getByRole('row').nth(1).innerText()).toMatch(/^2\s+\/\/ TODO: be polite$/)
    const found = await open(/^Find \*\*\/\*\.ts/)
    expect((await found.getByRole('listitem').allInnerTexts()).sort()).toEqual([
      'src/gone.ts',
      'src/greet.ts',
      'src/other.ts',
    ])
    const searched = await open(/^Search for TODO/)
    await expect.poll(() => searched.locator('mark').allInnerTexts()).toEqual(['TODO'])
    await expect.poll(() => searched.getByRole('row').count()).toBe(3)
    const listed = await open(/^List \./)
    await expect.poll(() => listed.getByRole('listitem').first().innerText()).toBe('src')
    const failed = await open(/^Read\s*src\/missing\.ts/)
    await expect.poll(() => failed.innerText()).toContain('src/missing.ts does not exist')
    await expect.poll(() => answer.getByRole('listitem').filter({ hasText: 'Greeting' }).count()).toBe(1)
    await read.getByText('Details').click()
    await expect.poll(() => read.getByText('Sent to the model').isVisible()).toBe(true)
    // Without a provider, a web search explains how to set one up.
    await expect.poll(() => answer.getByRole('group', { name: /^WebSearch:/ }).innerText()).toContain('config.json')
    // A tool of one’s own that shows a known kind needs no card.
    await answer.getByRole('button', { name: /^Rename card/ }).waitFor()
    await expect
      .poll(() =>
        answer
          .getByRole('group', { name: /^Rename:/ })
          .getByRole('row')
          .allInnerTexts(),
      )
      .toEqual(
        ['Show 3 unchanged lines', '4\t\t−\tcard', '\t4\t+\tcards'].map((row) =>
          expect.stringMatching(inAnyBlanks(row)),
        ),
      )

    await chat.page.setViewportSize({ width: 390, height: 844 })
    await answer.locator('.tool-head[aria-expanded="false"]').evaluateAll((heads) => {
      for (const head of heads) (head as HTMLElement).click()
    })
    await answer.getByRole('figure').nth(3).waitFor()
    const wide = await chat.page.evaluate(() =>
      [...document.querySelectorAll('.message *')]
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
        .map((element) => element.className),
    )
    expect(wide).toEqual([])
  })

  test('an edit is approved as the diff that it is, a new file as it will be written', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('edit')
    const card = chat.page.getByRole('group', { name: /^Edit:/ })
    await card.getByRole('table').waitFor()
    // The tool describes what to approve, not the model. Invisible characters are shown.
    await expect.poll(() => card.getByRole('button').first().innerText()).toMatch(/^Edit a file\s+src\/greet\.ts/)
    await expect.poll(() => card.locator('.diff-removed').allInnerTexts()).toHaveLength(2)
    await expect.poll(() => card.locator('.diff-added').innerText()).toContain('Good day, ${name}⟨U+202E⟩!')
    // Context lines are included: it is the diff of the file, not of two texts.
    expect((await card.locator('.diff-context').allInnerTexts()).join('\n')).toMatch(/export function greet[^]*\}/)
    const written = chat.page.getByRole('group', { name: /^Write:/ })
    await expect.poll(() => written.getByRole('row').last().innerText()).toMatch(/^\s*3\s+\+\s+Written⟨U\+00A0⟩once\.$/)
    const approve = chat.page.getByRole('button', { name: 'Allow once' })
    await approve.nth(1).click()
    await approve.nth(1).waitFor({ state: 'detached' })
    await approve.click()
    await chat.finished()
    await chat.openGroups()
    await expect.poll(() => written.getByRole('figure').innerText()).toContain('new')
    await expect.poll(() => written.locator('.diff-added').count()).toBe(3)
    expect(await readFile(path.join(workspace.folder, 'src/greet.ts'), 'utf8')).toContain('Good day, ${name}\u202E!')
    const edited = chat.page.getByRole('group', { name: 'Edit: done' })
    await expect.poll(() => edited.locator('.diff-added').innerText()).toMatch(/^\s*2\s+\+\s+return `Good day/)
    await expect
      .poll(() => edited.getByRole('figure').getAttribute('aria-label'))
      .toBe('Changes in src/greet.ts: 1 added, 2 removed')
    await chat.page.reload()
    await chat.openGroups()
    await chat.page.getByRole('group', { name: 'Edit: done' }).locator('.diff-added').waitFor()
  })

  // hunk-choices.test.tsx and accept-hunks.test.ts do this in every run.
  test.runIf(full)('changes are accepted one by one, with the keyboard, and only those are made', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await writeFile(path.join(workspace.folder, 'src/parts.ts'), 'const a = 1\nconst b = 2\nconst c = 3\n')
    await chat.send('parts')
    const card = chat.page.getByRole('group', { name: /^Write:/ })
    const first = card.getByRole('checkbox', { name: /^Change 1 of 2/ })
    await first.focus()
    await chat.page.keyboard.press('Space')
    await expect.poll(() => card.locator('tr[data-rejected]').count()).toBe(2)
    await chat.page.getByRole('textbox', { name: 'Note about the rejected changes' }).fill('Keep a.')
    const allow = chat.page.getByRole('button', { name: 'Allow 1 of 2 changes' })
    await allow.focus()
    await chat.page.keyboard.press('Enter')
    await chat.finished()
    expect(await readFile(path.join(workspace.folder, 'src/parts.ts'), 'utf8')).toBe(
      'const a = 1\nconst b = 2\nconst c = 30\n',
    )
    await chat.openGroups()
    const written = chat.page.getByRole('group', { name: 'Write: done' }).last()
    await expect.poll(() => written.innerText()).toMatch(/You accepted 1 of 2 changes[^]*const a = 10[^]*Keep a\./i)
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('The user said: Keep a.')
  })

  test.runIf(full)('several approvals are reviewed together, one by key and the rest at once', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('several')
    await chat.page.getByRole('button', { name: 'Review 3 approvals' }).click()
    const dialog = chat.page.getByRole('dialog', { name: 'Review 3 approvals' })
    // In the order in which they were asked, which is not always that of the calls.
    const entries = dialog.locator('.review-entry')
    await expect.poll(() => entries.allInnerTexts()).toHaveLength(3)
    const second = /new-\d\.txt/.exec(await entries.nth(1).innerText())?.[0] ?? ''
    await chat.page.keyboard.press('j')
    const shown = dialog.getByRole('group', { name: /^Write: needs your approval/ })
    await expect.poll(() => shown.getByRole('figure').innerText()).toContain(second)
    await chat.page.keyboard.press('k')
    // A key decides only what has been in view for a moment. A denial ends the turn, and with it the other calls.
    await expect
      .poll(
        async () => {
          await chat.page.keyboard.press('3')
          return chat.page.locator('.review-entry').count()
        },
        { interval: 200 },
      )
      .toBe(0)
    await chat.page.locator('dialog').waitFor({ state: 'detached' })
    await chat.finished()
    await chat.send('several again')
    await chat.page.getByRole('button', { name: 'Review 3 approvals' }).click()
    await chat.page.getByRole('button', { name: 'Allow all once…' }).click()
    const list = chat.page.getByRole('region', { name: 'Allow 3 tool calls once?' })
    await expect.poll(() => list.getByRole('listitem').allInnerTexts()).toHaveLength(3)
    await list.getByRole('button', { name: 'Allow 3 once' }).click()
    await chat.finished()
    expect(await readFile(path.join(workspace.folder, 'new-3.txt'), 'utf8')).toBe('3\n')
  })

  test('a command is shown exactly, then its live output, then its end', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('run')
    const card = chat.page.getByRole('group', { name: /^Bash:/ })
    const terminal = card.getByRole('figure', { name: /^Terminal:/ })
    await expect.poll(() => terminal.locator('code').innerText()).toBe(liveCommand)
    await chat.page.getByRole('button', { name: 'Allow once' }).click()
    const output = terminal.getByRole('log', { name: 'Output' })
    await output.getByText('200').waitFor()
    await expect.poll(() => card.getByRole('button').first().innerText()).toContain('running')
    expect((await output.locator('.ansi-green').innerText()).trim()).toBe('green')
    const gap = () => output.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
    expect(await gap()).toBeLessThan(2)
    await expect.poll(() => output.evaluate((box) => box.scrollTop)).toBeGreaterThan(100)
    await writeFile(path.join(workspace.folder, 'go'), '')
    await chat.finished()
    await expect.poll(() => output.innerText()).toContain('over')
    expect(await gap()).toBeLessThan(2)
    await expect.poll(() => terminal.innerText()).toContain('exit code 3')
    await chat.page.reload()
    await chat.finished()
    await card.getByRole('button', { name: /^Print and wait.*exit code 3/ }).click()
    await expect.poll(() => output.innerText()).toContain('green')
  })

  test.runIf(full)('a patch is approved file by file, and its undo lists changes that cannot be undone', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('patch')
    const patched = chat.page.getByRole('group', { name: /^ApplyPatch:/ })
    await patched.getByRole('figure').nth(2).waitFor()
    const asked = await patched.getByRole('figure').allInnerTexts()
    expect(asked[0]).toMatch(/src\/another\.ts[^]*moved[^]*from[^]*src\/other\.ts[^]*\/\/ something/)
    expect(asked[1]).toMatch(/src\/third\.ts[^]*new[^]*export/)
    expect(asked[2]).toMatch(/src\/gone\.ts[^]*deleted[^]*−\s+one[^]*−\s+two/)
    await chat.page.getByRole('button', { name: 'Allow once' }).click()
    await chat.page.getByRole('group', { name: 'ApplyPatch: done' }).waitFor()
    await expect
      .poll(() => patched.getByRole('figure', { name: 'Changes in src/gone.ts: 0 added, 2 removed' }).count())
      .toBe(1)
    await chat.page.getByRole('button', { name: 'Allow once' }).click()
    await chat.finished()
    await chat.send('undo')
    await chat.page.getByRole('button', { name: 'Allow once' }).click()
    await chat.finished()
    const undone = await chat.page.getByRole('group', { name: /^Undo:/ }).innerText()
    expect(undone).toContain('src/gone.ts')
    expect(undone).toMatch(/can’t be undone[^]*echo more >> src\/other\.ts/)
    expect(await readFile(path.join(workspace.folder, 'src/gone.ts'), 'utf8')).toBe('one\ntwo\n')
  })

  test('there were no errors', () => {
    expect(workspace.complaints).toEqual([])
  })
})

function inAnyBlanks(text: string): RegExp {
  return new RegExp(`^\\s*${text.trim().replaceAll(/[+]/g, '\\+').replaceAll(/\s+/g, '\\s+')}\\s*$`)
}
