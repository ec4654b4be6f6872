import { expect, test } from 'vitest'
import { pageAddress } from './ask-page.ts'

test.each([
  ['example.com', 'https://example.com/'],
  ['example.com/a?b#c', 'https://example.com/a?b#c'],
  ['example.com:8080/x', 'https://example.com:8080/x'],
  ['HTTP://Example.com', 'http://example.com/'],
  ['localhost', 'http://localhost/'],
  ['localhost:3000/app', 'http://localhost:3000/app'],
  ['app.localhost:3000', 'http://app.localhost:3000/'],
  ['127.0.0.1:5173', 'http://127.0.0.1:5173/'],
  ['[::1]:8080/x', 'http://[::1]:8080/x'],
  ['localhost.example.com', 'https://localhost.example.com/'],
  ['127.0.0.1.example.com', 'https://127.0.0.1.example.com/'],
  ['  https://example.com/a  ', 'https://example.com/a'],
])('%s opens %s', (given, href) => {
  expect(pageAddress(given).href).toBe(href)
})

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'java\tscript:alert(1)',
  'javascript://example.com/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD4=',
  'file:///etc/passwd',
  'blob:https://example.com/x',
  'vbscript:x',
  'about:blank',
  'chrome://settings',
  'view-source:https://example.com',
  'ftp://example.com',
  'mailto:x@example.com',
  'https://user:secret@example.com',
  'https://user@example.com',
  'user:secret@example.com',
  'https:\\\\example.com',
  'https://exa mple.com',
  '//example.com',
  '/etc/passwd',
  'https://',
  '',
  `https://example.com/${'x'.repeat(2000)}`,
])('%j is refused', (given) => {
  expect(() => pageAddress(given)).toThrow(/URL|cannot be opened/)
})
