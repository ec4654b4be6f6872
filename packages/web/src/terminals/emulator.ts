import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { Unicode11Addon } from '@xterm/addon-unicode11'
import { type ILink, Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { isMac } from '../platform/keyboard.ts'
import { copyText } from '../ui/button.tsx'
import { findLinks, type FoundLink } from './find-links.ts'
import { openWithStrictStyles } from './strict-styles.ts'
import { readLook, watchLook } from './terminal-look.ts'

export interface EmulatorActions {
  onInput: (text: string) => void
  /** A program asks for the cursor position. `query` is the number that the server gave the question. */
  onPosition: (query: number, row: number, column: number) => void
  onPaste: (text: string) => void
  /** `isHidden`: the text on the screen may say something else than the target. */
  onLink: (link: FoundLink['open'], isHidden: boolean) => void
  onSelection: (hasSelection: boolean) => void
  onFind: () => void
  onSend: () => void
  onLeave: () => void
  onCopied: (isCopied: boolean) => void
  /** The size that fits changed. */
  onLook: () => void
}

/** The screen of one terminal. */
export interface Emulator {
  write: (text: string, onDone: () => void) => void
  reset: () => void
  resize: (columns: number, rows: number) => void
  /** The size that fits. Undefined while hidden. */
  fitting: () => { columns: number; rows: number } | undefined
  focus: () => void
  paste: (text: string) => void
  isBracketed: () => boolean
  selection: () => string
  selectAll: () => void
  find: (text: string, direction: 'next' | 'previous', isNew: boolean) => boolean
  onMatches: (listener: (index: number, count: number) => void) => void
  endFind: () => void
  clear: () => void
  setTyping: (typing: boolean) => void
  setScreenReader: (on: boolean) => void
  /** Links in the newest lines, the newest first. */
  links: () => FoundLink[]
  dispose: () => void
}

const scrollback = 10_000

export function createEmulator(parent: HTMLElement, label: string, actions: EmulatorActions): Emulator {
  const terminal = new Terminal({
    allowProposedApi: true,
    scrollback,
    scrollOnUserInput: true,
    macOptionClickForcesSelection: true,
    rightClickSelectsWord: false,
    ...readLook(parent),
    linkHandler: {
      activate: (_, url) => actions.onLink({ url }, true),
      allowNonHttpProtocols: false,
    },
  })
  const fit = new FitAddon()
  const search = new SearchAddon({ highlightLimit: 1000 })
  terminal.loadAddon(fit)
  terminal.loadAddon(search)
  terminal.loadAddon(new Unicode11Addon())
  terminal.unicode.activeVersion = '11'
  refuseQueries(terminal)
  answerPositions(terminal, actions.onPosition)
  const removeStyles = openWithStrictStyles(terminal, parent)
  terminal.textarea?.setAttribute('aria-label', label)
  let isTyping = true

  terminal.onData((text) => {
    if (isTyping) actions.onInput(text)
  })
  terminal.onSelectionChange(() => actions.onSelection(terminal.hasSelection()))
  terminal.registerLinkProvider({
    provideLinks: (row, give) => give(linksInRow(terminal, row, (link) => actions.onLink(link.open, false))),
  })
  terminal.attachCustomKeyEventHandler(onKey)
  const onPaste = (event: ClipboardEvent): void => {
    event.preventDefault()
    event.stopPropagation()
    if (isTyping) actions.onPaste(event.clipboardData?.getData('text/plain') ?? '')
  }
  parent.addEventListener('paste', onPaste, true)
  const stopWatching = watchLook(() => {
    Object.assign(terminal.options, readLook(parent))
    actions.onLook()
  })

  return {
    write: (text, onDone) => terminal.write(text, onDone),
    reset: () => terminal.reset(),
    resize(columns, rows) {
      if (terminal.cols !== columns || terminal.rows !== rows) terminal.resize(columns, rows)
    },
    fitting() {
      const size = parent.offsetParent === null ? undefined : fit.proposeDimensions()
      if (size === undefined || !(size.cols > 1 && size.rows > 0)) return undefined
      return { columns: Math.min(size.cols, 1000), rows: Math.min(size.rows, 1000) }
    },
    focus: () => terminal.focus(),
    paste: (text) => terminal.paste(text),
    isBracketed: () => terminal.modes.bracketedPasteMode,
    selection: () => terminal.getSelection(),
    selectAll: () => terminal.selectAll(),
    find(text, direction, isNew) {
      const options = { decorations: matchColors(parent), incremental: isNew }
      return direction === 'next' ? search.findNext(text, options) : search.findPrevious(text, options)
    },
    onMatches: (listener) =>
      void search.onDidChangeResults(({ resultIndex, resultCount }) => listener(resultIndex, resultCount)),
    endFind: () => search.clearDecorations(),
    clear: () => terminal.clear(),
    setTyping(typing) {
      isTyping = typing
      terminal.options.disableStdin = !typing
      terminal.options.cursorInactiveStyle = typing ? 'outline' : 'none'
    },
    setScreenReader(on) {
      terminal.options.screenReaderMode = on
    },
    links: () => newestLinks(terminal),
    dispose() {
      stopWatching()
      parent.removeEventListener('paste', onPaste, true)
      terminal.dispose()
      removeStyles()
    },
  }

  /** Returns false for keys that the page or the browser handles. Everything else goes to the program. */
  function onKey(event: KeyboardEvent): boolean {
    if (event.type !== 'keydown') return true
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event
    const letter = key.toLowerCase()
    const own = (action: () => void): false => {
      event.preventDefault()
      event.stopPropagation()
      action()
      return false
    }
    if ((ctrlKey || metaKey) && shiftKey && !altKey && letter === 'x') return own(actions.onLeave)
    if ((ctrlKey && shiftKey && letter === 'f') || (metaKey && letter === 'f')) return own(actions.onFind)
    if (altKey && !ctrlKey && letter === 'q' && terminal.hasSelection()) return own(actions.onSend)
    const copies = ctrlKey && !altKey && letter === 'c' && !isMac()
    if (copies && (shiftKey || terminal.hasSelection())) return own(() => void copySelection(event))
    // The browser pastes. A program on the whole screen may need Ctrl+V itself, so there it takes Shift as well.
    if (ctrlKey && !altKey && letter === 'v' && (shiftKey || terminal.buffer.active.type === 'normal')) return false
    if ((ctrlKey || metaKey) && (key === '`' || key === '.')) return false
    // Nothing is typed here, so keys move through the page as elsewhere.
    if (!isTyping) return /^(?:Arrow|Page|Home|End)/.test(key) && scrollBy(key)
    return true
  }

  function scrollBy(key: string): false {
    if (key === 'PageUp') terminal.scrollPages(-1)
    else if (key === 'PageDown') terminal.scrollPages(1)
    else if (key === 'Home') terminal.scrollToTop()
    else if (key === 'End') terminal.scrollToBottom()
    else if (key === 'ArrowUp') terminal.scrollLines(-1)
    else if (key === 'ArrowDown') terminal.scrollLines(1)
    return false
  }

  async function copySelection(event: KeyboardEvent): Promise<void> {
    const text = terminal.getSelection()
    if (text === '') return
    const isCopied = await copyText(text)
    if (isCopied && !event.shiftKey) terminal.clearSelection()
    actions.onCopied(isCopied)
  }
}

/**
 * The server has removed these already. They also stop here, because an answer would be typed into the shell, and
 * titles, colors and the clipboard belong to the page.
 */
function refuseQueries({ parser }: Terminal): void {
  const refuse = (): boolean => true
  for (const id of [0, 1, 2, 4, 10, 11, 12, 52, 104, 110, 111, 112]) parser.registerOscHandler(id, refuse)
  for (const final of ['c', 'n', 't', 'x']) {
    for (const prefix of [undefined, '?', '>', '='])
      parser.registerCsiHandler({ prefix, final } as { final: string }, refuse)
  }
  parser.registerCsiHandler({ intermediates: '$', final: 'p' }, refuse)
  parser.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, refuse)
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, refuse)
}

