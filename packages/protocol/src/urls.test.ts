import { expect, test } from 'vitest'
import { extractUrls, normalizeUrl } from './urls.ts'

test('addresses of a text have one spelling', () => {
  const text =
    'see HTTPS://Docs.Example.com, (http://b.example/x?y=1#z). And https://b.example/x! https://docs.example.com/'
  expect(extractUrls(text)).toEqual(['https://docs.example.com/', 'http://b.example/x?y=1', 'https://b.example/x'])
})

test('URLs from others and URLs with a user do not count', () => {
  const quoted =
    '> see http://evil.test/a\n  > http://evil.test/b\n```\nhttp://evil.test/c\n```\n~~~\nhttp://evil.test/d'
  expect(extractUrls(quoted)).toEqual([])
  expect(extractUrls('https://me@evil.example ftp://a.example javascript:x')).toEqual([])
  expect(normalizeUrl('file:///etc/passwd')).toBeUndefined()
})
