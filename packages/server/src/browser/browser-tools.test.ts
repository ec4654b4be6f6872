import { createHash } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createAgentState, disposeAgentState, findTool, getBuiltinTools, type Tool, unwrapResult } from '@troupe/core'
import { testToolContext } from '@troupe/core/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { full } from '../../../protocol/testing/test-effort.ts'
import { openTestSite, resolveToLoopback, type TestSite } from '../testing/test-site.ts'
import { findChromium } from './find-chromium.ts'
import { type Browsers, openBrowsers } from './open-browsers.ts'

const executable = findChromium(process.env)
const name = executable === undefined ? 'the browser tools (skipped: no Chromium)' : 'the browser tools'

/** A frame that navigates to a blank page, and a sibling frame on the same host that writes into it. */
const leavesForBlank = `<script>location = 'about:blank'</script>`
const fillsBlank = `<script>setInterval(() => {
  try {
    if (parent[0].location.href !== 'about:blank' || parent[0].done) return
    parent[0].document.body.innerHTML = '<button onclick="parent[1].fetch(&quot;/paid&quot;)">Pay</button>'
    parent[0].done = true
  } catch {}
}, 20)</script>`

const rows = Array.from({ length: 1500 }, (_, i) => `<p>Paragraph ${i} of a long page.</p>`).join('')

