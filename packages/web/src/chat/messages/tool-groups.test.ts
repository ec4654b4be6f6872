import type { Part } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { isToolCall } from '../session/message-parts.ts'
import { arrangeParts, summarizeCalls } from './tool-groups.ts'

let made = 0
const call = (tool: string, input: object = {}, fields: object = {}): Part =>
  ({ type: `tool-${tool}`, toolCallId: `k${++made}`, state: 'output-available', input, output: '', ...fields }) as never
const text = (said: string): Part => ({ type: 'text', text: said })
const reasoning = (said: string): Part => ({ type: 'reasoning', text: said })
const step: Part = { type: 'step-start' }

/** Letters of parts: `t` text, `r` reasoning, `c` a call, digits the size of a group. */
function shape(parts: Part[], live = false): string {
  return arrangeParts(parts, live)
    .map((arranged) =>
      arranged.kind === 'calls'
        ? String(arranged.calls.length)
        : isToolCall(arranged.part)
          ? 'c'
          : arranged.part.type === 'step-start'
            ? ''
            : arranged.part.type.charAt(0),
    )
    .join('')
}

test('calls that follow each other are one group, also over steps and with reasoning between them', () => {
  const parts = [
    step,
    text('I look.'),
    call('Read'),
    step,
    reasoning('hm'),
    call('Grep'),
    step,
    call('Bash'),
    text('So.'),
  ]
  expect(shape(parts)).toBe('t3t')
})

test('a single call is no group, and text separates groups', () => {
  expect(shape([call('Read'), text('one'), call('Read'), call('Read')])).toBe('ct2')
})

test('reasoning after the last call stays outside', () => {
  expect(shape([call('Read'), call('Read'), reasoning('so'), text('done')])).toBe('2rt')
})

test('failed, waiting, denied and running calls stay visible, and so do results made for the user', () => {
  const visible = [
    call('Read', {}, { state: 'output-error', errorText: 'no' }),
    call('Bash', {}, { state: 'approval-requested' }),
    call('Bash', {}, { state: 'output-denied' }),
    call('Bash', {}, { state: 'input-available' }),
    call('Bash', {}, { preliminary: true }),
    call('Bash', {}, { toolMetadata: { troupe: { display: { content: { exitCode: 1 } } } } }),
    call('Bash', {}, { toolMetadata: { troupe: { display: { content: { status: 'running' } } } } }),
    call('WebSearch', {}, { output: { setup: 'Add a key.' } }),
    call('ChartRender'),
    call('TodoWrite'),
    call('Task'),
  ]
  for (const one of visible) expect(shape([call('Read'), call('Read'), one, call('Read'), call('Read')])).toBe('2c2')
})

test('the newest call of a running answer stays visible', () => {
  expect(shape([call('Read'), call('Read'), call('Read')], true)).toBe('2c')
  expect(shape([call('Read'), call('Read'), call('Read'), text('So')], true)).toBe('2ct')
})

test('the states of a plan are one card with the newest, in the place of the first', () => {
  const plans = [call('TodoWrite', { n: 1 }), call('TodoWrite', { n: 2 }), call('TodoWrite', { n: 3 })] as const
  const failed = call('TodoWrite', {}, { state: 'output-error', errorText: 'no' })
  const parts = [text('a'), plans[0], call('Read'), plans[1], text('b'), plans[2], failed]
  expect(shape(parts)).toBe('tcctc')
  expect(arrangeParts(parts, false)[1]).toMatchObject({ part: plans[2], index: 1 })
})

test('no part is lost or moved', () => {
  const parts = [
    step,
    call('Read'),
    reasoning('a'),
    step,
    call('Edit'),
    { type: 'text', text: '' } as Part,
    step,
    text('b'),
  ]
  const order = arrangeParts(parts, false).flatMap((one) => (one.kind === 'calls' ? one.members : [one]))
  expect(order.map(({ index }) => index)).toEqual([...parts.keys()])
})

test.each([
  [['Read a/b.ts', 'Read c.ts', 'Read c.ts'], 'Read 2 files'],
  [['Read a/b.ts', 'Bash ls', 'Bash pwd', 'Edit src/app.ts'], 'Read b.ts, ran 2 commands, edited app.ts'],
  [
    ['Grep x', 'Glob y', 'WebSearch z', 'WebFetch https://a.test'],
    'Searched the files, searched the web, read a web page',
  ],
  [['Query', 'QueryWrite', 'Query'], 'Queried data, changed data'],
  [['TimeNow', 'Calendar', 'Calendar', 'mcp__docs__find'], 'Checked the time, used Calendar 2 times, used Find (docs)'],
])('%j is summarized', (calls, summary) => {
  const fields: Record<string, string> = { Read: 'file_path', Edit: 'file_path', Bash: 'command', WebFetch: 'url' }
  const parts = calls.map((one) => {
    const [tool = '', subject] = one.split(' ')
    return call(tool, subject === undefined ? {} : { [fields[tool] ?? 'pattern']: subject })
  })
  expect(summarizeCalls(parts.filter(isToolCall))).toEqual(summary)
})
