import type { Part } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { readSources } from './answer-marks.tsx'

const url = (address: string, title?: string) =>
  ({ type: 'source-url', sourceId: address, url: address, title }) as Part

test('sources are listed once each, with a letter and their site', () => {
  const parts = [
    url('https://www.example.org/a', 'A page'),
    url('https://www.example.org/a'),
    url('https://b.example/'),
    { type: 'source-document', sourceId: 'd', mediaType: 'application/pdf', title: '', filename: 'report.pdf' } as Part,
  ]
  expect(readSources(parts).map(({ title, place, letter }) => [title, place, letter])).toEqual([
    ['A page', 'example.org', 'E'],
    ['b.example', 'b.example', 'B'],
    ['report.pdf', 'report.pdf', 'R'],
  ])
})

test('non-web addresses are not links, and a lookalike shows its real host', () => {
  const [script, login, lookalike] = readSources([
    url('javascript:alert(1)', 'click'),
    url('https://bank.example@evil.example/', 'bank'),
    url('https://аpple.example/'),
  ])
  expect(script).toMatchObject({ title: 'click', url: undefined })
  expect(login).toMatchObject({ url: undefined })
  expect(lookalike?.place).toMatch(/^xn--/)
})