describe.skipIf(executable === undefined)(name, () => {
  let home: string
  let site: TestSite
  let canary: TestSite
  let browsers: Browsers
  let allow: string[] = []
  const pids: number[] = []
  const blobs = new Map<string, Uint8Array>()

  beforeAll(async () => {
    home = mkdtempSync(path.join(tmpdir(), 'troupe-browser-'))
    canary = await openTestSite({})
    site = await openTestSite({
      'a.test/': `<title>Front page</title><h1>Hello</h1><nav><a href="/form">The form</a> <a href="/b">Away</a>
        <a href="/form" target="_blank">New window</a> <a href="/file" download>A file</a></nav>
        <table><tr><th>Name</th><th>Age</th></tr><tr><td>Ada</td><td>36</td></tr></table>
        <button onclick="window.open('http://b.test:PORT/window')">Open</button><button onclick="alert('Boo'); document.title='Clicked'">Alert</button><div hidden>hidden words</div>`,
      'a.test/form': `<title>Form</title><form method="post" action="/sent">
        <label>Name <input name="name"></label><label>Password <input type="password" name="word"></label>
        <label>Colour <select name="colour"><option>red<option>green</select></label><button>Send</button></form>`,
      'a.test/sent': (_request, response, body) => {
        response.setHeader('content-type', 'text/html')
        response.setHeader('set-cookie', 'visit=1; Max-Age=1000')
        response.end(
          `<title>Sent</title><p id="sent">${new URLSearchParams(body).get('name')} likes ${new URLSearchParams(body).get('colour')}</p>`,
        )
      },
      'a.test/cookie': ({ headers }, response) => {
        response.setHeader('content-type', 'text/html')
        response.end(`<p>cookie: ${headers.cookie ?? 'none'}</p>`)
      },
      'a.test/b': (_request, response) => void response.writeHead(302, { location: site.url('b.test/secret') }).end(),
      'a.test/file': (_request, response) =>
        void response.writeHead(200, { 'content-disposition': 'attachment; filename=x.bin' }).end('bytes'),
      'a.test/long': `<title>Long</title><article>${rows}</article>`,
      'a.test/later': `<p id="p">wait</p><script>setTimeout(() => (p.textContent = 'it is here'), 300)</script>`,
      'a.test/frames': `<p>outside</p><iframe src="FRAME"></iframe>`,
      'a.test/address': `<script>history.pushState(null, '', '/address?' + 'x'.repeat(1_000_000))</script><p>hello`,
      'a.test/windows': `<base target="_blank"><a href="http://b.test:PORT/link">Link</a>
        <form action="http://b.test:PORT/form" method="post"><button formtarget="_blank">Post</button></form>
        <script>for (const name of ['click', 'submit']) addEventListener(name, (event) => event.stopImmediatePropagation(), true)</script>`,
      'a.test/hidden-windows': `<title>Windows</title><form id="f" action="http://b.test:PORT/hidden" target="_blank" method="post"></form>
        <button onclick="leave()">Link</button><button onclick="leave('noopener')">Alone</button><button onclick="f.submit()">Post</button>
        <script>leave = (rel) => Object.assign(document.createElement('a'), { href: 'http://b.test:PORT/hidden', target: '_blank', rel: rel ?? 'opener' }).click()</script>`,
      'a.test/blank': `<iframe src="http://b.test:PORT/blank"></iframe><iframe src="http://b.test:PORT/fill"></iframe>`,
      'a.test/near': `<iframe src="http://x.a.test:PORT/blank"></iframe><iframe src="http://x.a.test:PORT/fill"></iframe>`,
      'a.test/own-blank': `<iframe></iframe><iframe src="http://b.test:PORT/frame"></iframe>
        <script>frames[0].document.body.innerHTML = '<button onclick="this.textContent=&quot;Was clicked&quot;">Own</button>'</script>`,
      'a.test/nested': `<p>outside</p><iframe src="NESTED"></iframe>`,
      'a.test/focus': `<p>outside</p><iframe src="FOCUS"></iframe>`,
      'a.test/own': `<iframe srcdoc="<button onclick='document.title=1;this.textContent=&quot;Was clicked&quot;'>Own</button>"></iframe>`,
      'a.test/leaks': `<p>leaks</p><img src="http://127.0.0.1:CANARY/img"><script>
        for (const host of ['127.0.0.1', 'localhost', '[::1]']) fetch('http://' + host + ':CANARY/fetch', {mode: 'no-cors'}).catch(() => {})
        navigator.sendBeacon('http://127.0.0.1:CANARY/beacon', 'x')
        new WebSocket('ws://127.0.0.1:CANARY/socket')
        const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:' + CANARY }] })
        peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))
      </script><iframe src="http://127.0.0.1:CANARY/frame"></iframe>`,
      'b.test/frame': `<button>Pay</button>`,
      'b.test/blank': leavesForBlank,
      'b.test/fill': fillsBlank,
      'x.a.test/blank': leavesForBlank,
      'x.a.test/fill': fillsBlank,
      'b.test/nested': `<iframe srcdoc="<button onclick='parent.pay()'>Pay</button>"></iframe><script>pay = () => fetch('/paid')</script>`,
      'b.test/focus': `<button id="b" onclick="fetch('/paid')">Pay</button><script>b.focus()</script>`,
      'b.test/paid': 'paid',
      'b.test/secret': `<title>Elsewhere</title>`,
    })
    for (const [key, page] of Object.entries(site.pages))
      if (typeof page === 'string')
        site.pages[key] = page
          .replaceAll('CANARY', `${canary.port}`)
          .replaceAll('FRAME', site.url('b.test/frame'))
          .replaceAll('NESTED', site.url('b.test/nested'))
          .replaceAll('FOCUS', site.url('b.test/focus'))
          .replaceAll('PORT', `${site.port}`)
    allow = [`127.0.0.1:${site.port}`]
    browsers = openBrowsers({
      home,
      env: process.env,
      settings: () => ({ allow }),
      ownPort: () => 0,
      resolve: resolveToLoopback,
    })
  })
  afterAll(async () => {
    await browsers.close()
    await Promise.all([site.close(), canary.close()])
    rmSync(home, { recursive: true, force: true })
  })
  beforeEach(() => {
    site.requests.length = 0
  })

  const ctx = () =>
    testToolContext({
      browser: browsers,
      state,
      process: (pid) => Promise.resolve(void pids.push(pid)),
      blobs: {
        put(bytes, mediaType) {
          const sha256 = createHash('sha256').update(bytes).digest('hex')
          blobs.set(sha256, bytes)
          return Promise.resolve({ sha256, size: bytes.length, mediaType })
        },
        get: () => Promise.resolve(undefined),
      },
    })
  let state = newState()
  function newState() {
    return createAgentState({ workspace: tmpdir(), outputFolder: path.join(tmpdir(), 'troupe-browser-output') })
  }

  async function call(
    toolName: string,
    given: Record<string, unknown>,
  ): Promise<{ output: never; text: string; display: unknown }> {
    const tool = findTool(toolName, tools) as Tool
    const input: unknown = tool.input.parse(given)
    const complaint = await tool.validate?.(input, ctx())
    if (typeof complaint === 'string') throw new Error(complaint)
    const { output, modelText } = unwrapResult(await tool.execute(input, ctx()))
    return {
      output: output as never,
      text: modelText ?? tool.toModel!(output, input),
      display: tool.display!(output, input),
    }
  }
  const open = (hostAndPath: string, more: object = {}) =>
    call('BrowserSnapshot', { url: site.url(hostAndPath), ...more })
  const refOf = (text: string, what: RegExp): string => {
    const line = text.split('\n').find((one) => what.test(one))
    return /\[ref=(\w+)\]/.exec(line ?? '')?.[1] ?? `no ref for ${what} in ${text}`
  }
  /** Chromium reports a blocked window, navigation or download soon after the action, which may have returned then. */
  const untilTold = async (text: string, note: string): Promise<string> => {
    let seen = text
    const isTold = async () => seen.includes(note) || (seen += (await call('BrowserSnapshot', {})).text).includes(note)
    await vi.waitUntil(isTold, { timeout: 10_000 }).catch(() => undefined)
    expect(seen).toContain(note)
    return seen
  }

  test('a page is opened and read: an outline with refs for the model, an image for the card', async () => {
    const { output, text, display } = await open('a.test/')
    expect(text).toContain(
      `URL: ${site.url('a.test/')}\nStatus: 200\nTitle: Front page\n\n- heading "Hello" [level=1] [ref=`,
    )
    expect(text).not.toContain('hidden words')
    expect(output).not.toHaveProperty('kind')
    expect(display).toMatchObject({ title: 'Front page', content: { kind: 'image', mediaType: 'image/jpeg' } })
    const { sha256 } = (display as { content: { sha256: string } }).content
    expect(blobs.get(sha256)?.length).toBeGreaterThan(1000)
    const shown = await call('BrowserSnapshot', { screenshot: true })
    expect(shown.output).toMatchObject({ kind: 'image', width: 1280, height: 800, blob: expect.any(String) as string })
    const part = await call('BrowserSnapshot', { ref: refOf(text, /navigation/) })
    expect(part.text).toContain('The form')
    expect(part.text).not.toContain('Ada')
    await expect(call('BrowserSnapshot', { ref: 'e9999' })).rejects.toThrow('The page no longer has an element e9999')
  })

  test('elements are found by words and role', async () => {
    await open('a.test/')
    expect((await call('BrowserObserve', { query: 'form', role: 'link' })).text).toMatch(
      /- link "The form" \[ref=\w+\]/,
    )
    expect((await call('BrowserObserve', { query: 'nothing of the sort' })).text).toContain('No elements found')
    await expect(call('BrowserObserve', {})).rejects.toThrow('Give "query", "role" or both')
  })

  test.runIf(full)('text, tables and links are returned as Markdown, long ones in parts', async () => {
    const { text } = await open('a.test/')
    const ref = refOf(text, /table/)
    expect((await call('BrowserExtract', { what: 'tables', ref })).text).toContain(
      '| Name | Age |\n| --- | --- |\n| Ada | 36 |',
    )
    expect((await call('BrowserExtract', { what: 'links' })).text).toContain(
      `- [The form](<${site.url('a.test/form')}>)`,
    )
    await open('a.test/long')
    const first = await call('BrowserExtract', {})
    expect(first.text.length).toBeLessThan(21_000)
    const { next } = first.output as { next: number }
    expect(first.text).toContain(`"offset": ${next}`)
    expect((await call('BrowserExtract', { offset: next })).text).toContain('Paragraph 1000 of')
    await expect(call('BrowserExtract', { offset: 1e9 })).rejects.toThrow('smaller offset')
  })

  test('long texts of a page are shortened for the model', async () => {
    const { text, output } = await open('a.test/address')
    expect(text).toContain('hello')
    expect([text.length, JSON.stringify(output).length].every((length) => length < 10_000)).toBe(true)
    for (const name of ['BrowserExtract', 'BrowserObserve'])
      expect((await call(name, name === 'BrowserObserve' ? { query: 'hello' } : {})).text.length).toBeLessThan(10_000)
    const url = site.url('a.test/')
    expect((await call('BrowserAct', { url, action: 'scroll' })).text.length).toBeLessThan(10_000)
  })

  test('a form is filled in and sent; a password is shown nowhere', async () => {
    const url = site.url('a.test/form')
    const { text } = await open('a.test/form')
    await call('BrowserAct', { url, action: 'type', ref: refOf(text, /textbox "Name/), text: 'Ada' })
    const typed = await call('BrowserAct', {
      url,
      action: 'type',
      ref: refOf(text, /textbox "Password/),
      text: 'hunter2-secret',
    })
    expect(JSON.stringify(typed)).not.toContain('hunter2-secret')
    expect((await call('BrowserSnapshot', {})).text).toMatch(/textbox "Password.*: ••••/)
    await call('BrowserAct', { url, action: 'select', ref: refOf(text, /combobox/), text: 'green' })
    const sent = await call('BrowserAct', { url, action: 'click', ref: refOf(text, /button "Send"/) })
    expect(sent.text).toMatch(/^Done: click button "Send" \[ref=\w+\]\. The page now:\nURL: .*\/sent\nTitle: Sent/)
    expect(sent.text).toContain('Ada likes green')
    expect(sent.display).toMatchObject({ title: expect.stringContaining('Click button "Send"') as string })
    const back = await call('BrowserAct', { url, action: 'back' })
    expect(back.text).toContain('Title: Form')
  })

  test('nothing is done without permission: another origin, a frame of another host, a missing ref', async () => {
    await open('a.test/form')
    await expect(call('BrowserAct', { url: site.url('b.test/'), action: 'scroll' })).rejects.toThrow(
      `The page is now at ${site.url('a.test/form')}`,
    )
    const url = site.url('a.test/frames')
    await expect(call('BrowserAct', { url, action: 'click', ref: 'e999' })).rejects.toThrow(
      'no longer has an element e999',
    )
    await expect(call('BrowserAct', { url, action: 'click' })).rejects.toThrow('give the ref')
    const { text } = await open('a.test/frames')
    await expect(call('BrowserAct', { url, action: 'click', ref: refOf(text, /button "Pay"/) })).rejects.toThrow(
      'belongs to a frame from another host',
    )
  })

  test.runIf(full)('nor in frames inside such a frame, nor by a key sent to it', async () => {
    const { text } = await open('a.test/nested')
    const url = site.url('a.test/nested')
    await expect(call('BrowserAct', { url, action: 'click', ref: refOf(text, /button "Pay"/) })).rejects.toThrow(
      `belongs to a frame from another host. To act on it, open that page with BrowserSnapshot: ${site.url('b.test/nested')}`,
    )
    await open('a.test/focus')
    await expect(call('BrowserAct', { url, action: 'press', text: 'Enter' })).rejects.toThrow(
      'The focused element belongs to a frame from another host',
    )
    expect(site.requests).not.toContain('GET b.test/paid')
    const own = await open('a.test/own')
    const clicked = await call('BrowserAct', { url, action: 'click', ref: refOf(own.text, /button "Own"/) })
    expect(clicked.text).toContain('button "Was clicked"')
    expect((await call('BrowserAct', { url, action: 'press', text: 'Tab' })).text).toContain('Done: press')
  })

  test('a page cannot reach other hosts: redirects and links send no requests, and the model gets a note', async () => {
    await expect(open('a.test/b')).rejects.toThrow(
      `redirects to another host. If you want that page, open it: ${site.url('b.test/secret')}`,
    )
    const { text } = await open('a.test/')
    const url = site.url('a.test/')
    const clicked = await call('BrowserAct', { url, action: 'click', ref: refOf(text, /link "Away"/) })
    await untilTold(
      clicked.text,
      `Note: The page tried to go to another host, which was blocked. If you want that page, open it with BrowserSnapshot: ${site.url('b.test/secret')}`,
    )
    expect(clicked.text).toContain('Title: Front page')
    const opened = await call('BrowserAct', { url, action: 'click', ref: refOf(text, /button "Open"/) })
    await untilTold(opened.text, site.url('b.test/window'))
    const windows = await open('a.test/windows')
    for (const [what, at] of [
      [/link "Link"/, 'b.test/link'],
      [/button "Post"/, 'b.test/form'],
    ] as const) {
      const { text: told } = await call('BrowserAct', { url, action: 'click', ref: refOf(windows.text, what) })
      await untilTold(told, site.url(at))
    }
    expect(site.requests.filter((line) => line.includes('b.test'))).toEqual([])
    expect((await open('b.test/secret')).text).toContain('Title: Elsewhere')
  })

  test.each([
    [
      'submits a form',
      `<form id="f" method="post" action="http://never.test:PORT/x"></form><script>f.submit()</script>`,
    ],
    ...(full
      ? [
          ['goes elsewhere', `<script>location = 'http://never.test:PORT/x'</script>`],
          ['goes to a file', `<script>location = 'file:///etc/passwd'</script>`],
        ]
      : []),
    [
      'goes elsewhere again and again',
      `<script>setInterval(() => (location = 'http://never.test:PORT/' + Math.random()), 20)</script>`,
    ],
  ])(
    'a page that %s while it loads is returned soon',
    async (_, markup) => {
      site.pages['a.test/leaving'] = `<title>Leaving</title><p>stays here</p>${markup}<p>to the end</p>`.replaceAll(
        'PORT',
        String(site.port),
      )
      const begun = performance.now()
      const { text } = await open('a.test/leaving')
      expect(text).toContain('stays here')
      expect(performance.now() - begun).toBeLessThan(12_000)
      expect(site.requests.filter((line) => line.includes('never.test/x'))).toEqual([])
    },
    40_000,
  )

  test.runIf(full)('no new window sends a request to another host, whichever way a page opens it', async () => {
    const url = site.url('a.test/')
    for (const what of [/button "Link"/, /button "Alone"/, /button "Post"/]) {
      const { text } = await open('a.test/hidden-windows')
      const clicked = await call('BrowserAct', { url, action: 'click', ref: refOf(text, what) })
      expect(clicked.text).toContain('Title: Windows')
      if (!String(what).includes('Alone')) await untilTold(clicked.text, `blocked: ${site.url('b.test/hidden')}`)
    }
    expect(site.requests.filter((line) => line.includes('b.test'))).toEqual([])
  })

  test.runIf(full)('a blank frame belongs to the page that navigated it, not to the page around it', async () => {
    const url = site.url('a.test/')
    for (const at of ['a.test/blank', 'a.test/near']) {
      let { text } = await open(at)
      const see = async () => (text = (await call('BrowserSnapshot', {})).text).includes('"Pay"')
      await vi.waitUntil(see, { timeout: 10_000 })
      await expect(call('BrowserAct', { url, action: 'click', ref: refOf(text, /button "Pay"/) })).rejects.toThrow(
        'belongs to a frame from another host',
      )
    }
    expect(site.requests.filter((line) => line.includes('paid'))).toEqual([])
    const own = await open('a.test/own-blank')
    const clicked = await call('BrowserAct', { url, action: 'click', ref: refOf(own.text, /button "Own"/) })
    expect(clicked.text).toContain('button "Was clicked"')
  })

  test('dialogs and downloads are refused, new windows of the same host open in place', async () => {
    const { text } = await open('a.test/')
    const url = site.url('a.test/')
    const act = (what: RegExp) => call('BrowserAct', { url, action: 'click', ref: refOf(text, what) })
    expect((await act(/button "Alert"/)).text).toContain('Note: The page showed a dialog, which was dismissed: "Boo"')
    const { text: seen } = await act(/link "A file"/)
    await untilTold(seen, `Note: A download was blocked: ${site.url('a.test/file')}`)
    expect((await act(/link "New window"/)).text).toContain('Title: Form')
  })

  test('non-public addresses are refused, for the page itself and everything it loads', async () => {
    for (const url of [
      `http://127.0.0.1:${canary.port}/`,
      `http://localhost:${canary.port}/`,
      `http://[::1]:${canary.port}/`,
      'http://169.254.169.254/latest/',
      'https://10.0.0.1/',
    ])
      await expect(call('BrowserSnapshot', { url })).rejects.toThrow('is not on the public web')
    for (const url of [
      'file:///etc/passwd',
      'chrome://version',
      'javascript:1',
      'data:text/html,x',
      'view-source:http://a.test/',
    ])
      await expect(call('BrowserSnapshot', { url })).rejects.toThrow(/cannot be fetched|not a URL/)
    const udp = createSocket('udp4')
    const packets: number[] = []
    udp.on('message', ({ length }) => void packets.push(length))
    await new Promise<void>((resolve) => void udp.bind(canary.port, '127.0.0.1', resolve))
    await open('a.test/leaks')
    await call('BrowserWait', { seconds: 0.5 })
    expect(canary.requests).toEqual([])
    // Repeat with the host allowed, to prove that the blocked page did try.
    allow = [...allow, `localhost:${canary.port}`]
    await open('a.test/leaks')
    await vi.waitUntil(() => canary.requests.length > 0, { timeout: 10_000 })
    allow = allow.slice(0, 1)
    expect(packets).toEqual([])
    await new Promise<void>((resolve) => udp.close(resolve))
  })

  test('a text, an element, an address or some time is waited for', async () => {
    await open('a.test/later')
    expect((await call('BrowserWait', { text: 'it is here' })).output).toMatchObject({ met: true })
    expect((await call('BrowserWait', { gone: 'wait' })).output).toMatchObject({ met: true })
    expect((await call('BrowserWait', { url: '/later' })).output).toMatchObject({ met: true })
    const late = await call('BrowserWait', { text: 'never', seconds: 0.2 })
    expect(late.text).toMatch(/^Timed out after/)
    await expect(call('BrowserWait', { text: 'a', ref: 'e1' })).rejects.toThrow('only one condition')
  })

  test('agents of a session have a page each in one Chromium, and share its cookies', async () => {
    await open('a.test/sent')
    expect(pids).toHaveLength(1)
    const first = state
    state = newState()
    await expect(call('BrowserSnapshot', {})).rejects.toThrow('No page is open. Open one')
    expect((await open('a.test/cookie')).text).toContain('cookie: visit=1')
    await disposeAgentState(state)
    state = first
    expect((await call('BrowserSnapshot', {})).text).toContain('Title: Sent')
  })

  test('nothing is left behind', async () => {
    expect(pids.filter(isAlive)).toHaveLength(1)
    await browsers.close()
    expect(pids.filter(isAlive)).toEqual([])
    expect(readdirSync(path.join(home, 'browser'))).toEqual([])
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const tools: Tool[] = getBuiltinTools()
