import { expect, test } from 'vitest'
import { testApproval, testToolContext } from './test-tool-context.ts'

test('the user is asked although nothing changes', () => {
  expect(testApproval.needsApproval).toBe('always')
  expect(testApproval.readOnly).toBe(true)
})

test('the question shows the message and the payload', () => {
  expect(testApproval.permission?.({ message: 'May I?', payload: { a: 1 } })).toEqual({
    title: 'May I?',
    summary: 'Only a test: nothing is read, written or sent.',
    content: { a: 1 },
  })
  expect(testApproval.permission?.({})).not.toHaveProperty('content')
})

test('the result has the data of the approval', async () => {
  const output = await testApproval.execute({ message: 'May I?' }, testToolContext({ approval: { colour: 'green' } }))
  expect(output).toEqual({ approved: true, message: 'May I?', payload: null, data: { colour: 'green' } })
})

test('an approval without data gives null', async () => {
  expect(await testApproval.execute({}, testToolContext())).toEqual({
    approved: true,
    message: null,
    payload: null,
    data: null,
  })
})
