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
  await eventually(() => view.querySelector('svg path') !== null)
  expect(view.querySelectorAll('svg')).toHaveLength(1)
  expect([...view.querySelectorAll('.family-letter')].map(({ textContent }) => textContent)).toEqual(['A', '?'])
})

test('a custom address has the mark of its own name, never that of the maker whose API it speaks', () => {
  const custom = { adapter: 'openai-compatible', familyId: 'OpenAI' }
  expect(providerFamily({ id: 'acme', ...custom })).toBe('acme')
  expect(providerFamily({ id: 'openrouter', ...custom })).toBe('openrouter')
  expect(providerFamily({ id: 'openai', adapter: 'openai', familyId: 'OpenAI' })).toBe('OpenAI')
})
