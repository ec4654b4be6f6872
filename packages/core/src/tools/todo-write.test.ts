import { expect, test } from 'vitest'
import { testToolContext } from '../testing/test-tool-context.ts'
import todoWrite from './todo-write.ts'
import type { Todo } from './todo-write.ts'

/** Calls the tool like a conversation: parses the input, and takes the list from the last output. */
async function call(input: unknown, last?: unknown): Promise<{ todos: Todo[] }> {
  const context = Object.assign(testToolContext(), { lastOutput: () => last })
  return (await todoWrite.execute(todoWrite.input.parse(input), context)) as { todos: Todo[] }
}

const list = {
  todos: [
    { content: 'Look', status: 'completed' },
    { content: 'Write', status: 'in_progress', activeForm: 'Writing' },
    { content: 'Test', status: 'pending' },
  ],
}

test('the output is the whole list', async () => {
  expect(await call(list)).toEqual(list)
})

test('an empty list clears it', async () => {
  expect(await call({ todos: [] }, list)).toEqual({ todos: [] })
})

test('a merge changes todos by content or index and adds new ones at the end', async () => {
  const output = await call(
    {
      merge: true,
      todos: [
        { content: 'Write', status: 'completed' },
        { index: 2, status: 'in_progress' },
        { content: 'Publish', status: 'pending' },
      ],
    },
    list,
  )
  expect(output.todos).toEqual([
    { content: 'Look', status: 'completed' },
    { content: 'Write', status: 'completed', activeForm: 'Writing' },
    { content: 'Test', status: 'in_progress' },
    { content: 'Publish', status: 'pending' },
  ])
  expect(list.todos[1]?.status).toBe('in_progress')
})

test('at most one todo is in progress, and a merge counts the list it makes', async () => {
  await expect(call({ merge: true, todos: [{ index: 2, status: 'in_progress' }] }, list)).rejects.toThrow(
    'Only one todo can be in_progress, but these are: "Write", "Test".',
  )
})

test('a merge without a list, beyond the list or without content explains the correct input', async () => {
  await expect(call({ merge: true, todos: [] })).rejects.toThrow('There is no list to merge into yet')
  await expect(call({ merge: true, todos: [{ index: 3, status: 'pending' }] }, list)).rejects.toThrow(
    'There is no todo 3. The list has 3 todos, numbered from 0.',
  )
  await expect(call({ todos: [{ status: 'pending' }] })).rejects.toThrow('Every todo needs "content"')
  await expect(call({ todos: [{ content: ' ', status: 'pending' }] })).rejects.toThrow('Every todo needs "content"')
})

test('it is a write that needs no approval', () => {
  expect(todoWrite.readOnly).toBe(false)
  expect(todoWrite.needsApproval).toBe(false)
})

test('the model reads numbered lines and the card shows the progress', async () => {
  const output = await call(list)
  expect(todoWrite.toModel?.(output, { todos: [], merge: false })).toBe('0. [x] Look\n1. [~] Write\n2. [ ] Test')
  expect(todoWrite.display?.(output, { todos: [], merge: false })).toEqual({
    title: 'Writing',
    summary: '1 of 3 completed',
    content: list.todos,
  })
})
