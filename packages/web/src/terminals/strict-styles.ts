import type { Terminal } from '@xterm/xterm'

/**
 * The page's policy blocks style elements and style attributes. The emulator writes its colors and sizes as style
 * elements while it opens, and 24-bit colors as attributes. These get the same rules through constructed style sheets
 * and the style object, which the policy allows.
 */
export function openWithStrictStyles(terminal: Terminal, parent: HTMLElement): () => void {
  const sheets: CSSStyleSheet[] = []
  const original: unknown = Reflect.get(document, 'createElement')
  Object.defineProperty(document, 'createElement', {
    configurable: true,
    value: (name: string, options?: ElementCreationOptions): unknown =>
      name === 'style' ? styleStandIn(sheets) : Reflect.apply(original as () => Element, document, [name, options]),
  })
  try {
    terminal.open(parent)
  } finally {
    // The own property hid the one of the prototype.
    Reflect.deleteProperty(document, 'createElement')
  }
  writeStylesThroughObject(terminal)
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet))
  }
}

/** An element whose text becomes a constructed style sheet. */
function styleStandIn(sheets: CSSStyleSheet[]): HTMLElement {
  const sheet = new CSSStyleSheet()
  sheets.push(sheet)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  const element = document.createElementNS('http://www.w3.org/1999/xhtml', 'template') as HTMLElement
  Object.defineProperty(element, 'textContent', {
    set(css: string) {
      sheet.replaceSync(css)
    },
  })
  return element
}

interface RowFactory {
  _addStyle: (element: HTMLElement, style: string) => void
}

function writeStylesThroughObject(terminal: Terminal): void {
  const factory = rowFactoryOf(terminal)
  if (factory === undefined) throw new Error('This version of the terminal emulator is not known.')
  factory._addStyle = (element, style) => {
    element.style.cssText += `;${style}`
  }
}

/** Not part of the public interface. The version of the package is pinned, and a browser test covers it. */
function rowFactoryOf(terminal: Terminal): RowFactory | undefined {
  const { _core: core } = terminal as unknown as {
    _core?: { _renderService?: { _renderer?: { value?: { _rowFactory?: RowFactory } } } }
  }
  const factory = core?._renderService?._renderer?.value?._rowFactory
  return typeof factory?._addStyle === 'function' ? factory : undefined
}
