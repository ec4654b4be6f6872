import { expect, test } from 'vitest'
import { keepPlainTags } from './marked-options.ts'

test.each([
  ['a<br>b<br/>c', 'a<br>b<br/>c'],
  ['H<sub>2</sub>O &amp; more', 'H<sub>2</sub>O &amp; more'],
  ['<details open><summary>x</summary></details>', '<details open><summary>x</summary></details>'],
  ['<!-- hidden --><b>x</b>', '<b>x</b>'],
  ['<b onclick="x">', '&lt;b onclick=&quot;x&quot;&gt;'],
  ['<script>1 < 2</script>', '&lt;script&gt;1 &lt; 2&lt;/script&gt;'],
  ['<!--><img src=x>-->', ''],
  ['<!--', '&lt;!--'],
  ['<br\u00a0x>', '&lt;br\u00a0x&gt;'],
  ['a & b', 'a &amp; b'],
])('%j becomes %j', (html, shown) => {
  expect(keepPlainTags(html)).toBe(shown)
})
