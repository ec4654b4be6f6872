import { expect, it } from 'vitest'
import { call, play, texts } from '../../testing/play-run.ts'
import { readResume } from '../run/resume.ts'
import { strictProblems } from '../testing/strict-provider.ts'
import { type Answer, answerProblem, type Ask } from '../tool/asks.ts'
import { getTools } from '../tool/tool-set.ts'

const colour = {
  question: 'Which colour?',
  header: 'Colour',
  options: [{ label: 'Red', description: 'Warm' }, { label: 'Blue' }],
}
const sizes = { question: 'Which sizes?', options: [{ label: 'S' }, { label: 'M' }, { label: 'L' }], multiSelect: true }
const [tool] = getTools(['AskUserQuestion'])

const asking = (questions: object[], answer: (ask: Ask) => Answer | Promise<Answer>) =>
  play(
    [[{ call: { name: 'AskUserQuestion', input: { questions }, id: 'c1' } }], [{ text: 'Thanks.' }]],
    [tool!],
    {},
    answer,
  )

const answers = (given: Record<string, unknown>): Answer => ({ type: 'answers', answers: given })

it('needs no approval, keeps the order of calls as a write does, and can be asked again', () => {
  expect(tool).toMatchObject({ readOnly: false, needsApproval: false, recover: 'rerun' })
})

it('sends the model the user’s answers, question by question', async () => {
  const asks: Ask[] = []
  const outcome = await asking([colour, sizes], (ask) => {
    asks.push(ask)
    return answers({ 'Which colour?': 'Teal, like the sea', 'Which sizes?': ['S', 'L', 'and one for a child'] })
  })
  expect(asks).toMatchObject([{ kind: 'question', title: '2 questions', toolCallId: 'c1' }])
  expect((asks[0] as { content: { questions: unknown[] } }).content.questions).toHaveLength(2)
  expect(call(outcome, 'c1').output).toEqual({
    answers: [
      { question: 'Which colour?', selected: [], text: 'Teal, like the sea' },
      { question: 'Which sizes?', selected: ['S', 'L'], text: 'and one for a child' },
    ],
  })
  expect(outcome.model.calls[1]?.prompt.at(-1)).toMatchObject({
    role: 'tool',
    content: [
      {
        output: {
          value: 'Which colour?\n→ Teal, like the sea\nWhich sizes?\n→ S; L; in their own words: and one for a child',
        },
      },
    ],
  })
  expect(texts(outcome)).toEqual(['Thanks.'])
})

it.each<[string, Record<string, unknown>, unknown]>([
  ['the question', { 'Which colour?': 'Red' }, { selected: ['Red'] }],
  ['its header', { Colour: 'Blue' }, { selected: ['Blue'] }],
  ['its number', { 0: ['Red'] }, { selected: ['Red'] }],
  ['being the only one', { answer: { selected: 'Red', text: 'but dark' } }, { selected: ['Red'], text: 'but dark' }],
])('accepts an answer identified by %s', async (_, given, expected) => {
  const outcome = await asking([colour], () => answers(given))
  expect(call(outcome, 'c1').output).toEqual({ answers: [{ question: 'Which colour?', ...(expected as object) }] })
})

it('explains invalid answers before it accepts them', () => {
  const questions = [
    { ...colour, multiSelect: false, options: [...colour.options] },
    { ...sizes, header: '' },
  ]
  const problem = (given: Record<string, unknown>) =>
    answerProblem({ kind: 'question', content: { questions } }, answers(given))
  expect(problem({ Colour: 'Red' })).toBeUndefined()
  expect(problem({})).toBe('No question was answered.')
  expect(problem({ Colour: ' ' })).toBe('No question was answered.')
  expect(problem({ Colour: ['Red', 'Blue'] })).toBe('Only one option of "Which colour?" can be chosen.')
  expect(problem({ Colour: 'Red', Shape: 'round' })).toBe('There is no question "Shape".')
  expect(problem({ Colour: 7 })).toBe('"Which colour?" must be answered with text or labels.')
  expect(problem({ Colour: 'x'.repeat(20_001) })).toMatch(/longer than 20000/)
  expect(answerProblem({ kind: 'question', content: 'anything' }, answers({ any: 1 }))).toBeUndefined()
})

