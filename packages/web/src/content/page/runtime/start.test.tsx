import { expect, test, vi } from 'vitest'
import { samplePages } from '../../../../e2e/testing/sample-pages.ts'
import { withExport } from './compile.ts'
import './start.ts'

declare const troupePage: { start(source: string, root: HTMLElement, fail: (error: unknown) => void): void }

async function started(source: string): Promise<HTMLElement> {
  const root = document.createElement('div')
  document.body.append(root)
  const fail = vi.fn<(error: unknown) => void>()
  troupePage.start(source, root, fail)
  await expect.poll(() => root.innerHTML).not.toBe('')
  expect(fail).not.toHaveBeenCalled()
  return root
}

/** Pages in the spelling of HTML, which no compiler of JavaScript reads. They have nothing to run. */
const markup = ['html-class', 'html-comment', 'full-html', 'render-call']

test.each(Object.entries(samplePages).filter(([name]) => !markup.includes(name)))(
  'a page as models write it runs: %s',
  async (_, source) => {
    expect((await started(source)).innerHTML).not.toMatch(/NaN|undefined|\[object|<x-/)
  },
)

test('state, handlers, components and charts work together', async () => {
  const root = await started(`import { Card, CardContent } from '@/components/ui/card'
    import { BarChart, Bar, XAxis } from 'recharts'
    export default function App() {
      const [rows, setRows] = useState<{ m: string; v: number }[]>([{ m: 'Jan', v: 1 }])
      return <Card onClick={() => setRows([...rows, { m: 'Feb', v: 2 }])}><CardContent>
        <Stat label="Rows" value={rows.length} /><Switch onCheckedChange={(on) => setRows(on ? [] : rows)} />
        <BarChart data={rows}><XAxis dataKey="m" /><Bar dataKey="v" fill="teal" /></BarChart>
        <Tabs defaultValue="a"><TabsList><TabsTrigger value="a">A</TabsTrigger><TabsTrigger value="b">B</TabsTrigger></TabsList><TabsContent value="b">Second</TabsContent></Tabs>
      </CardContent></Card>
    }`)
  const bars = () => root.querySelectorAll('svg rect[fill=teal]').length
  expect(bars()).toBe(1)
  root.querySelector<HTMLElement>('.page-card')?.click()
  await expect.poll(bars).toBe(2)
  expect(root.textContent).not.toContain('Second')
  root.querySelectorAll<HTMLElement>('[role=tab]')[1]?.click()
  await expect.poll(() => root.textContent).toContain('Second')
})

test('the page is the exported component, else App, the last one, or the elements themselves', () => {
  expect(withExport('export default () => <p />')).toBe('export default () => <p />')
  expect(withExport('function App() {}\nfunction Row() {}')).toMatch(/export default App$/)
  expect(withExport('const Row = 1\nconst Page = 2')).toMatch(/export default Page$/)
  expect(withExport('const a = 1;\n<p>{a}</p>;\n')).toBe('const a = 1;\nexport default () => (<><p>{a}</p></>)')
})

test('a library that is not there is named', () => {
  const root = document.createElement('div')
  expect(() =>
    troupePage.start('import * as d3 from "d3"\nexport default () => <p>{d3.x}</p>', root, vi.fn<() => void>()),
  ).toThrow('“d3” is not available.')
})
