import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { scriptedModel } from '@troupe/core/testing'
import type { ScriptTurn } from '@troupe/core/testing'
import type { FrameLocator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { triedVectors } from './testing/hostile-vectors.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'
import { cell, workbook, zip } from './testing/make-workbook.ts'
import { navigations, waysOut } from './testing/ways-out.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'previews (skipped: no Chromium, CHROMIUM_PATH is not set)' : 'previews'

const jsx = '<Card title="Week 12"><Stat label="Visits" value="1,204" /><Text>Best week so far.</Text></Card>'
const option = {
  xAxis: { type: 'category', data: ['Mon', 'Tue'] },
  yAxis: {},
  series: [{ name: 'Visits', type: 'bar', data: [3, 5] }],
}
const tree = {
  root: 'card',
  elements: {
    card: { type: 'Card', props: { title: 'Book' }, children: ['who', 'where', 'ok', 'no'] },
    who: { type: 'TextField', props: { name: 'who', label: 'Who', required: true } },
    where: { type: 'Select', props: { name: 'where', label: 'Where', options: ['Sea', 'Hills'] } },
    ok: { type: 'Button', props: { label: 'Book it', action: 'submit' } },
    no: { type: 'Button', props: { label: 'Leave it', action: 'cancel' } },
  },
}

const sales = (total: string): string =>
  `export default function App() { return <main className="p-4"><h1 className="text-2xl">Sales</h1><button onClick={() => 1}>{'${total}'}</button><a href="https://a.example/x">More</a></main> }`

const scripts: Record<string, ScriptTurn[]> = {
  'sales 1': [[{ call: { name: 'JsxCreate', input: sales('one') } }], [{ text: 'First.' }]],
  'sales 2': [[{ call: { name: 'JsxCreate', input: sales('two') } }], [{ text: 'Second.' }]],
  jsx: [
    [{ call: { name: 'JsxCreate', rawInput: JSON.stringify({ input: jsx }), chunks: 10, delayMs: 300 } }],
    [{ text: 'Made.' }],
  ],
  broken: [[{ call: { name: 'JsxCreate', input: '<Card>\n<Text>{sum}</Text>\n</Card>' } }], [{ text: 'Broken.' }]],
  chart: [[{ call: { name: 'ChartRender', input: { option, title: 'Visits' } } }], [{ text: 'Drawn.' }]],
  form: [[{ call: { name: 'JsonRender', input: { title: 'A trip', tree } } }], [{ text: 'Thanks.' }]],
  find: [[{ call: { name: 'Glob', input: { pattern: '*.xlsx' } } }], [{ text: 'Found.' }]],
  hostile: [
    [
      { call: { name: 'JsxCreate', input: hostileJsx() } },
      { call: { name: 'ChartRender', input: { title: '<img src=x onerror=hit()>', option: hostileOption() } } },
      { call: { name: 'Read', input: { file_path: 'hostile.svg' } } },
      { call: { name: 'Read', input: { file_path: 'hostile.csv' } } },
      { call: { name: 'Read', input: { file_path: 'vectors.html' } } },
      { call: { name: 'Read', input: { file_path: 'vectors.csv' } } },
      { call: { name: 'Read', input: { file_path: 'vectors.md' } } },
    ],
    [{ text: 'Shown.' }],
  ],
}
const files: Record<string, string> = {
  'hostile.svg': `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="top.hit=1"><script>top.hit=1</script><image href="/hostile" /><rect width="40" height="40" fill="teal"/></svg>`,
  'hostile.csv': 'name,<img src=x onerror=hit()>\n"<script>hit()</script>",=cmd()\n"javascript:hit()",2\n',
  'vectors.csv': `"vector"\n${triedVectors.map((vector) => `"${vector.replaceAll('"', '""')}"`).join('\n')}`,
  'vectors.md': triedVectors.slice(0, 200).join('\n\n'),
  'diagram.mmd': 'flowchart LR\n  a["<img src=x onerror=hit()>"] --> b[End]\n  click a "javascript:hit()"\n',
  'app.html': `<!doctype html><h1>App</h1><p id="n">0</p><button onclick="add()">Add</button><script src="https://cdn.invalid/x.js"></script>
    <script>let n = Number(localStorage.getItem('n') ?? 0); const add = () => { n += 1; localStorage.setItem('n', n); document.getElementById('n').textContent = n }</script>`,
}

describe.skipIf(chromium === undefined)(name, () => {
  const model = scriptedModel(
    (prompt) => {
      const last = prompt.findLastIndex((message) => message.role === 'user')
      const said = prompt[last]?.content[0] as { text: string } | undefined
      const text = said?.text ?? ''
      const turn = prompt.length - last > 1 ? 1 : 0
      if (text.startsWith('look ')) {
        const looks = text.slice(5).split(' ')
        return turn === 1
          ? [{ text: 'Read.' }]
          : looks.map((file) => ({ call: { name: 'Read', input: { file_path: file } } }))
      }
      return scripts[text]?.[turn] ?? [{ text: 'Yes.' }]
    },
    { provider: 'test', modelId: 'script' },
  )
  const hits: string[] = []
  const outside = createServer((request, response) => {
    hits.push(request.url ?? '')
    response.setHeader('access-control-allow-origin', '*')
    response.end('x')
  })
  const packets = createSocket('udp4')
  let workspace: TestWorkspace
  beforeAll(async () => {
    outside.listen(0, '127.0.0.1')
    packets.on('message', () => hits.push('/webrtc'))
    packets.bind(0, '127.0.0.1')
    await Promise.all([once(outside, 'listening'), once(packets, 'listening')])
    const { port } = outside.address() as AddressInfo
    const place = { url: `http://127.0.0.1:${port}`, stun: `stun:127.0.0.1:${packets.address().port}` }
    files['ways.html'] = waysOut(place)
    const counted = triedVectors.map((vector) => vector.replaceAll(/(?:https?:)?\/\/elsewhere\.invalid/g, place.url))
    files['vectors.html'] = spreadOut(counted.filter(isShown))
    for (const [way, page] of Object.entries(navigations(place))) files[`${way}.html`] = page
    scripts['app'] = [[{ call: { name: 'JsxCreate', input: appThatLeaks(files['ways.html']) } }], [{ text: 'Made.' }]]
    workspace = await openWorkspace(chromium ?? '', {
      models: { 'test/script': model },
      home: { 'config.json': '{"model": "test/script"}' },
      server: { env: { CHROMIUM_PATH: chromium } },
      files,
    })
  })
  afterEach(async (context) => {
    await workspace.closePages(context)
    workspace.complaints.length = 0
    hits.length = 0
  })
  afterAll(async () => {
    await workspace?.close()
    outside.close()
    packets.close()
  })

  async function look(page: Page, file: string): Promise<FrameLocator> {
    await page
      .getByRole('figure', { name: new RegExp(`^${file},`) })
      .getByRole('button', { name: 'Open preview' })
      .click()
    return page.frameLocator(`iframe[title="${file} preview"]`)
  }

  async function lookedAt(...names: string[]): Promise<Page> {
    // Late actions of a hostile page must not be attributed to the next test.
    const chat = chatPage(await workspace.open())
    await chat.ask(`look ${names.join(' ')}`)
    if (names.length > 1) await chat.openGroups()
    for (const file of names)
      await chat.lastAnswer
        .getByRole('button', { name: new RegExp(file) })
        .first()
        .click()
    return chat.page
  }

  test('no escape from a preview, by sixteen channels that all work elsewhere', async () => {
    const control = await workspace.newPage()
    await control.goto(`http://127.0.0.1:${(outside.address() as AddressInfo).port}/`)
    await control.setContent(files['ways.html'] ?? '', { waitUntil: 'commit' })
    // Not every browser sends a packet for WebRTC, and the form may lose to `top`: these two have no control.
    const probes = 'beacon css fetch frame image link prefetch script top'.split(' ').map((way) => `/${way}`)
    await expect.poll(() => hits).toEqual(expect.arrayContaining(probes))
    await control.context().close()

    hits.length = 0
    const page = await lookedAt(
      'ways.html',
      ...Object.keys(navigations({ url: '', stun: '' })).map((way) => `${way}.html`),
    )
    const frame = await look(page, 'ways.html')
    await frame.locator('body[data-done=yes]').waitFor()
    expect(JSON.parse((await frame.locator('#reached').textContent()) ?? '')).toEqual([])
    await expect
      .poll(() => page.locator('.preview-note').first().textContent())
      .toContain('blocked. Previews have no network access.')
    const refused = () => workspace.complaints.filter((one) => one.includes('content policy: frame-src')).length
    for (const way of Object.keys(navigations({ url: '', stun: '' }))) {
      const before = refused()
      const answer = way === 'own' && page.waitForResponse((response) => response.url().endsWith('/ai/sessions?own'))
      await look(page, `${way}.html`)
      // Our own server answers, but rejects strangers. A refresh in the markup is removed before the page is shown.
      if (answer) expect((await answer).status()).toBe(401)
      else if (way !== 'refresh') await expect.poll(refused, { message: way }).toBeGreaterThan(before)
    }
    expect(hits).toEqual([])
    expect(page.url()).toContain(`:${workspace.server().port}/`)
    expect(page.context().pages()).toHaveLength(1)
    expect(await page.evaluate(() => 'hit' in window || localStorage.getItem('stolen') !== null)).toBe(false)
  })

  test.runIf(full)(
    'an HTML page works in its frame: scripts, handlers, storage; other kinds of files are shown, too',
    async () => {
      const page = await lookedAt('app.html', 'hostile.csv', 'diagram.mmd')
      const frame = await look(page, 'app.html')
      await frame.getByRole('button', { name: 'Add' }).click()
      await frame.getByRole('button', { name: 'Add' }).click()
      await expect.poll(() => frame.locator('#n').textContent()).toBe('2')
      await page.getByText('1 item was blocked. Previews have no network access.').waitFor()
      await look(page, 'hostile.csv')
      await page.getByRole('cell', { name: '<script>hit()</script>' }).waitFor()
      await page.getByText('2 rows, 2 columns').waitFor()
      await writeFile(
        path.join(workspace.folder, 'book.xlsx'),
        new Uint8Array(zip(workbook(`<row r="1">${cell('A1', 'Name')}</row><row r="2">${cell('A2', 'Ann')}</row>`))),
      )
      await look(page, 'diagram.mmd')
      const picture = page.getByRole('img', { name: 'Diagram' })
      await picture.waitFor()
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(50)
      const chat = chatPage(page)
      await chat.ask('find')
      await chat.lastAnswer.getByRole('button', { name: /Find/ }).first().click()
      await chat.lastAnswer.getByRole('listitem').getByRole('button', { name: 'Open preview' }).click()
      await page.getByRole('gridcell', { name: 'Ann' }).waitFor()
      expect(workspace.complaints).toEqual([])
    },
  )

  test('a page of JSX runs after a click: state, forms and handlers work, and nothing gets out', async () => {
    const chat = chatPage(await workspace.open())
    await chat.ask('app')
    const frame = chat.lastAnswer.locator('iframe').contentFrame()
    await frame.getByText('0 tasks').waitFor()
    await chat.lastAnswer.getByRole('button', { name: 'Run', exact: true }).click()
    await frame.locator('body[data-done=yes]').waitFor()
    expect(JSON.parse((await frame.locator('#reached').textContent()) ?? '')).toEqual([])
    await frame.getByRole('textbox').fill('Rest')
    await chat.page.keyboard.press('Enter')
    await frame.getByText('1 tasks').waitFor()
    await chat.lastAnswer.getByRole('button', { name: 'Stop', exact: true }).click()
    await frame.getByText('0 tasks').waitFor()
    expect(hits).toEqual([])
    expect(chat.page.context().pages()).toHaveLength(1)
  })

  test.runIf(full)('a page of components is shown while it streams; an invalid one is not', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('jsx')
    await chat.page.waitForFunction(() =>
      document.querySelector('[aria-label="JsxCreate: preparing"] .made')?.textContent?.includes('Week 12'),
    )
    await chat.finished()
    await chat.lastAnswer.getByText('Best week so far.').waitFor()
    await chat.lastAnswer.getByRole('button', { name: 'Open in panel' }).click()
    await panelArea(chat.page).getByText('Best week so far.').waitFor()
    await chat.ask('broken')
    await chat.lastAnswer
      .getByText(/line 2, column 8: "sum" is not defined/)
      .first()
      .waitFor()
    expect(workspace.complaints).toEqual([])
  })

  test.runIf(full)('a page has versions, is edited by selecting, printed and downloaded', async () => {
    const chat = chatPage(await workspace.sharedPage())
    const { page } = chat
    await chat.ask('sales 1')
    await chat.ask('sales 2')
    await chat.lastAnswer.getByRole('button', { name: 'Open in panel' }).click()
    const panel = panelArea(page)
    const frame = panel.locator('iframe').contentFrame()
    await frame.getByRole('button', { name: 'two' }).waitFor()
    await frame.getByRole('link', { name: 'More' }).click()
    await panel.getByRole('link', { name: 'https://a.example/x' }).waitFor()
    await panel.getByRole('slider', { name: 'Version' }).press('ArrowLeft')
    await frame.getByRole('button', { name: 'one' }).waitFor()
    await panel.getByRole('button', { name: 'Show changes' }).click()
    await panel.getByText("'two'").first().waitFor()
    await panel.getByRole('button', { name: 'Hide changes' }).click()
    await panel.getByRole('button', { name: 'Go to newest' }).click()
    await frame.getByRole('button', { name: 'two' }).waitFor()
    // A PDF starts another Chromium. packages/server/src/sessions/artifacts.test.ts always prints one.
    const pdf = full ? ([['PDF', 'Sales.pdf', '%PDF']] as const) : []
    for (const [name, file, start] of [
      ...pdf,
      ['HTML page', 'Sales.html', '<!do'],
      ['Source', 'Sales.jsx', 'expo'],
    ] as const) {
      const download = page.waitForEvent('download')
      await panel.getByRole('button', { name: 'Download' }).click()
      await page.getByRole('menuitem', { name }).click()
      const bytes = Buffer.concat(await Array.fromAsync(await (await download).createReadStream()))
      expect([(await download).suggestedFilename(), bytes.toString('latin1', 0, 4)]).toEqual([file, start])
    }
    await panel.getByRole('button', { name: 'Select to edit' }).click()
    await frame.getByRole('button', { name: 'two' }).click()
    await panel.getByText('<button>').waitFor()
    await panel.getByRole('textbox', { name: 'What should change?' }).fill('Make it three')
    await page.keyboard.press('Enter')
    await chat.finished()
    const asked = JSON.stringify(model.calls.at(-1)?.prompt.at(-1))
    expect(asked).toMatch(/Change the artifact “Sales”.*> two.*Make it three/)
    expect(workspace.complaints).toEqual([])
  })

  test.runIf(full)('a chart is drawn in a frame, is available as a table, and can be saved as an image', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.ask('chart')
    const figure = chat.lastAnswer.getByRole('figure', { name: 'Chart: Visits' })
    const canvas = figure.frameLocator('iframe').locator('canvas').first()
    await canvas.waitFor()
    expect((await canvas.boundingBox())?.height).toBeGreaterThan(200)
    await expect.poll(() => figure.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts')
    const download = chat.page.waitForEvent('download')
    await figure.getByRole('button', { name: 'Save as PNG' }).click()
    expect((await download).suggestedFilename()).toBe('Visits.png')
    const picture = Buffer.concat(await Array.fromAsync(await (await download).createReadStream()))
    expect([picture.toString('latin1', 1, 4), picture.length > 5000]).toEqual(['PNG', true])
    await figure.getByText('Table', { exact: true }).click()
    await expect.poll(() => figure.getByRole('row').allTextContents()).toEqual(['Visits', 'Mon3', 'Tue5'])
    await chat.lastAnswer.getByRole('button', { name: 'Open in panel' }).click()
    await panelArea(chat.page).frameLocator('iframe').locator('canvas').first().waitFor()
    expect(workspace.complaints).toEqual([])
  })

  // form-ask.test.tsx does this in every run.
  test.runIf(full)('a form is filled in and submitted with the keyboard; cancel works, too', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('form')
    const who = chat.page.getByRole('textbox', { name: 'Who' })
    await who.focus()
    await who.pressSequentially('Ann')
    await chat.page.keyboard.press('Tab')
    await chat.page.keyboard.type('H')
    await chat.page.keyboard.press('Tab')
    await chat.page.keyboard.press('Enter')
    await chat.finished()
    await expect.poll(() => chat.lastAnswer.locator('.answers').textContent()).toBe('WhoAnnWhereHills')
    await chat.send('form')
    await chat.page.getByRole('button', { name: 'Leave it' }).click()
    await chat.finished()
    await chat.lastAnswer.getByText('You canceled this form.').waitFor()
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('cancel')
    expect(workspace.complaints).toEqual([])
  })

  test('hostile components, chart options, drawings and cells run and load nothing', async () => {
    const chat = chatPage(await workspace.open())
    await chat.ask('hostile')
    await chat.openGroups()
    // The link of the page is gone, its title is words.
    const made = chat.lastAnswer.locator('iframe').first().contentFrame()
    await made.getByText('<img src=x onerror=hit()>').waitFor()
    expect(await made.locator('a').getAttribute('href')).toBeNull()
    for (const file of ['hostile.svg', 'hostile.csv']) {
      await chat.lastAnswer
        .getByRole('button', { name: new RegExp(file) })
        .first()
        .click()
      await look(chat.page, file)
    }
    await chat.page.getByRole('cell', { name: '=cmd()', exact: true }).waitFor()
    for (const file of ['vectors.md', 'vectors.csv']) {
      await chat.lastAnswer
        .getByRole('button', { name: new RegExp(file) })
        .first()
        .click()
      await look(chat.page, file)
    }
    await chat.page.getByText(new RegExp(`^${triedVectors.length} rows, \\d+ columns?`)).waitFor()
    expect(workspace.complaints).toEqual([])
    await chat.lastAnswer
      .getByRole('button', { name: /vectors.html/ })
      .first()
      .click()
    const frame = await look(chat.page, 'vectors.html')
    await frame.locator('body[data-done=yes]').waitFor({ state: 'attached' })
    expect(Number(await frame.locator('#count').textContent())).toBe(triedVectors.filter(isShown).length)
    expect(await chat.page.evaluate(() => 'hit' in window)).toBe(false)
    expect(hits).toEqual([])
    // The browser blocks requests inside the frame; the page itself throws nothing and opens no dialog.
    expect(workspace.complaints.filter((one) => !/^(?:request|response):/.test(one))).toEqual([])
  })
})

