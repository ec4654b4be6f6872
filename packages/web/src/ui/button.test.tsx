import { act } from 'react'
import { expect, test } from 'vitest'
import { trackFocusKeys } from '../platform/keyboard.ts'
import { button, render } from '../testing/render.tsx'
import { IconButton } from './button.tsx'

trackFocusKeys()
const isShown = () => document.querySelector('[role=tooltip]') !== null
const press = (key: string) => window.dispatchEvent(new KeyboardEvent('keydown', { key }))

test('a tooltip shows if the user moves the focus here, and not if code gives the focus back', async () => {
  await render(<IconButton label="Find">x</IconButton>)
  const found = button('Find')
  await act(async () => {
    press('Escape')
    found.focus()
  })
  expect(isShown()).toBe(false)
  await act(async () => found.blur())
  await act(async () => {
    press('Tab')
    found.focus()
  })
  expect(isShown()).toBe(true)
  await act(async () => found.blur())
  await act(async () => new Promise((resolve) => setTimeout(resolve)))
  // Long after the key, for example when a dialog has closed.
  await act(async () => found.focus())
  expect(isShown()).toBe(false)
})
