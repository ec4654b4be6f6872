import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { troupe, useTroupe } from '../testing/use-troupe.ts'

const place = useTroupe()

test('lists rated answers, as text or as one JSON object per line', async () => {
  const file = path.join(place.folder, 'rated.json')
  const feedback = { rating: 'down', reasons: ['too-long'], text: 'Shorter, please', at: 5 }
  const parts = [{ type: 'text', text: 'hi' }]
  const messages = [
    { id: 'u1', parentMessageId: null, role: 'user', parts, createdAt: 1 },
    {
      id: 'a1',
      parentMessageId: 'u1',
      role: 'assistant',
      parts,
      metadata: { model: 'acme/one', feedback },
      createdAt: 2,
    },
    {
      id: 'a2',
      parentMessageId: 'u1',
      role: 'assistant',
      parts,
      metadata: { feedback: { rating: 'up' } },
      createdAt: 3,
    },
  ]
  const session = { format: 'troupe-session', version: 1, session: { id: 's1', title: 'Rated' }, messages }
  writeFileSync(file, JSON.stringify(session))
  expect(await troupe(place, ['import', file])).toMatchObject({ code: 0 })
  const json = await troupe(place, ['feedback', '--json'])
  expect(json).toMatchObject({ code: 0, stderr: '' })
  expect(
    json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    {
      ...feedback,
      sessionId: 's1',
      messageId: 'a1',
      userMessageId: 'u1',
      runId: null,
      model: 'acme/one',
      agent: null,
      answeredAt: 2,
    },
  ])
  const text = await troupe(place, ['feedback', '--rating', 'down'])
  expect(text.stdout).toMatch(/^- .* acme\/one {2}s1\/a1 {2}too-long, "Shorter, please"\n1 rated answer\n$/)
  expect(await troupe(place, ['feedback', '--rating', 'sideways'])).toMatchObject({ code: 2 })
})