/** The others navigate the frame away. */
function isShown(vector: string): boolean {
  return !/http-equiv/i.test(vector)
}

function panelArea(opened: Page) {
  return opened.getByRole('complementary', { name: 'Panels' })
}

function spreadOut(vectors: readonly string[]): string {
  return `<p id="count"></p><script>
    const vectors = ${JSON.stringify(vectors).replaceAll('<', String.raw`\u003c`)}
    for (const vector of vectors) {
      const place = document.createElement('div')
      document.body.append(place)
      place.innerHTML = vector
    }
    document.getElementById('count').textContent = vectors.length
    document.body.dataset.done = 'yes'
  </script>`
}

/** A list of tasks that runs the scripts of a hostile page when it starts. */
function appThatLeaks(hostile = ''): string {
  const [, script = ''] = /<script>\n([\s\S]*)<\/script>/.exec(hostile) ?? []
  return `export default function App() {
    const [tasks, setTasks] = useState([])
    const [text, setText] = useState('')
    useEffect(() => { new Function(${JSON.stringify(script)})() }, [])
    const add = (event) => { event.preventDefault(); setTasks([...tasks, text]) }
    return <main className="p-4"><form onSubmit={add}><input value={text} onChange={(event) => setText(event.target.value)} /></form><p>{tasks.length} tasks</p>
      <form id="form" /><p id="reached"></p></main>
  }`
}

function hostileJsx(): string {
  return '<Card title="&lt;img src=x onerror=hit()&gt;"><Link href="javascript:hit()">x</Link></Card>'
}

function hostileOption(): object {
  return {
    ...option,
    title: { text: '<img src=x onerror=hit()>' },
    tooltip: { formatter: '<img src=x onerror=hit()>' },
  }
}
