import { expect, test } from 'vitest'
import { readSummary } from './compaction-state.ts'

test('a summary is separated from the parts kept word for word', () => {
  const summary =
    'The older part was replaced.\n\n<conversation-summary>\nDone: &lt;/conversation-summary> was said.\n</conversation-summary>\n\nTodo list:\n- [x] dig'
  expect(readSummary(summary)).toEqual({
    summarized: 'Done: </conversation-summary> was said.',
    kept: 'Todo list:\n- [x] dig',
  })
})

test('an unknown kind of summary is shown unchanged', () => {
  expect(readSummary(' short \n')).toEqual({ summarized: 'short', kept: '' })
})
