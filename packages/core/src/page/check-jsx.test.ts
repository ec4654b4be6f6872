import { pageHtml, readJsx } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { checkJsx, pageNotes, pageTitle } from './check-jsx.ts'

test('elements, attributes in quotes and text are read as JSX means them', async () => {
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
  expect((await checkJsx(source)).root).toEqual({
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
  ['<Card>{1 + 1}</Card>', '<section class="page-card">2</section>'],
  [
    '<Card title={"x"} />',
    '<section class="page-card"><header class="page-card-head"><h3 class="page-card-title">x</h3></header></section>',
  ],
  ['<Card>{/* note */}</Card>', '<section class="page-card"></section>'],
  ['<p style="color:red">x</p>', '<p style="color: red">x</p>'],
  ['<p className="x">x</p>', '<p class="x">x</p>'],
  ['<Card onClick="alert(1)" />', '<section class="page-card"></section>'],
  ['<Card __proto__="x" constructor="y" />', '<section class="page-card"></section>'],
  ['<div dangerouslySetInnerHTML="x" />', '<div></div>'],
  ['<Link href="javascript:alert(1)">x</Link>', '<a>x</a>'],
  ['<Link href=" javascript:alert(1)">x</Link>', '<a>x</a>'],
  ['<Link href="data:text/html,x">x</Link>', '<a>x</a>'],
  ['<Card><iframe src="x" />a</Card>', '<section class="page-card">a</section>'],
  ['<Card /><Card />', '<section class="page-card"></section><section class="page-card"></section>'],
  ['<br>', '<br>'],
  ['<Card>a > b }</Card>', '<section class="page-card">a &gt; b }</section>'],
])('%s is a page of HTML', async (source, html) => {
  const { page } = await checkJsx(source)
  expect(pageHtml(page?.nodes ?? [], () => [])).toBe(html)
})

test.each([
  ['<Card>\n  <Text>{name}</Text>\n</Card>', 2, 10, 'not defined'],
  ['<Card {...props} />', 1, 11, 'not defined'],
  ['<script>alert(1)</script>', 1, 1, 'The page is empty'],
  ['<Card.Body />', 1, 1, 'no component <CardBody>'],
  ['<svg:a />', 1, 1, 'The page is empty'],
  ['<Card><Text>a</Card>', 1, 14, 'closes nothing'],
  ['<Card>', 1, 1, 'never closed'],
  ['<Card', 1, 6, 'missing'],
  ['<Card title="x>', 1, 13, 'never closed'],
  ['x', 1, 1, 'The page is empty'],
  ['', 1, 1, 'empty'],
  [`${'<b>'.repeat(140)}x${'</b>'.repeat(140)}`, 1, 361, 'deep'],
  [`<Card>${'<br />'.repeat(5001)}</Card>`, 1, 30001, 'more than 5000 elements'],
])('%s is refused with its place', async (source, line, column, message) => {
  expect((await checkJsx(source)).problem).toEqual({
    line,
    column,
    message: expect.stringContaining(message) as string,
  })
})

test('the title is the page’s own, cut at a word if it is long', () => {
  expect(pageTitle('<Card title="Week 12"><Heading>x</Heading></Card>')).toBe('Week 12')
  expect(pageTitle('<div className="x"><h1>Sales</h1></div>')).toBe('Sales')
  expect(pageTitle('<Text>words</Text>')).toBeUndefined()
  const long = pageTitle(`<div className="x"><h1>${'wörd 👩‍👩‍👧‍👦 مرحبا '.repeat(4000)}</h1></div>`)
  expect(long?.length).toBeLessThan(125)
  expect(long).toMatch(/\S…$/)
})

test('reports classes without a style and everything else it left out', async () => {
  const checked = await checkJsx(
    '<div className="p-4 hover:bg-blue-500 w-[37px] sm:grid 2xl:p-1.5 group foo-bar text-muted-foreground" onClick="go()">x</div>',
  )
  expect(await pageNotes(checked)).toEqual([
    'Handlers must be functions, such as onClick={() => …}. Removed: onClick.',
    'Unknown classes were ignored: foo-bar.',
  ])
})

test('a page that only a browser can run is valid if its syntax is', async () => {
  const game = (body: string) =>
    `export default function SnakeGame() { const [n, setN] = useState(0); ${body} return <button onClick={() => setN(n + 1)}>{n}</button> }`
  const checked = await checkJsx(game('let i = 0; while (i < 3) i += 1;'))
  expect(checked.script?.note).toMatch(/after a click on Run.*line 1, column \d+/)
  expect(pageTitle(game('while (n > 3) break;'))).toBe('Snake game')
  expect((await checkJsx(game('while (n > 3) {'))).problem).toEqual({
    line: 1,
    column: expect.any(Number) as number,
    message: 'Unexpected token.',
  })
})

test('every prefix of a valid source can be parsed, and shows only complete parts', async () => {
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
  expect(readJsx(source, { partial: true })).toEqual(await checkJsx(source))
  expect(readJsx('<Card>{x', { partial: true }).problem?.message).toContain('Expressions')
})
