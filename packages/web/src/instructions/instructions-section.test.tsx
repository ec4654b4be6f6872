import type { InstructionsInfo } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { button, change, click, field, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { InstructionsSection } from './instructions-section.tsx'

const standard = 'You are the master agent.\nBe brief.'

function stored(fields: Partial<InstructionsInfo> = {}): InstructionsInfo {
  const file = {
    path: '/home/me/.troupe/AGENTS.md',
    text: 'Be kind.\n',
    version: 'v1',
    tokens: 2,
    active: true,
    others: [],
  }
  return {
    person: file,
    folder: { ...file, path: '/work/AGENTS.md', text: '' },
    master: { text: null, defaults: { en: standard }, earlierDefault: null, version: 'default', tokens: 8 },
    ...fields,
  }
}

async function show(fields: Partial<InstructionsInfo> = {}, answers = {}) {
  const info = stored(fields)
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
        if (body.version === 'v2') return stored()
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

const saveButton = (scope: string) =>
  document.querySelector<HTMLButtonElement>(`[data-setting=${scope}] [type=submit]`) as HTMLButtonElement

test('an edit is saved with the version it began with, also if a newer one was loaded meanwhile', async () => {
  let info = stored({ folder: { ...stored().folder, active: false } })
  const sent: unknown[] = []
  await show(info, {
    'GET /ai/instructions': () => info,
    'GET /ai/workspace': () => ({ workspace: { id: 'w', path: '/a', trusted: false } }),
    'PATCH /ai/workspace': () => ({ workspace: { id: 'w', path: '/a', trusted: true } }),
    'PATCH /ai/instructions': (body: unknown) => {
      sent.push(body)
      const data = { text: 'From disk.\n', version: 'v2' }
      return Response.json({ error: { name: 'FileChanged', message: 'It changed.', data } }, { status: 409 })
    },
  })
  await type(field(t.instructions.person), 'Mine.')
  info = { ...info, person: { ...info.person, text: 'From disk.\n', version: 'v2' } }
  await click(button(t.settings.trust.give))
  await click([...document.querySelectorAll<HTMLButtonElement>('dialog button')].at(-1) as HTMLButtonElement)
  await click(saveButton('person'))
  expect(sent).toMatchObject([{ text: 'Mine.', version: 'v1' }])
  expect(document.querySelector('[data-setting=person] [role=alert]')?.textContent).toContain(t.editor.changed)
})

test('text typed while saving stays, and is saved on top of the version just saved', async () => {
  const saving = Promise.withResolvers<void>()
  const sent: unknown[] = []
  await show(
    {},
    {
      'PATCH /ai/instructions': async (body: { text: string }) => {
        sent.push(body)
        await saving.promise
        return stored({ person: { ...stored().person, text: `${body.text}\n`, version: `v${sent.length + 1}` } })
      },
    },
  )
  await type(field(t.instructions.person), 'One.')
  await click(saveButton('person'))
  await type(field(t.instructions.person), 'One. Two.')
  await change(() => saving.resolve())
  expect(field(t.instructions.person).value).toBe('One. Two.')
  await click(saveButton('person'))
  expect(sent).toMatchObject([
    { text: 'One.', version: 'v1' },
    { text: 'One. Two.', version: 'v2' },
  ])
  expect(field(t.instructions.person).value).toBe('One. Two.\n')
})

test('a failure to keep or restore the master’s prompt is shown, and the draft stays', async () => {
  const master = { text: 'Mine.', defaults: { en: standard }, earlierDefault: 'Old.', version: 'm1', tokens: 2 }
  let refuses = true
  let info = stored({ master })
  const { view } = await show(info, {
    'GET /ai/instructions': () => info,
    'PATCH /ai/instructions': (body: { text: string | null }) => {
      if (refuses) return Response.json({ error: { name: 'Full', message: 'The disk is full.' } }, { status: 507 })
      info = stored({ master: { ...master, text: body.text, earlierDefault: null, version: 'm2' } })
      return info
    },
  })
  await type(field(t.instructions.master), 'Draft.')
  await click(button(t.instructions.keepMine))
  expect(view.textContent).toContain('The disk is full.')
  refuses = false
  await click(button(t.instructions.keepMine))
  expect(field(t.instructions.master).value).toBe('Draft.')
  await click(button(t.instructions.restore))
  await click([...document.querySelectorAll<HTMLButtonElement>('dialog button')].at(-1) as HTMLButtonElement)
  expect(field(t.instructions.master).value).toBe(standard)
})