it('rejects duplicate questions and options', async () => {
  const twice = await asking([colour, colour], () => answers({ 0: 'Red' }))
  expect(call(twice, 'c1').errorText).toMatch(/Two questions are identical/)
  const same = await asking([{ ...colour, options: [{ label: 'Red' }, { label: ' Red' }] }], () => answers({}))
  expect(call(same, 'c1').errorText).toMatch(/the same label/)
  const five = await asking([colour, sizes, colour, sizes, colour], () => answers({}))
  expect(call(five, 'c1').errorText).toMatch(/is not valid/)
})

it('ends the turn on a refusal, and continues if there is a reason', async () => {
  const refused = await asking([colour], () => ({ type: 'deny' }))
  expect(call(refused, 'c1').errorText).toBe('The user declined to answer.')
  expect(refused.message.metadata?.stopped?.reason).toBe('denied')
  expect(texts(refused)).toEqual([])
  const remarked = await asking([colour], () => ({ type: 'deny', remark: 'choose yourself' }))
  expect(call(remarked, 'c1').errorText).toBe('The user declined to answer and said: choose yourself')
  expect(texts(remarked)).toEqual(['Thanks.'])
})

it('asks the questions of one step in parallel, and accepts the answers in any order', async () => {
  const open = new Map<string, (answer: Answer) => void>()
  const calls = ['c1', 'c2'].map((id) => ({ call: { name: 'AskUserQuestion', input: { questions: [colour] }, id } }))
  const outcome = await play([calls, [{ text: 'Both.' }]], [tool!], {}, (ask) => {
    const answered = new Promise<Answer>((resolve) => open.set(ask.toolCallId, resolve))
    if (open.size === 2) {
      open.get('c2')?.(answers({ answer: 'Blue' }))
      open.get('c1')?.(answers({ answer: 'Red' }))
    }
    return answered
  })
  expect(call(outcome, 'c1').output).toMatchObject({ answers: [{ selected: ['Red'] }] })
  expect(call(outcome, 'c2').output).toMatchObject({ answers: [{ selected: ['Blue'] }] })
  expect(strictProblems(outcome.model.calls[1]!.prompt)).toEqual([])
})

it('reports that nobody can answer', async () => {
  const outcome = await play(
    [[{ call: { name: 'AskUserQuestion', input: { questions: [colour] }, id: 'c1' } }], [{ text: 'Then so.' }]],
    [tool!],
    { headless: true },
  )
  expect(call(outcome, 'c1').errorText).toMatch(/nobody is available/)
  expect(texts(outcome)).toEqual(['Then so.'])
})

it('is asked again under the same id after a crash', async () => {
  const controller = new AbortController()
  const script = [
    [{ call: { name: 'AskUserQuestion', input: { questions: [colour] }, id: 'c1' } }],
    [{ text: 'Thanks.' }],
  ]
  const ids: string[] = []
  const cut = await play(script, [tool!], { signal: controller.signal }, (ask) => {
    ids.push(ask.id)
    setImmediate(() => controller.abort())
    return new Promise(() => undefined)
  })
  const asked = cut.log.items.findIndex((item) => item.type === 'data-ask')
  const resume = readResume(cut.log.items.slice(0, asked + 1))
  const outcome = await play({ by: 'prompt', turns: script }, [tool!], { resume }, (ask) => {
    ids.push(ask.id)
    return answers({ answer: 'Red' })
  })
  expect(ids[1]).toBe(ids[0])
  expect(outcome.message.parts.filter((part) => part.type === 'data-ask')).toHaveLength(1)
  expect(texts(outcome)).toEqual(['Thanks.'])
})
