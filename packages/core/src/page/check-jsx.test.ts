import { expect, test } from 'vitest'
import { readJsx } from '../../../protocol/src/ui/read-jsx.ts'
import { checkJsx } from './check-jsx.ts'

test('elements, attributes in quotes and text are read as JSX means them', () => {
  const source = `
    <Card title="Week &amp; more" tone='good'>
      <Stat label="Visits" value="1,204" change="+8%" />
      Two lines
      of text &#8212; one.
      <>
        <b>bold</b> and <i>more</i>
      </>
      <Progress value="3" max="10" />
      <Details open summary="S">inside</Details>
    </Card>`
  expect(checkJsx(source).root).toEqual({
    type: 'Card',
    attributes: { title: 'Week & more', tone: 'good' },
    children: [
      { type: 'Stat', attributes: { label: 'Visits', value: '1,204', change: '+8%' }, children: [] },
      'Two lines of text — one.',
      {
        type: 'Stack',
        attributes: {},
        children: [
          { type: 'b', attributes: {}, children: ['bold'] },
          ' and ',
          { type: 'i', attributes: {}, children: ['more'] },
        ],
      },
      { type: 'Progress', attributes: { value: 3, max: 10 }, children: [] },
      { type: 'Details', attributes: { open: true, summary: 'S' }, children: ['inside'] },
    ],
  })
})

test.each([
  ['<Card>{1 + 1}</Card>', 1, 7, 'Expressions'],
  ['<Card>\n  <Text>{name}</Text>\n</Card>', 2, 9, 'Expressions'],
  ['<Card title={x} />', 1, 13, 'Expressions'],
  ['<Card {...props} />', 1, 7, 'Spreads'],
  ['<Card>{...children}</Card>', 1, 7, 'Expressions'],
  ['<Card>{/* note */}</Card>', 1, 7, 'Expressions'],
  ['<script>alert(1)</script>', 1, 1, 'no component <script>'],
  ['<Card><iframe src="x" /></Card>', 1, 7, 'no component <iframe>'],
  ['<Card><img src="x" onerror="alert(1)" /></Card>', 1, 7, 'no component <img>'],
  ['<Card.Body />', 1, 1, 'no component <Card.Body>'],
  ['<svg:a />', 1, 1, 'no component <svg:a>'],
  ['<constructor />', 1, 1, 'no component'],
  ['<Card onClick="alert(1)" />', 1, 7, 'no attribute "onClick"'],
  ['<div dangerouslySetInnerHTML="x" />', 1, 6, 'no attribute'],
  ['<p style="color:red">x</p>', 1, 4, 'no attribute "style"'],
  ['<p className="x">x</p>', 1, 4, 'no attribute "className"'],
  ['<Card __proto__="x" />', 1, 7, 'no attribute'],
  ['<Card constructor="x" />', 1, 7, 'no attribute'],
  ['<Link href="javascript:alert(1)">x</Link>', 1, 7, 'must be a URL'],
  ['<Link href=" javascript:alert(1)">x</Link>', 1, 7, 'must be a URL'],
  ['<Link href="data:text/html,x">x</Link>', 1, 7, 'must be a URL'],
  ['<Link>x</Link>', 1, 1, 'needs "href"'],
  ['<Image src="http://elsewhere/x.png" />', 1, 8, 'not loaded'],
  ['<Image src="data:image/svg+xml;base64,AAAA" />', 1, 8, 'not loaded'],
  ['<Card tone="loud" />', 1, 7, 'one of'],
  ['<Grid columns="many" />', 1, 7, 'a number'],
  ['<Card><Text>a</Card>', 1, 14, 'closes nothing'],
  ['<Card>', 1, 7, 'never closed'],
  ['<Card', 1, 6, 'missing'],
  ['<Card title="x>', 1, 13, 'never closed'],
  ['<Card /><Card />', 1, 9, 'single root element'],
  ['<Card />;', 1, 9, 'single root element'],
  ['x', 1, 1, 'start with an element'],
  ['', 1, 1, 'empty'],
  ['<br>x</br>', 1, 1, 'cannot have children'],
  ['<Card>a > b</Card>', 1, 9, '&gt;'],
  ['<Card>}</Card>', 1, 7, '&#125;'],
  ['<Card title="a" title="b" />'.replace('title="b"', 'Title="b"'), 1, 17, 'no attribute "Title"'],
  [`${'<b>'.repeat(40)}x${'</b>'.repeat(40)}`, 1, 94, 'deep'],
  [`<Card>${'<br />'.repeat(2001)}</Card>`, 1, 12001, 'more than 2000 elements'],
])('%s is refused with its place', (source, line, column, message) => {
  expect(checkJsx(source).problem).toEqual({ line, column, message: expect.stringContaining(message) as string })
})

test('every prefix of a valid source can be parsed, and shows only complete parts', () => {
  const source =
    '<Card title="A &lt; b"><Stat label="n" value="1" /><Text tone="good">some <b>bold</b> words</Text><Link href="https://a.example/x">go</Link></Card>'
  let readable = 0
  for (let end = 1; end <= source.length; end += 1) {
    const { root, problem } = readJsx(source.slice(0, end), { partial: true })
    if (root !== undefined) readable += 1
    else
      expect([source.slice(0, end), problem?.message]).toEqual([
        expect.any(String),
        expect.stringMatching(/no component|needs|nothing|empty/),
      ])
  }
  expect(readable).toBeGreaterThan(source.length * 0.8)
  expect(readJsx(source, { partial: true })).toEqual(checkJsx(source))
  expect(readJsx('<Card>{x', { partial: true }).problem?.message).toContain('Expressions')
})
