import { expect, test } from 'vitest'
import { troupe, useTroupe } from '../testing/use-troupe.ts'

const place = useTroupe()

test('commands of a team say that they need team mode', async () => {
  for (const args of [
    ['secrets', 'rotate'],
    ['person', 'export', 'ann'],
    ['person', 'delete', 'ann', '--yes'],
  ])
    expect(await troupe(place, args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('only available in team mode') as string,
    })
})

test('deleting a person needs a clear word', async () => {
  expect(await troupe(place, ['person', 'delete', 'ann'])).toMatchObject({ code: 2 })
  expect(await troupe(place, ['person'])).toMatchObject({ code: 2 })
  expect(await troupe(place, ['secrets', 'show'])).toMatchObject({ code: 2 })
})
