import { expect, test } from 'vitest'
import { button, change, click, eventually, field, press, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { FindBar } from './find-bar.tsx'

const match = (messageId: string, count: number, isOnBranch = true) => ({ messageId, count, calls: [], isOnBranch })

async function show(answer: (query: URLSearchParams) => unknown) {
  let closed = 0
  const asked: (string | null)[] = []
  const shown = await render(<FindBar focusRequest={1} found={undefined} onClose={() => closed++} />, {
    answers: { 'GET /ai/sessions/s1/matches': (_, query) => (asked.push(query.get('text')), answer(query)) },
  })
  const search = async (text: string) => {
    const before = asked.length
    await type(field(t.find.label), text)
    await eventually(() => asked.length > before)
  }
  return { ...shown, asked, search, closed: () => closed, place: () => shown.view.querySelector('output')?.textContent }
}

test('steps through the matches of the whole chat and around its end', async () => {
  const { search, place } = await show(() => ({ matches: [match('u1', 1), match('a1', 2)], isCut: false }))
  await search('word')
  expect(place()).toBe(t.find.place(3, '3'))
  await press(field(t.find.label), 'Enter')
  expect(place()).toBe(t.find.place(1, '3'))
  await press(field(t.find.label), 'Enter', { shiftKey: true })
  expect(place()).toBe(t.find.place(3, '3'))
  await click(button(t.find.previous))
  expect(place()).toBe(t.find.place(2, '3'))
})

test('searches once for what was typed last, never for white space', async () => {
  const { search, asked, place } = await show(() => ({ matches: [], isCut: false }))
  await type(field(t.find.label), 'w')
  await type(field(t.find.label), 'wo')
  await search(' word ')
  expect(place()).toBe(t.find.none)
  await type(field(t.find.label), '   ')
  expect(button(t.find.next).disabled).toBe(true)
  await search('other')
  expect(asked).toEqual(['word', 'other'])
})

test('an answer to an older search does not replace the newer one', async () => {
  const slow = Promise.withResolvers<void>()
  const { search, place } = await show(async (query) => {
    const isSlow = query.get('text') === 'slow'
    if (isSlow) await slow.promise
    return { matches: [match('a1', isSlow ? 9 : 2)], isCut: false }
  })
  await search('slow')
  await search('quick')
  await change(() => slow.resolve())
  expect(place()).toBe(t.find.place(2, '2'))
})

test('a match on another branch and a cut list are told', async () => {
  const { search, place } = await show(() => ({ matches: [match('x1', 1, false)], isCut: true }))
  await search('word')
  expect(place()).toContain(t.find.more(1))
  expect(place()).toContain(t.find.elsewhere)
})

test('a failed search leaves the bar usable; Escape closes it', async () => {
  const { search, closed, place } = await show(() => Response.json({}, { status: 500 }))
  await search('word')
  expect(place()).toBe(t.find.none)
  await press(field(t.find.label), 'Escape')
  expect(closed()).toBe(1)
})
