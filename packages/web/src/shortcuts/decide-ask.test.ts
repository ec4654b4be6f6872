import { beforeEach, expect, test, vi } from 'vitest'
import { decideVisibleAsk, trackVisibleSince } from './decide-ask.ts'

/** Fake ask. `scroll` moves it in or out of view, as the browser would report. */
interface Shown {
  ask: HTMLElement
  scroll(isIntersecting: boolean): void
}

let shown: Shown[] = []
let now = 0
const pressed: string[] = []

beforeEach(() => {
  shown = []
  pressed.length = 0
  now = 10_000
  vi.stubGlobal('performance', { now: () => now })
  vi.stubGlobal('window', { innerHeight: 800 })
  vi.stubGlobal('document', { activeElement: null, querySelectorAll: () => shown.map(({ ask }) => ask) })
  return () => vi.unstubAllGlobals()
})

function show(name: string, isInSight: boolean): Shown {
  let tell: (entries: { isIntersecting: boolean }[]) => void = () => undefined
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe = () => undefined
      disconnect = () => undefined
      constructor(listener: typeof tell) {
        tell = listener
      }
    },
  )
  let top = 0
  const ask = {
    dataset: {},
    contains: () => false,
    focus: () => pressed.push(`focus ${name}`),
    getBoundingClientRect: () => ({ top, bottom: top + 100 }),
    querySelector: (selector: string) => ({ click: () => pressed.push(`${selector} ${name}`) }),
  } as unknown as HTMLElement
  const scroll = (isIntersecting: boolean): void => {
    top = isIntersecting ? 0 : 5000
    tell([{ isIntersecting }])
  }
  trackVisibleSince(ask)
  scroll(isInSight)
  const one = { ask, scroll }
  shown.push(one)
  return one
}

test('a new request ignores a press meant for something else', () => {
  show('a', true)
  now += 400
  decideVisibleAsk('approve')
  expect(pressed).toEqual([])
  now += 200
  decideVisibleAsk('approve')
  expect(pressed).toEqual(['[data-decision=approve] a'])
})

test('and so does one that just scrolled into view', () => {
  show('a', true)
  const b = show('b', false)
  now += 5000
  decideVisibleAsk('approve')
  shown = [b]
  b.scroll(true)
  now += 100
  decideVisibleAsk('approve')
  expect(pressed).toEqual(['[data-decision=approve] a'])
  now += 500
  decideVisibleAsk('deny')
  expect(pressed).toEqual(['[data-decision=approve] a', '[data-decision=deny] b'])
})
