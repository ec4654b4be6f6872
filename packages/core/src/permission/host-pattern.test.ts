import { describe, expect, it } from 'vitest'
import { hostOf, matchHost, parseHostPattern } from './rule-patterns.ts'

const meets = (domain: string, url: string): boolean => {
  const host = hostOf(url)
  return host !== undefined && matchHost(parseHostPattern(`domain:${domain}`), host)
}

describe('a domain', () => {
  it.each([
    ['example.com', 'https://example.com/x', true],
    ['example.com', 'https://www.example.com', true],
    ['example.com', 'https://a.b.example.com', true],
    ['*.example.com', 'https://example.com', true],
    ['example.com', 'https://EXAMPLE.com.', true],
    ['EXAMPLE.COM', 'http://example.com:8080/', true],
    ['example.com', 'https://example.com.evil.com', false],
    ['example.com', 'https://notexample.com', false],
    ['example.com', 'https://evil.com/example.com', false],
    ['example.com', 'https://evil.com?x=.example.com', false],
    ['example.com', 'https://evil.com#.example.com', false],
    ['example.com', 'https://example.com@evil.com', false],
    ['example.com', 'https://evil.com\\@example.com', false],
    ['example.com', 'https://example.com%2eevil.com', false],
    ['example.com', 'ftp://example.com', false],
    ['example.com', 'file:///example.com', false],
    ['www.example.com', 'https://example.com', false],
    ['bücher.example', 'https://xn--bcher-kva.example', true],
    ['xn--bcher-kva.example', 'https://BÜCHER.example', true],
    ['example.com', 'https://ехаmple.com', false],
    ['127.0.0.1', 'http://127.0.0.1:80', true],
    ['127.0.0.1', 'http://0x7f.1', true],
    ['0.0.1', 'http://127.0.0.1', false],
    ['[::1]', 'http://[0:0:0:0:0:0:0:1]', true],
    ['localhost', 'http://localhost:3000', true],
  ])('%s on %s: %s', (domain, url, expected) => {
    expect(meets(domain, url)).toBe(expected)
  })
})
