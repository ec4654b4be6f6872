const colors = {
  background: '--paper',
  foreground: '--ink',
  cursor: '--ink',
  cursorAccent: '--paper',
  black: '--ansi-black',
  red: '--ansi-red',
  green: '--ansi-green',
  yellow: '--ansi-yellow',
  blue: '--ansi-blue',
  magenta: '--ansi-magenta',
  cyan: '--ansi-cyan',
  white: '--ansi-white',
  brightBlack: '--ink-3',
  brightRed: '--ansi-red',
  brightGreen: '--ansi-green',
  brightYellow: '--ansi-yellow',
  brightBlue: '--ansi-blue',
  brightMagenta: '--ansi-magenta',
  brightCyan: '--ansi-cyan',
  brightWhite: '--ink',
  findMatch: '--mark',
  findCurrent: '--ask-line',
  selection: '--accent',
} as const

type ColorName = keyof typeof colors

/** Font, colors and contrast of the emulator, from the page's tokens. */
export function readLook(element: HTMLElement) {
  const { fontFamily, fontSize } = getComputedStyle(element)
  const found = readColors(element)
  const isStrong = document.documentElement.dataset['contrast'] === 'more'
  return {
    fontFamily,
    fontSize: Number.parseFloat(fontSize) || 13,
    lineHeight: 1.25,
    minimumContrastRatio: isStrong ? 7 : 4.5,
    cursorBlink: !isStill(),
    theme: {
      ...found,
      selectionBackground: `${found.selection}4d`,
      selectionInactiveBackground: `${found.selection}33`,
      scrollbarSliderBackground: `${found.foreground}33`,
      scrollbarSliderHoverBackground: `${found.foreground}55`,
      scrollbarSliderActiveBackground: `${found.foreground}77`,
    },
  }
}

/** Tokens hold a light and a dark value, so the browser has to resolve them. */
function readColors(element: HTMLElement): Record<ColorName, string> {
  const probe = document.createElement('span')
  probe.hidden = true
  element.append(probe)
  const found = Object.entries(colors).map(([name, token]) => {
    probe.style.color = `var(${token})`
    return [name, toHex(getComputedStyle(probe).color)]
  })
  probe.remove()
  return Object.fromEntries(found) as Record<ColorName, string>
}

function toHex(color: string): string {
  const [red = 0, green = 0, blue = 0] = (color.match(/\d+(?:\.\d+)?/g) ?? []).map(Number)
  return `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

function isStill(): boolean {
  const { motion } = document.documentElement.dataset
  if (motion === 'reduced' || motion === 'full') return motion === 'reduced'
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches
}

/** Calls back when the theme, the contrast, the motion or the text size changes. */
export function watchLook(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, {
    attributes: true,
    attributeFilter: ['data-theme', 'data-contrast', 'data-text', 'data-motion'],
  })
  const queries = [
    window.matchMedia('(prefers-color-scheme: dark)'),
    window.matchMedia('(prefers-contrast: more)'),
    window.matchMedia('(prefers-reduced-motion: reduce)'),
  ]
  for (const query of queries) query.addEventListener('change', onChange)
  return () => {
    observer.disconnect()
    for (const query of queries) query.removeEventListener('change', onChange)
  }
}
