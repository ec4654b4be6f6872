import { expect, test } from 'vitest'
import { withSvgSize } from './diagram-colors.ts'

test('an image gets the size of its drawing, once', () => {
  const inside = '<rect width="100%" height="2"/></svg>'
  expect(withSvgSize(`<svg id="a" width="100%" viewBox="0 0 70 54.5">${inside}`)).toBe(
    `<svg width="70" height="54.5" id="a" viewBox="0 0 70 54.5">${inside}`,
  )
  expect(withSvgSize(`<svg width="100%" viewBox="0 -25 700 540" height="565" role="x">${inside}`)).toBe(
    `<svg width="700" height="540" viewBox="0 -25 700 540" role="x">${inside}`,
  )
})

test('an image with a size, or without a known drawing, is unchanged', () => {
  for (const svg of ['<svg width="3" height="4" viewBox="0 0 1 1"></svg>', '<svg width="100%"></svg>'])
    expect(withSvgSize(svg)).toBe(svg)
})
