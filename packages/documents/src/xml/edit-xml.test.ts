import { expect, test } from 'vitest'
import {
  append,
  below,
  child,
  copyOf,
  editableXml,
  fragment,
  insertBefore,
  remove,
  setAttribute,
  setText,
  xmlText,
} from './edit-xml.ts'

const source = `<?xml version="1.0"?>\r\n<!-- kept --><w:doc xmlns:w='u'><w:p a = "1"><w:t>a &amp; b</w:t></w:p><w:p/><!-- too --><w:x/></w:doc>\n`

test('an unchanged document is written as it was', () => {
  expect(xmlText(editableXml(source))).toBe(source)
})

test('only the changed elements are rewritten', () => {
  const root = editableXml(source)
  const [first, second] = below(root, 'p')
  setText(below(first!, 't')[0]!, 'c < d')
  append(second!, ...fragment('<w:r/>'))
  expect(xmlText(root)).toBe(source.replace('a &amp; b', 'c &lt; d').replace('<w:p/>', '<w:p><w:r/></w:p>'))
})

test('an empty root right after the declaration takes children and attributes', () => {
  const declaration = '<?xml version="1.0"?>'
  const [filled, retagged] = [editableXml(`${declaration}<w:comments/>`), editableXml(`${declaration}<w:doc></w:doc>`)]
  append(child(filled, 'comments')!, ...fragment('<w:comment/>'))
  setAttribute(child(retagged, 'doc')!, 'a', '1')
  expect(xmlText(filled)).toBe(`${declaration}<w:comments><w:comment/></w:comments>`)
  expect(xmlText(retagged)).toBe(`${declaration}<w:doc a="1"/>`)
})

test('attributes are set, elements copied, put before others and removed', () => {
  const root = editableXml(source)
  const document = child(root, 'doc')!
  const [first] = below(root, 'p')
  const copy = copyOf(first!)
  setAttribute(copy, 'a', '2 "x"')
  insertBefore(first!, copy)
  remove(child(document, 'x')!)
  expect(xmlText(root)).toBe(
    source.replace('<w:p a', '<w:p a="2 &quot;x&quot;"><w:t>a &amp; b</w:t></w:p><w:p a').replace('<w:x/>', ''),
  )
})