/** The server numbers these queries and ignores answers that come late or twice, such as those of replayed output. */
function answerPositions(terminal: Terminal, onPosition: EmulatorActions['onPosition']): void {
  terminal.parser.registerCsiHandler({ final: 'n' }, ([kind, query]) => {
    const { cursorX, cursorY } = terminal.buffer.active
    // After a full row, the cursor waits past the last column.
    if (kind === 6 && typeof query === 'number') onPosition(query, cursorY + 1, Math.min(cursorX + 1, terminal.cols))
    return true
  })
}

/** The text of the logical line of a row: rows that the emulator wrapped are one line. */
function lineAround({ buffer: { active } }: Terminal, row: number): { text: string; first: number } {
  let first = row
  while (first > 0 && active.getLine(first)?.isWrapped === true && row - first < 30) first--
  let text = active.getLine(first)?.translateToString(false) ?? ''
  for (let next = first + 1; active.getLine(next)?.isWrapped === true && next - first < 30; next++)
    text += active.getLine(next)?.translateToString(false) ?? ''
  return { text, first }
}

function linksInRow(terminal: Terminal, row: number, open: (link: FoundLink) => void): ILink[] {
  const { text, first } = lineAround(terminal, row - 1)
  const place = (offset: number): { x: number; y: number } => cellAt(terminal, first, offset)
  return findLinks(text)
    .map((link) => ({
      text: link.text,
      range: { start: place(link.start), end: place(link.start + link.text.length - 1) },
      activate: () => open(link),
    }))
    .filter(({ range }) => range.start.y <= row && range.end.y >= row)
}

/** The cell of a character, counted from 1. Wide characters take two cells. */
function cellAt({ buffer: { active }, cols }: Terminal, first: number, offset: number): { x: number; y: number } {
  let left = offset
  for (let y = first; ; y++) {
    const line = active.getLine(y)
    if (line === undefined) return { x: cols, y }
    for (let x = 0; x < line.length; x++) {
      const cell = line.getCell(x)
      if (cell === undefined || cell.getWidth() === 0) continue
      if (left <= 0) return { x: x + 1, y: y + 1 }
      left -= cell.getChars().length || 1
    }
  }
}

const mostLinks = 20
const searchedLines = 500

function newestLinks(terminal: Terminal): FoundLink[] {
  const { active } = terminal.buffer
  const found = new Map<string, FoundLink>()
  for (
    let row = active.length - 1;
    row >= Math.max(0, active.length - searchedLines) && found.size < mostLinks;
    row--
  ) {
    if (active.getLine(row)?.isWrapped === true) continue
    for (const link of findLinks(lineAround(terminal, row).text)) if (!found.has(link.text)) found.set(link.text, link)
  }
  return [...found.values()].slice(0, mostLinks)
}

function matchColors(element: HTMLElement) {
  const { theme } = readLook(element)
  const match = theme.findMatch
  return {
    matchBackground: match,
    matchOverviewRuler: match,
    activeMatchBackground: theme.findCurrent,
    activeMatchColorOverviewRuler: theme.findCurrent,
  }
}
