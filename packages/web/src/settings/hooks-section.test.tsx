import { expect, test } from 'vitest'
import { button, change, click, field, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { HooksSection } from './hooks-section.tsx'

const hook = {
  id: 'home-before-call-1',
  event: 'before-call',
  source: '/home/me/.troupe/config.json',
  scope: 'home',
  match: ['Bash'],
  command: 'exit 2',
  timeoutMs: 60_000,
  enabled: true,
}
const file = { event: 'run-end', source: '/home/me/.troupe/hooks/a.ts', scope: 'home', timeoutMs: 1000, enabled: true }

async function show(answers = {}) {
  const sent: unknown[] = []
  const shown = await render(<HooksSection />, {
    answers: {
      'GET /ai/hooks': () => ({ hooks: [hook, file], problems: [] }),
      'GET /ai/workspace': () => ({ workspace: { path: '/work', trusted: false } }),
      'PATCH /ai/hooks/home-before-call-1': (body: unknown) => (sent.push(body), { hook }),
      'POST /ai/hooks': (body: unknown) => (sent.push(body), { hook }),
      ...answers,
    },
  })
  await change(() => undefined)
  return { ...shown, sent }
}

test('a hook is edited and turned off, and a module is only listed', async () => {
  const { view, sent } = await show()
  expect(view.querySelectorAll('.settings-list li')[1]?.querySelector('button')).toBeNull()
  await click(button(`${t.hookEditor.turnOff} exit 2`))
  expect(sent).toEqual([{ enabled: false }])
  await click(button(`${t.explain.edit} exit 2`))
  await type(field(t.hookEditor.match), 'Bash(git push *)\n\nEdit')
  await click(button(t.ui.save))
  expect(sent.at(-1)).toEqual({
    event: 'before-call',
    command: 'exit 2',
    match: ['Bash(git push *)', 'Edit'],
    timeoutMs: 60_000,
  })
})

test('a new hook goes to the home while the folder is not trusted, and an error stays in the form', async () => {
  const error = { name: 'BadHook', message: 'Line 1 is wrong.', data: { field: 'match' } }
  const { view } = await show({ 'POST /ai/hooks': () => Response.json({ error }, { status: 422 }) })
  await click(button(t.hookEditor.add))
  expect(view.querySelector<HTMLOptionElement>('option[value=project]')?.disabled).toBe(true)
  await type(field(t.hookEditor.command), 'true')
  await click(view.querySelector<HTMLButtonElement>('.settings-inline-form [type=submit]') as HTMLButtonElement)
  expect(view.querySelector('.settings-inline-form')?.textContent).toContain('Line 1 is wrong.')
  expect(field(t.hookEditor.match).getAttribute('aria-invalid')).toBe('true')
})
