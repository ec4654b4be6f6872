import { expect, test } from 'vitest'
import { button, change, click, field, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { SkillsSection } from './skills-section.tsx'

const skill = {
  name: 'tides',
  description: 'About tides.',
  path: '/home/me/.troupe/skills/tides/SKILL.md',
  folder: '/home/me/.troupe/skills/tides',
  scope: 'home',
  shadows: [],
  enabled: true,
}
const broken = { path: '/home/me/.troupe/skills/half/SKILL.md', line: 1, message: 'no front matter' }

test('a skill is edited and turned off, a broken one can be opened, and a new one is added', async () => {
  const sent: unknown[] = []
  const note = (body: unknown) => (sent.push(body), { path: skill.path, text: 'new', version: 'v2' })
  const { view } = await render(<SkillsSection />, {
    answers: {
      'GET /ai/skills': () => ({ skills: [skill], problems: [broken] }),
      'GET /ai/workspace': () => ({ workspace: { path: '/work', trusted: true } }),
      'GET /ai/skills/text': () => ({ path: skill.path, text: 'old', version: 'v1' }),
      'PATCH /ai/skills/text': note,
      'PATCH /ai/skills': note,
      'POST /ai/skills': note,
    },
  })
  await change(() => undefined)
  await click(button(`${t.hookEditor.turnOff} tides`))
  expect(sent).toEqual([{ name: 'tides', enabled: false }])
  await click(button(`${t.explain.edit} tides`))
  await type(field(skill.path), 'newer')
  await click(button(t.ui.save))
  expect(sent.at(-1)).toEqual({ path: skill.path, text: 'newer', version: 'v1' })
  expect(button(`${t.skillEditor.fix} ${broken.path}`)).toBeDefined()
  await click(button(t.skillEditor.add))
  await type(field(t.skillEditor.name), 'winds')
  await type(field(t.skillEditor.description), 'About winds.')
  await type(field(t.skillEditor.instructions), 'Ask the vane.')
  await click(view.querySelector<HTMLButtonElement>(`form[aria-label="${t.skillEditor.add}"] [type=submit]`)!)
  expect(sent.at(-1)).toEqual({
    name: 'winds',
    scope: 'home',
    description: 'About winds.',
    instructions: 'Ask the vane.',
  })
})

test('a double click adds one skill', async () => {
  let added = 0
  const answer = Promise.withResolvers<unknown>()
  const { view } = await render(<SkillsSection />, {
    answers: {
      'GET /ai/skills': () => ({ skills: [], problems: [] }),
      'GET /ai/workspace': () => ({ workspace: { path: '/work', trusted: true } }),
      'POST /ai/skills': () => (added++, answer.promise as never),
    },
  })
  await change(() => undefined)
  await click(button(t.skillEditor.add))
  await type(field(t.skillEditor.name), 'winds')
  await type(field(t.skillEditor.description), 'About winds.')
  await type(field(t.skillEditor.instructions), 'Ask the vane.')
  const form = view.querySelector('form')!
  const submit = () => form.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
  await change(submit)
  await change(submit)
  expect(added).toBe(1)
  await change(() => answer.resolve({ path: skill.path }))
})
