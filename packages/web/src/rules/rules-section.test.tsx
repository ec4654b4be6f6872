import { expect, test } from 'vitest'
import type { RuleInfo, RuleList } from '../api/settings-types.ts'
import { button, change, click, field, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { callFrom } from './explain-call.tsx'
import { RulesSection } from './rules-section.tsx'

const rule = (id: string, text: string, fields: Partial<RuleInfo> = {}): RuleInfo =>
  ({ id, text, effect: 'allow', layer: 'user', file: '/home/config.json', editable: true, ...fields }) as RuleInfo
const sandbox = { available: true, text: 'Commands run in a sandbox.' }

async function show(rules: RuleInfo[], fields: Partial<RuleList> = {}, answers = {}) {
  const list = { rules, warnings: [], mode: 'default', bypass: false, sandbox, ...fields }
  const removed: string[] = []
  const shown = await render(<RulesSection />, {
    answers: {
      'GET /ai/rules': () => ({ ...list, rules: rules.filter(({ id }) => !removed.includes(id)) }),
      'DELETE /ai/rules/r1': () => (removed.push('r1'), {}),
      'POST /ai/rules': () => (removed.pop(), { settled: [], warnings: [] }),
      ...answers,
    },
  })
  await change(() => undefined)
  return { ...shown, texts: () => [...shown.view.querySelectorAll('.rule code')].map((code) => code.textContent) }
}

test('a rule is revoked and restored by the same button', async () => {
  const { view, requests } = await show([rule('r1', 'Bash(ls)'), rule('r2', 'Read(/tmp)')])
  await click(button(`${t.rules.revoke} ${t.rules.effects.allow} Bash(ls)`))
  expect(requests).toContain('DELETE /ai/rules/r1')
  expect(view.querySelector('[data-revoked=true]')?.textContent).toContain('Bash(ls)')
  await click(button(`${t.rules.restore} ${t.rules.effects.allow} Bash(ls)`))
  expect(requests).toContain('POST /ai/rules')
  expect(view.querySelector('[data-revoked=true]')).toBeNull()
})

test('a rule that only its file can change has no button', async () => {
  const { view } = await show([rule('r1', 'Bash(ls)', { editable: false })])
  expect(view.querySelector('.rule button')).toBeNull()
})

test('a refused change is reported and the rule stays', async () => {
  const refuse = () =>
    Response.json({ error: { name: 'Forbidden', message: 'The file is read-only.' } }, { status: 403 })
  const { view, texts } = await show([rule('r1', 'Bash(ls)')], {}, { 'DELETE /ai/rules/r1': refuse })
  await click(button(`${t.rules.revoke} ${t.rules.effects.allow} Bash(ls)`))
  expect(view.querySelector('[role=alert]')?.textContent).toContain('The file is read-only.')
  expect(texts()).toEqual(['Bash(ls)'])
})

test('many rules can be searched', async () => {
  const { texts } = await show(Array.from({ length: 60 }, (_, i) => rule(`r${i}`, `Bash(cmd-${i})`)))
  expect(texts()).toHaveLength(60)
  await type(field(t.rules.search), 'cmd-59')
  expect(texts()).toEqual(['Bash(cmd-59)'])
})

test('a missing sandbox is an alert with its remedy', async () => {
  const { view } = await show([], {
    sandbox: { available: false, text: 'No bubblewrap.', fix: 'apt install bubblewrap' },
  })
  expect(view.querySelector('[role=alert]')?.textContent).toContain('apt install bubblewrap')
})

test('a rule shows exactly what it allows, including invisible characters and markup', async () => {
  const { view, texts } = await show([rule('r1', 'Bash(ls\u202E <b>)', { problem: 'It matches nothing.' })])
  expect(texts()).toEqual(['Bash(ls⟨U+202E⟩ <b>)'])
  expect(view.querySelector('.rule')?.textContent).toContain('It matches nothing.')
})

test('a list that cannot be loaded says why', async () => {
  const { view } = await show([], {}, { 'GET /ai/rules': () => Response.json({}, { status: 500 }) })
  expect(view.querySelector('.settings-failure')?.textContent).not.toBe('')
})

test('a tool call is explained by the rule that decides it', async () => {
  const asked: unknown[] = []
  const decision = { decision: 'deny', reason: 'The rule "Read(.env)" forbids it.', rule: 'Read(.env)' }
  const { view } = await show(
    [],
    {},
    {
      'POST /ai/rules/explain': (body: unknown) => (asked.push(body), { decisions: [decision] }),
    },
  )
  await type(field(t.explain.call), 'cat .env')
  await click(button(t.explain.explain))
  expect(asked).toMatchObject([{ calls: [{ tool: 'Bash', input: { command: 'cat .env' } }] }])
  expect(view.querySelector('.explained')?.textContent).toContain('Read(.env)')
  expect(callFrom('tool', 'Task {"agent": "explore"}')).toEqual({ tool: 'Task', input: { agent: 'explore' } })
  expect(callFrom('tool', 'Task {oops')).toBeUndefined()
})

test('a rule is edited in place, and an error stays with it', async () => {
  const sent: unknown[] = []
  const { view } = await show(
    [rule('r1', 'Bash(ls)')],
    {},
    {
      'PATCH /ai/rules/r1': (body: { text: string }) => {
        sent.push(body)
        if (body.text === 'Bash(')
          return Response.json({ error: { name: 'BadRule', message: 'No end.' } }, { status: 422 })
        return { settled: [], warnings: [] }
      },
    },
  )
  await click(button(`${t.explain.edit} Bash(ls)`))
  const text = view.querySelector<HTMLInputElement>('.rule-editor input') as HTMLInputElement
  await type(text, 'Bash(')
  await click(view.querySelector<HTMLButtonElement>('.rule-editor [type=submit]') as HTMLButtonElement)
  expect(view.querySelector('.rule-editor')?.textContent).toContain('No end.')
  await type(text, 'Bash(ls *)')
  await click(view.querySelector<HTMLButtonElement>('.rule-editor [type=submit]') as HTMLButtonElement)
  expect(sent.at(-1)).toMatchObject({ text: 'Bash(ls *)', effect: 'allow' })
  expect(view.querySelector('.rule-editor')).toBeNull()
})
