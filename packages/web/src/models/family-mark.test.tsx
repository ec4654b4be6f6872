import { expect, test } from 'vitest'
import { eventually, render } from '../testing/render.tsx'
import { FamilyMark, providerFamily } from './family-mark.tsx'

test('a known family has its mark, another one its letter', async () => {
  const { view } = await render(
    <>
      <FamilyMark family="OpenAI" />
      <FamilyMark family="acme" name="«Acme» models" />
      <FamilyMark family="" name="" />
    </>,
  )
  // Not a letter first, which would flicker.
  expect(view.querySelector('.family-mark')?.className).toBe('family-mark')
  await eventually(() => view.querySelector('svg path') !== null)
  expect(view.querySelectorAll('svg')).toHaveLength(1)
  expect([...view.querySelectorAll<HTMLElement>('.family-letter')].map(({ dataset }) => dataset['letter'])).toEqual([
    'A',
    '?',
  ])
})

test('a provider has the mark of its own name, never that of the maker whose API it speaks', () => {
  expect(['acme', 'openrouter', 'openai', 'google'].map(providerFamily)).toEqual([
    'acme',
    'openrouter',
    'openai',
    'gemini',
  ])
})
