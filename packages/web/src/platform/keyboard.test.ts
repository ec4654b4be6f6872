import { expect, test } from 'vitest'
import { isMac, isPressed, keyNames, keyText } from './keyboard.ts'

const press = (key: string, held: Partial<Parameters<typeof isPressed>[1]> = {}) => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
})

test('a shortcut is matched by its key and modifiers', () => {
  expect(isPressed('Mod+Shift+O', press('O', { ctrlKey: true, shiftKey: true }))).toBe(true)
  expect(isPressed('Mod+Shift+O', press('o', { metaKey: true, shiftKey: true }))).toBe(true)
  expect(isPressed('Mod+Shift+O', press('o', { ctrlKey: true }))).toBe(false)
  expect(isPressed('Mod+K', press('k', { ctrlKey: true, altKey: true }))).toBe(false)
  expect(isPressed('Mod+K', press('k'))).toBe(false)
})

test('a symbol matches with or without Shift', () => {
  expect(isPressed('?', press('?', { shiftKey: true }))).toBe(true)
  expect(isPressed('?', press('?'))).toBe(true)
  expect(isPressed('Mod+,', press(',', { ctrlKey: true }))).toBe(true)
  expect(isPressed('?', press('?', { ctrlKey: true }))).toBe(false)
})

test('a letter with Alt is matched by its key, regardless of the Mac layout', () => {
  expect(isPressed('Alt+N', press('Dead', { code: 'KeyN', altKey: true }))).toBe(true)
  expect(isPressed('Alt+N', press('n', { code: 'KeyN', altKey: true }))).toBe(true)
  expect(isPressed('Alt+N', press('n', { code: 'KeyN' }))).toBe(false)
  // AltGr types characters and sets both modifiers.
  expect(isPressed('Alt+N', press('ñ', { code: 'KeyN', altKey: true, ctrlKey: true }))).toBe(false)
})

test('keys are called as on the machine', () => {
  expect(keyNames('Mod+Shift+O', true)).toEqual(['⌘', '⇧', 'O'])
  expect(keyNames('Mod+Shift+O', false)).toEqual(['Ctrl', 'Shift', 'O'])
  expect(keyText('Mod+Enter', true)).toBe('⌘↩')
  expect(keyText('Mod+Enter', false)).toBe('Ctrl+Enter')
  expect(isMac('Mozilla/5.0 (Macintosh)')).toBe(true)
})
