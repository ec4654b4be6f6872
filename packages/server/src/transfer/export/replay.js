/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return */
'use strict'
;(() => {
  const player = document.getElementById('player')
  const [play, back, next, seek, time, speed, skip] = ['play', 'back', 'next', 'seek', 'time', 'speed', 'skip'].map(
    (id) => document.getElementById(id),
  )
  const length = Number(player.dataset.length)
  /** Everything that has a moment, and how much of it is shown: 0 nothing, 1 all. */
  const timed = Array.from(document.querySelectorAll('[data-at]'), (element) => {
    const at = Number(element.dataset.at)
    const grows = element.classList.contains('text') || element.classList.contains('reasoning')
    const until = grows ? Number(element.dataset.until) : at
    return { element, at, until, shown: 1, texts: undefined }
  })
  const moments = [...new Set([0, ...timed.flatMap(({ at, until }) => [at, until]), length])].sort((a, b) => a - b)
  let now = length
  let running = false
  let last = 0

  /** The texts below an element, each with its own words: they are cut and made whole again. */
  function textsOf(one) {
    if (one.texts) return one.texts
    one.texts = []
    const walker = document.createTreeWalker(one.element, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!node.parentElement.closest('summary')) one.texts.push({ node, whole: node.data })
    one.size = one.texts.reduce((sum, { whole }) => sum + whole.length, 0)
    return one.texts
  }

  function show(one, share) {
    if (one.shown === share) return
    one.shown = share
    one.element.hidden = share === 0
    // What is under way is seen; what is done folds again, but for sub-agents.
    if (running && one.element.localName === 'details')
      one.element.open = share < 1 || one.element.classList.contains('agent')
    if (one.until === one.at) return
    let left = Math.floor(share * (textsOf(one), one.size))
    for (const { node, whole } of one.texts) {
      const part = left >= whole.length ? whole : whole.slice(0, Math.max(0, left))
      if (node.data !== part) node.data = part
      left -= whole.length
    }
  }

  function go(moment) {
    now = Math.max(0, Math.min(length, moment))
    for (const one of timed) {
      const { at, until } = one
      show(one, now >= until ? 1 : now < at ? 0 : Math.max(0.001, (now - at) / (until - at)))
    }
    seek.value = String(now)
    time.value = `${clock(now)} / ${clock(length)}`
    seek.setAttribute('aria-valuetext', clock(now))
  }

  function clock(ms) {
    const seconds = Math.floor(ms / 1000)
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  }

  function set(on) {
    running = on
    play.textContent = on ? play.dataset.pause : play.dataset.play
    play.setAttribute('aria-pressed', String(on))
    if (!on) return
    if (now >= length) go(0)
    last = performance.now()
    requestAnimationFrame(frame)
  }

  function frame(at) {
    if (!running) return
    let to = now + Math.max(0, at - last) * Number(speed.value)
    last = at
    const coming = moments.find((moment) => moment > now)
    const growing = timed.some((one) => one.shown > 0 && one.shown < 1)
    if (skip.checked && !growing && coming !== undefined && coming - now > 1500) to = coming - 200
    go(to)
    const newest = timed.findLast((one) => one.shown > 0 && one.element.offsetParent !== null)
    const bottom = newest && newest.element.getBoundingClientRect().bottom
    if (bottom > window.innerHeight - player.offsetHeight - 16)
      window.scrollBy(0, bottom - window.innerHeight + player.offsetHeight + 48)
    if (now >= length) set(false)
    else requestAnimationFrame(frame)
  }

  function step(by) {
    set(false)
    const moment = by > 0 ? moments.find((one) => one > now) : moments.findLast((one) => one < now)
    go(moment ?? (by > 0 ? length : 0))
  }

  play.addEventListener('click', () => set(!running))
  back.addEventListener('click', () => step(-1))
  next.addEventListener('click', () => step(1))
  seek.addEventListener('input', () => {
    set(false)
    go(Number(seek.value))
  })
  player.addEventListener('submit', (event) => event.preventDefault())
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target instanceof Element && event.target.closest('button, input, select, summary, a')) return
    if (event.key === ' ') set(!running)
    else if (event.key === 'ArrowRight') step(1)
    else if (event.key === 'ArrowLeft') step(-1)
    else return
    event.preventDefault()
  })
  seek.max = String(length)
  player.hidden = false
  go(length)
  if (document.body.hasAttribute('data-print')) {
    // The frame around it is removed then. Without an origin of its own, it can name none.
    window.addEventListener('afterprint', () => window.parent.postMessage({ type: 'printed' }, '*'))
    window.addEventListener('load', () => window.print())
  }
})()
