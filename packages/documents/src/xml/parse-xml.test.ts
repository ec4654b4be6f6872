import { expect, test } from 'vitest'
import {
  attribute,
  childNamed,
  childrenNamed,
  descendants,
  escapeXml,
  parseXml,
  textOf,
  type XmlElement,
} from './parse-xml.ts'

test('every element knows its place in the source', () => {
  const source =
    '<?xml version="1.0"?>\n<w:body xmlns:w="x"><w:p a="1"><w:t>é &amp; ü</w:t><w:br/></w:p><w:p /></w:body>'
  const body = childNamed(parseXml(source), 'body')!
  const places = (node: XmlElement): string[] => [
    source.slice(node.start, node.end),
    source.slice(node.innerStart, node.innerEnd),
  ]
  const [first, second] = childrenNamed(body, 'p')
  expect(places(first!)).toEqual(['<w:p a="1"><w:t>é &amp; ü</w:t><w:br/></w:p>', '<w:t>é &amp; ü</w:t><w:br/>'])
  expect(places(second!)).toEqual(['<w:p />', ''])
  expect(places([...descendants(body, 'br')][0]!)).toEqual(['<w:br/>', ''])
  expect(textOf(first!)).toBe('é & ü')
  expect(attribute(first!, 'a')).toBe('1')
})

test('entities of the document are not expanded', () => {
  const bomb = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;"><!ENTITY e SYSTEM "file:///etc/passwd">]><a>&c;&e;</a>'
  expect(textOf(parseXml(bomb))).not.toMatch(/bb|root:/)
})

test('nesting is limited', () => {
  expect(() => parseXml('<a>'.repeat(100_000))).toThrow('nested too deeply')
})

test('text is escaped, and characters that XML cannot contain are left out', () => {
  expect(escapeXml('<a & "b">\u0000\u0008\uD800 😀')).toBe('&lt;a &amp; &quot;b&quot;&gt; 😀')
})
