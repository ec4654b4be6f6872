import { expect, test } from 'vitest'
import { styleElement } from './page-document.ts'

test('the classes of a page cannot end its style', () => {
  expect(styleElement(".a::after { content: '</style><script>x()</script>' }")).toBe(
    "<style>.a::after { content: '<\\/style><script>x()<\\/script>' }</style>",
  )
})
