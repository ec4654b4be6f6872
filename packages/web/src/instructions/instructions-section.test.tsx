import type { InstructionsInfo } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { button, change, click, field, render, type } from '../testing/render.tsx'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { InstructionsSection } from './instructions-section.tsx'

const standard = 'You are the master agent.\nBe brief.'

async function show(fields: Partial<InstructionsInfo> = {}, answers = {}) {
  const file = {
    path: '/home/me/.troupe/AGENTS.md',
    text: 'Be kind.\n',
    version: 'v1',
    tokens: 2,
    active: true,
    others: [],
  }
  const info: InstructionsInfo = {
    person: file,
    folder: { ...file, path: '/work/AGENTS.md', text: '' },
    master: { text: null, defaults: { en: standard }, earlierDefault: null, version: 'default', tokens: 8 },
    ...fields,
  }
  const sent: unknown[] = []
  const shown = await render(<InstructionsSection />, {
    answers: {
      'GET /ai/instructions': () => info,
      'PATCH /ai/instructions': (body: unknown) => (sent.push(body), info),
      ...answers,
    },
  })
  await change(() => undefined)
  return { ...shown, sent }
}

test('edited instructions show their size and are saved with the version that was read', async () => {
  const { view, sent } = await show()
  const text = field(t.instructions.person)
  expect(text.value).toBe('Be kind.\n')
  await type(text, 'Answer in German, please.')
  expect(view.querySelector('[data-setting=person]')?.textContent).toContain(t.editor.size('7'))
  await click(view.querySelector<HTMLButtonElement>('[data-setting=person] [type=submit]') as HTMLButtonElement)
  expect(sent).toEqual([{ scope: 'person', text: 'Answer in German, please.', version: 'v1', language: 'en' }])
})

test('a conflict shows both versions and overwrites only when told to', async () => {
  const sent: { version: string }[] = []
  const { view } = await show(
    {},
    {
      'PATCH /ai/instructions': (body: { version: string }) => {
        sent.push(body)
        if (body.version === 'v2') return {}
        const data = { text: 'From disk.\n', version: 'v2' }
        return Response.json({ error: { name: 'FileChanged', message: 'It changed.', data } }, { status: 409 })
      },
    },
  )
  await type(field(t.instructions.person), 'Mine.')
  await click(view.querySelector<HTMLButtonElement>('[data-setting=person] [type=submit]') as HTMLButtonElement)
  expect(view.querySelector('[role=alert]')?.textContent).toContain(t.editor.changed)
  expect(field(t.instructions.person).value).toBe('Mine.')
  await click(button(t.editor.overwrite))
  expect(sent.map(({ version }) => version)).toEqual(['v1', 'v2'])
})

test('the master’s own prompt says that the default changed, and can be restored', async () => {
  const master = {
    text: 'Mine.',
    defaults: { en: standard },
    earlierDefault: 'You are the master agent.',
    version: 'm1',
    tokens: 2,
  }
  const { view, sent } = await show({ master })
  expect(view.querySelector('[data-setting=master]')?.textContent).toContain(t.instructions.newDefault)
  await click(button(t.instructions.keepMine))
  expect(sent).toEqual([{ scope: 'master', text: 'Mine.', version: 'm1', language: 'en' }])
  await click(button(t.instructions.restore))
  await click([...document.querySelectorAll<HTMLButtonElement>('dialog button')].at(-1) as HTMLButtonElement)
  expect(sent.at(-1)).toMatchObject({ scope: 'master', text: null })
})
